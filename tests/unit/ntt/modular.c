/* Modular arithmetic by 128-bit products. */
#include "modular.h"

__extension__ typedef unsigned __int128 uint128;

uint64_t
sf_mod_add(uint64_t a, uint64_t b, uint64_t q)
{
	uint64_t sum = a + b; /* below 2^64, as both are below 2^63 */

	return sum >= q ? sum - q : sum;
}

uint64_t
sf_mod_sub(uint64_t a, uint64_t b, uint64_t q)
{
	return a >= b ? a - b : a + (q - b);
}

uint64_t
sf_mod_mul(uint64_t a, uint64_t b, uint64_t q)
{
	return (uint64_t)((uint128)a * b % q);
}

uint64_t
sf_mod_pow(uint64_t base, uint64_t exponent, uint64_t q)
{
	uint64_t power = 1 % q;

	for (; exponent != 0; exponent >>= 1) {
		if ((exponent & 1) != 0)
			power = sf_mod_mul(power, base, q);
		base = sf_mod_mul(base, base, q);
	}
	return power;
}

uint64_t
sf_mod_inverse(uint64_t a, uint64_t q)
{
	return sf_mod_pow(a, q - 2, q);
}

/* True when base A does not prove that N = 2^S D + 1 is composite. */
static bool
passes(uint64_t n, uint64_t a, uint64_t d, int s)
{
	uint64_t x = sf_mod_pow(a, d, n);

	if (x == 1 || x == n - 1)
		return true;
	while (--s > 0) {
		x = sf_mod_mul(x, x, n);
		if (x == n - 1)
			return true;
	}
	return false;
}

bool
sf_is_prime(uint64_t n)
{
	static const uint64_t bases[] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29,
		31, 37 };
	uint64_t d = n - 1;
	int s = 0;

	if (n < 2)
		return false;
	for (int i = 0; i < 12; i++)
		if (n % bases[i] == 0)
			return n == bases[i];
	for (; (d & 1) == 0; d >>= 1)
		s++;
	for (int i = 0; i < 12; i++)
		if (!passes(n, bases[i], d, s))
			return false;
	return true;
}

uint64_t
sf_ntt_prime(uint64_t n, uint64_t floor)
{
	const uint64_t top = UINT64_C(1) << 63;
	uint64_t step = 2 * n, q = floor <= 1 ? 1 : floor - 1;

	/* The first 1 modulo STEP that is not below FLOOR. */
	q = (q + step - 1) / step * step + 1;
	for (; q < top; q += step)
		if (q >= floor && sf_is_prime(q))
			return q;
	return 0;
}

uint64_t
sf_primitive_root(uint64_t order, uint64_t q)
{
	/*
	 * x^((q-1)/order) has an order that divides ORDER, a power of two; it
	 * is ORDER itself just when the half of it does not give 1.
	 */
	for (uint64_t x = 2;; x++) {
		uint64_t root = sf_mod_pow(x, (q - 1) / order, q);

		if (order == 1 || sf_mod_pow(root, order / 2, q) == q - 1)
			return root;
	}
}
