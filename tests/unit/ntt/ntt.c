/* The transform, in place, with its roots in a table. */
#include "ntt.h"

#include "modular.h"

static uint64_t
reversed(uint64_t i, int bits)
{
	uint64_t r = 0;

	for (; bits > 0; bits--, i >>= 1)
		r = r << 1 | (i & 1);
	return r;
}

/* ROOT^bitrev(i) for all i. */
static const uint64_t *
powers(uint64_t root, uint64_t n, int log_n, uint64_t q, struct sf_arena *arena)
{
	uint64_t *table = sf_arena_alloc(arena, n * sizeof *table);
	uint64_t power = 1;

	for (uint64_t i = 0; i < n; i++) {
		table[reversed(i, log_n)] = power;
		power = sf_mod_mul(power, root, q);
	}
	return table;
}

void
sf_ntt_init(struct sf_ntt *ntt, int log_n, uint64_t q, struct sf_arena *arena)
{
	uint64_t n = UINT64_C(1) << log_n;

	ntt->n = n;
	ntt->q = q;
	ntt->psi = sf_primitive_root(2 * n, q);
	ntt->roots = powers(ntt->psi, n, log_n, q, arena);
	ntt->unroots = powers(sf_mod_inverse(ntt->psi, q), n, log_n, q, arena);
	ntt->n_inverse = sf_mod_inverse(n % q, q);
}

int64_t
sf_ntt_forward(const struct sf_ntt *ntt, uint64_t *a)
{
	const uint64_t q = ntt->q;
	uint64_t half = ntt->n / 2;
	int64_t butterflies = 0;

	for (uint64_t blocks = 1; blocks < ntt->n; blocks *= 2, half /= 2)
		for (uint64_t b = 0; b < blocks; b++) {
			uint64_t *x = a + b * 2 * half, *y = x + half;
			uint64_t root = ntt->roots[blocks + b];

			for (uint64_t j = 0; j < half; j++, butterflies++) {
				uint64_t t = sf_mod_mul(y[j], root, q);

				y[j] = sf_mod_sub(x[j], t, q);
				x[j] = sf_mod_add(x[j], t, q);
			}
		}
	return butterflies;
}

int64_t
sf_ntt_inverse(const struct sf_ntt *ntt, uint64_t *a)
{
	const uint64_t q = ntt->q;
	uint64_t half = 1;
	int64_t butterflies = 0;

	for (uint64_t blocks = ntt->n / 2; blocks > 0; blocks /= 2, half *= 2)
		for (uint64_t b = 0; b < blocks; b++) {
			uint64_t *x = a + b * 2 * half, *y = x + half;
			uint64_t root = ntt->unroots[blocks + b];

			for (uint64_t j = 0; j < half; j++, butterflies++) {
				uint64_t t = sf_mod_sub(x[j], y[j], q);

				x[j] = sf_mod_add(x[j], y[j], q);
				y[j] = sf_mod_mul(t, root, q);
			}
		}
	for (uint64_t i = 0; i < ntt->n; i++)
		a[i] = sf_mod_mul(a[i], ntt->n_inverse, q);
	return butterflies;
}

void
sf_ntt_product(const struct sf_ntt *ntt, uint64_t *a, uint64_t *b, uint64_t *c)
{
	sf_ntt_forward(ntt, a);
	sf_ntt_forward(ntt, b);
	for (uint64_t i = 0; i < ntt->n; i++)
		c[i] = sf_mod_mul(a[i], b[i], ntt->q);
	sf_ntt_inverse(ntt, c);
}

void
sf_schoolbook_product(
    const struct sf_ntt *ntt, const uint64_t *a, const uint64_t *b, uint64_t *c)
{
	const uint64_t n = ntt->n, q = ntt->q;

	for (uint64_t i = 0; i < n; i++)
		c[i] = 0;
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < n; j++) {
			uint64_t t = sf_mod_mul(a[i], b[j], q);
			uint64_t *to = &c[(i + j) % n];

			*to = i + j < n ? sf_mod_add(*to, t, q)
					: sf_mod_sub(*to, t, q);
		}
}
