/*
 * recurrence TILES - the yardstick of the simulator's benchmark: the pipeline's
 * recurrence over a table of durations with nothing else, no buffer and no
 * metrics. Prints the makespan, so that the loop is not optimised away.
 */
#include <stdio.h>
#include <stdlib.h>

struct tile {
	double load, compute, store;
};

static double
later(double a, double b)
{
	return a > b ? a : b;
}

int
main(int argc, char *argv[])
{
	static const struct tile table[4] = { { 3, 2, 1 }, { 2, 3, 0 },
		{ 1, 2, 3 }, { 3, 1, 0 } };
	long tiles = argc > 1 ? atol(argv[1]) : 1;
	unsigned char size[256];
	double load = 0, compute = 0, store = 0;

	for (int i = 0; i < 256; i++)
		size[i] = (unsigned char)(i * 7 & 3);
	for (long i = 0; i < tiles; i++) {
		const struct tile *t = &table[size[i & 255]];

		load += t->load;
		compute = later(load, compute) + t->compute;
		store = later(compute, store) + t->store;
	}
	printf("%.17g\n", store);
	return 0;
}
