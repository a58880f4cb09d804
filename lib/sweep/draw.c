/* Numbers drawn by counting. */
#include "sweep/draw.h"

static uint64_t
mix(uint64_t z)
{
	z += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t
draw(int64_t seed, int64_t i, int64_t k)
{
	return mix(mix(mix((uint64_t)seed) ^ (uint64_t)i) ^ (uint64_t)k);
}

double
sf_draw(int64_t seed, int64_t i, int64_t k)
{
	return (double)(draw(seed, i, k) >> 11) * 0x1p-53;
}

int64_t
sf_draw_place(int64_t seed, int64_t i, int64_t k, int64_t n)
{
	uint64_t key = draw(~seed, k, n), x = (uint64_t)i, mask;
	int half = 1;

	while (half < 31 && (uint64_t)1 << 2 * half < (uint64_t)n)
		half++;
	mask = ((uint64_t)1 << half) - 1;
	do {
		uint64_t left = x >> half, right = x & mask;

		for (uint64_t round = 0; round < 4; round++) {
			uint64_t next =
			    left ^ (mix(key ^ mix(round) ^ right) & mask);

			left = right;
			right = next;
		}
		x = left << half | right;
	} while (x >= (uint64_t)n);
	return (int64_t)x;
}
