/*
 * The transform: its product is the schoolbook's, its inverse undoes it, and it
 * does the butterflies it should, for every size up to 2^9 and primes from two
 * digits to 62 bits. With arguments LOG_N FLOOR it prints one product instead
 * (q, a, b, c on a line each), for an oracle outside.
 */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "ntt/modular.h"
#include "ntt/ntt.h"

static uint64_t seed = 1;

/* xorshift64* (Vigna, 2016): any fixed sequence will do. */
static uint64_t
next_random(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * UINT64_C(2685821657736338717);
}

static uint64_t *
polynomial(struct sf_arena *arena, const struct sf_ntt *ntt)
{
	uint64_t *a = sf_arena_calloc(arena, ntt->n, sizeof *a);

	for (uint64_t i = 0; i < ntt->n; i++)
		a[i] = next_random() % ntt->q;
	return a;
}

static uint64_t *
copy(struct sf_arena *arena, const struct sf_ntt *ntt, const uint64_t *a)
{
	uint64_t *b = sf_arena_alloc(arena, ntt->n * sizeof *b);

	memcpy(b, a, ntt->n * sizeof *b);
	return b;
}

static void
test_size(int log_n, uint64_t floor)
{
	struct sf_arena *arena = sf_arena_new();
	uint64_t n = UINT64_C(1) << log_n, q = sf_ntt_prime(n, floor);
	uint64_t *a, *b, *x, *y, *by_ntt, *by_hand;
	int64_t butterflies = (int64_t)n / 2 * log_n;
	struct sf_ntt ntt;

	CHECK(q >= floor && q % (2 * n) == 1 && sf_is_prime(q));
	sf_ntt_init(&ntt, log_n, q, arena);
	CHECK(sf_mod_pow(ntt.psi, n, q) == q - 1);
	a = polynomial(arena, &ntt);
	b = polynomial(arena, &ntt);
	x = copy(arena, &ntt, a);
	CHECK(sf_ntt_forward(&ntt, x) == butterflies);
	CHECK(sf_ntt_inverse(&ntt, x) == butterflies);
	CHECK(memcmp(x, a, n * sizeof *a) == 0);
	y = copy(arena, &ntt, b);
	by_ntt = polynomial(arena, &ntt);
	by_hand = polynomial(arena, &ntt);
	sf_ntt_product(&ntt, x, y, by_ntt);
	sf_schoolbook_product(&ntt, a, b, by_hand);
	CHECK(memcmp(by_ntt, by_hand, n * sizeof *a) == 0);
	sf_arena_free(arena);
}

static void
test_modular(void)
{
	/* 7 x 8 = 56 = 4 x 13 + 4; 3^5 = 243 = 18 x 13 + 9; 5 x 8 = 40. */
	CHECK(sf_mod_mul(7, 8, 13) == 4);
	CHECK(sf_mod_pow(3, 5, 13) == 9);
	CHECK(sf_mod_inverse(5, 13) == 8);
	CHECK(sf_mod_add(12, 12, 13) == 11);
	CHECK(sf_mod_sub(3, 5, 13) == 11);
	/* Carmichael numbers, a square, and primes next to them. */
	CHECK(!sf_is_prime(561) && !sf_is_prime(1729) && !sf_is_prime(1369));
	CHECK(!sf_is_prime(0) && !sf_is_prime(1) && sf_is_prime(2));
	/* 2^61 - 1 is a Mersenne prime, 2^59 - 1 is not. */
	CHECK(sf_is_prime((UINT64_C(1) << 61) - 1));
	CHECK(!sf_is_prime((UINT64_C(1) << 59) - 1));
	/* 17 = 2 x 8 + 1 and 97 = 3 x 32 + 1; 33 and 65 are composite. */
	CHECK(sf_ntt_prime(8, 2) == 17);
	CHECK(sf_ntt_prime(16, 18) == 97);
	/* Nothing is left below 2^63. */
	CHECK(sf_ntt_prime(UINT64_C(1) << 61, UINT64_C(1) << 62) == 0);
}

static void
print_row(const char *name, const uint64_t *a, uint64_t n)
{
	printf("%s", name);
	for (uint64_t i = 0; i < n; i++)
		printf(" %" PRIu64, a[i]);
	printf("\n");
}

static void
print_product(int log_n, uint64_t floor)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_ntt ntt;
	uint64_t *a, *b, *c;

	sf_ntt_init(
	    &ntt, log_n, sf_ntt_prime(UINT64_C(1) << log_n, floor), arena);
	a = polynomial(arena, &ntt);
	b = polynomial(arena, &ntt);
	c = polynomial(arena, &ntt);
	print_row("q", &ntt.q, 1);
	print_row("a", a, ntt.n);
	print_row("b", b, ntt.n);
	sf_ntt_product(&ntt, a, b, c);
	print_row("c", c, ntt.n);
	sf_arena_free(arena);
}

int
main(int argc, char *argv[])
{
	static const uint64_t floors[] = { 2, 1000, UINT64_C(1) << 29,
		UINT64_C(1) << 45, (UINT64_C(1) << 61) + 12345 };

	if (argc == 3) {
		print_product(atoi(argv[1]), strtoull(argv[2], NULL, 10));
		return 0;
	}
	test_modular();
	for (int log_n = 1; log_n <= 9; log_n++)
		for (int i = 0; i < 5; i++)
			test_size(log_n, floors[i]);
	return 0;
}
