/* MT19937; the constants are those of the paper's table II and its code. */
#include "fifo/twister.h"

enum {
	N = SF_TWISTER_WORDS,
	M = 397,
};

static const uint32_t matrix_a = UINT32_C(0x9908b0df);
static const uint32_t upper = UINT32_C(0x80000000);
static const uint32_t lower = UINT32_C(0x7fffffff);

static void
init_by_word(uint32_t state[N], uint32_t seed)
{
	state[0] = seed;
	for (uint32_t i = 1; i < N; i++)
		state[i] =
		    UINT32_C(1812433253) * (state[i - 1] ^ state[i - 1] >> 30) +
		    i;
}

/* The word before index I, mixed. */
static uint32_t
mixed(const uint32_t state[N], int i)
{
	return state[i - 1] ^ state[i - 1] >> 30;
}

/* Moves on in the state; its first word follows the last one round. */
static int
step(uint32_t state[N], int i)
{
	if (++i < N)
		return i;
	state[0] = state[N - 1];
	return 1;
}

void
sf_twister_init(struct sf_twister *t, uint64_t seed)
{
	const uint32_t key[2] = { (uint32_t)seed, (uint32_t)(seed >> 32) };
	const int words = key[1] != 0 ? 2 : 1;
	uint32_t *s = t->state;
	int i = 1, j = 0;

	init_by_word(s, UINT32_C(19650218));
	for (int k = 0; k < N; k++) {
		s[i] = (s[i] ^ mixed(s, i) * UINT32_C(1664525)) + key[j] +
		    (uint32_t)j;
		i = step(s, i);
		j = (j + 1) % words;
	}
	for (int k = 0; k < N - 1; k++) {
		s[i] =
		    (s[i] ^ mixed(s, i) * UINT32_C(1566083941)) - (uint32_t)i;
		i = step(s, i);
	}
	s[0] = upper;
	t->next = N;
}

static void
refill(uint32_t s[N])
{
	for (int i = 0; i < N; i++) {
		uint32_t y = (s[i] & upper) | (s[(i + 1) % N] & lower);

		s[i] = s[(i + M) % N] ^ y >> 1 ^ ((y & 1) != 0 ? matrix_a : 0);
	}
}

static uint32_t
draw(struct sf_twister *t)
{
	uint32_t y;

	if (t->next == N) {
		refill(t->state);
		t->next = 0;
	}
	y = t->state[t->next++];
	y ^= y >> 11;
	y ^= y << 7 & UINT32_C(0x9d2c5680);
	y ^= y << 15 & UINT32_C(0xefc60000);
	return y ^ y >> 18;
}

double
sf_twister_random(struct sf_twister *t)
{
	uint32_t high = draw(t) >> 5, low = draw(t) >> 6;

	return (high * 67108864.0 + low) / 9007199254740992.0;
}

double
sf_twister_uniform(struct sf_twister *t, double a, double b)
{
	return a + (b - a) * sf_twister_random(t);
}
