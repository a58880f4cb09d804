/* Arithmetic modulo a prime below 2^63, and primes that suit an NTT. */
#ifndef SF_TESTS_MODULAR_H
#define SF_TESTS_MODULAR_H

#include <stdbool.h>
#include <stdint.h>

/* Operands are below Q. */
uint64_t sf_mod_add(uint64_t a, uint64_t b, uint64_t q);
uint64_t sf_mod_sub(uint64_t a, uint64_t b, uint64_t q);
uint64_t sf_mod_mul(uint64_t a, uint64_t b, uint64_t q);
uint64_t sf_mod_pow(uint64_t base, uint64_t exponent, uint64_t q);

/* 1/A; Q is prime and A not 0 (Fermat: A^(Q-2)). */
uint64_t sf_mod_inverse(uint64_t a, uint64_t q);

/*
 * Miller and Rabin's test with the first twelve primes as bases, which is a
 * proof below 2^64 (Sorenson and Webster, Math. Comp. 86, 2017).
 */
bool sf_is_prime(uint64_t n);

/*
 * The smallest prime q = 2 N k + 1 that is at least FLOOR, for N a power of
 * two; 0 when there is none below 2^63.
 */
uint64_t sf_ntt_prime(uint64_t n, uint64_t floor);

/*
 * A primitive ORDER-th root of unity modulo the prime Q; ORDER is a power of
 * two that divides Q - 1.
 */
uint64_t sf_primitive_root(uint64_t order, uint64_t q);

#endif
