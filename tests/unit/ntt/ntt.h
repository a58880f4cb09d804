/*
 * The negacyclic number-theoretic transform over Z_q[X]/(X^N + 1), N a power of
 * two, and the polynomial product by it and by hand.
 *
 * With psi a primitive 2N-th root of unity, the forward transform gives the
 * values at the odd powers of psi, in bit-reversed order: Cooley and Tukey's
 * butterflies with the powers of psi merged in; the inverse undoes it with
 * Gentleman and Sande's (Longa and Naehrig, CANS 2016, algorithms 1 and 2).
 * Each does (N/2) log2 N butterflies.
 */
#ifndef SF_TESTS_NTT_H
#define SF_TESTS_NTT_H

#include <stdint.h>

#include "base/arena.h"

struct sf_ntt {
	uint64_t n, q;
	uint64_t psi;            /* a primitive 2N-th root of unity */
	const uint64_t *roots;   /* psi^bitrev(i) */
	const uint64_t *unroots; /* psi^-bitrev(i) */
	uint64_t n_inverse;      /* 1/N mod q */
};

/* N = 2^LOG_N; Q must be a prime with Q = 1 mod 2N. Tables are the arena's. */
void
sf_ntt_init(struct sf_ntt *ntt, int log_n, uint64_t q, struct sf_arena *arena);

/* In place; A has N coefficients below Q. Return the butterflies done. */
int64_t sf_ntt_forward(const struct sf_ntt *ntt, uint64_t *a);
int64_t sf_ntt_inverse(const struct sf_ntt *ntt, uint64_t *a);

/* C = A B by transforms; A and B are overwritten with theirs. */
void
sf_ntt_product(const struct sf_ntt *ntt, uint64_t *a, uint64_t *b, uint64_t *c);

/* C = A B by the definition: X^N is -1. N^2 steps. */
void sf_schoolbook_product(const struct sf_ntt *ntt, const uint64_t *a,
    const uint64_t *b, uint64_t *c);

#endif
