/*
 * The Mersenne Twister MT19937 (Matsumoto and Nishimura, ACM TOMACS 8(1),
 * 1998), seeded by an integer and drawn from as CPython's random.Random does,
 * so that a run can be repeated there.
 */
#ifndef SF_FIFO_TWISTER_H
#define SF_FIFO_TWISTER_H

#include <stdint.h>

enum {
	SF_TWISTER_WORDS = 624
};

struct sf_twister {
	uint32_t state[SF_TWISTER_WORDS];
	int next; /* the word that is drawn next */
};

/* As random.Random(SEED): init_by_array with SEED's 32-bit words. */
void sf_twister_init(struct sf_twister *twister, uint64_t seed);

/* As random(): 53 bits, in [0, 1). */
double sf_twister_random(struct sf_twister *twister);

/* As uniform(A, B): A + (B - A) x random(). */
double sf_twister_uniform(struct sf_twister *twister, double a, double b);

#endif
