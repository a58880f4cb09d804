/* Sorting in pieces gives what sorting at once does, whatever the sizes. */
#include "base/sorted.h"

#include <stdint.h>
#include <string.h>

#include "check.h"

struct record {
	int64_t key, number;
	char more[3];
};

static int
by_key(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static uint64_t state = 1;

static int64_t
any(int64_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1;
	return (int64_t)((state >> 33) % (uint64_t)below);
}

static void
check(size_t n, size_t most, int64_t keys)
{
	struct record *want = calloc(n + 1, sizeof *want), got;
	struct sf_sorted *sorted =
	    sf_sorted_new(sizeof *want, most * sizeof *want, by_key);

	CHECK(want != NULL);
	for (size_t i = 0; i < n; i++) {
		want[i].key = any(keys);
		want[i].number = (int64_t)i;
		memcpy(want[i].more, "abc", 3);
		sf_sorted_add(sorted, &want[i]);
	}
	qsort(want, n, sizeof *want, by_key);
	sf_sorted_finish(sorted);
	CHECK(sf_sorted_count(sorted) == n);
	for (size_t i = 0; i < n; i++) {
		sf_sorted_get(sorted, i, &got);
		CHECK(memcmp(&got, &want[i], sizeof got) == 0);
	}
	for (int k = 0; k < 20; k++) {
		int64_t key = any(keys + 1);
		struct record least = { .key = key, .number = -1 };
		size_t first = sf_sorted_first(sorted, &least);

		CHECK(first == n || want[first].key >= key);
		CHECK(first == 0 || want[first - 1].key < key);
	}
	for (size_t k = 0; k < n; k++) {
		size_t i = (size_t)any((int64_t)n);

		sf_sorted_get(sorted, i, &got);
		CHECK(memcmp(&got, &want[i], sizeof got) == 0);
	}
	sf_sorted_free(sorted);
	free(want);
}

int
main(void)
{
	static const size_t sizes[] = { 0, 1, 99, 100, 101, 200, 201, 5000,
		50000 };

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		check(sizes[i], 100, 10);
		check(sizes[i], 1000, INT32_MAX);
	}
	/* More pieces than records that a piece may have. */
	check(2000, 7, INT32_MAX);
	check(100, 0, 10);
	return 0;
}
