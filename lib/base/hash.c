/* SipHash-1-3 with a key of the process. */
#include "base/hash.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/word.h"

/* Drawn before main: no thread can see it half made. */
static uint64_t key[2];

__attribute__((constructor)) static void
draw_key(void)
{
	const void *random;

	if (getrandom(key, sizeof key, GRND_NONBLOCK) == (ssize_t)sizeof key)
		return;
	/* The 16 random bytes that the kernel gives every process. */
	random = (const void *)getauxval(AT_RANDOM);
	if (random != NULL)
		memcpy(key, random, sizeof key);
}

void
sf_hash_set_key(uint64_t k0, uint64_t k1)
{
	key[0] = k0;
	key[1] = k1;
}

struct sip {
	uint64_t a, b, c, d;
};

static inline uint64_t
rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void
sip_round(struct sip *v)
{
	v->a += v->b;
	v->c += v->d;
	v->b = rotate(v->b, 13) ^ v->a;
	v->d = rotate(v->d, 16) ^ v->c;
	v->a = rotate(v->a, 32);
	v->c += v->b;
	v->a += v->d;
	v->b = rotate(v->b, 17) ^ v->c;
	v->d = rotate(v->d, 21) ^ v->a;
	v->c = rotate(v->c, 32);
}

/* The last LEN % 8 bytes of a text, below its length. */
static inline uint64_t
last_word(const char *text, size_t len)
{
	size_t rest = len & 7;
	uint64_t word = (uint64_t)len << 56;

	if (rest == 0)
		return word;
	if (len >= 8)
		return word | sf_word_at(text + len - 8) >> (64 - 8 * rest);
	return word | sf_few_at(text, len);
}

uint64_t
sf_hash(const char *text, size_t len)
{
	struct sip v = {
		.a = key[0] ^ UINT64_C(0x736f6d6570736575),
		.b = key[1] ^ UINT64_C(0x646f72616e646f6d),
		.c = key[0] ^ UINT64_C(0x6c7967656e657261),
		.d = key[1] ^ UINT64_C(0x7465646279746573),
	};
	uint64_t word;

	for (size_t i = 0; i + 8 <= len; i += 8) {
		word = sf_word_at(text + i);
		v.d ^= word;
		sip_round(&v);
		v.a ^= word;
	}
	word = last_word(text, len);
	v.d ^= word;
	sip_round(&v);
	v.a ^= word;
	v.c ^= 0xff;
	sip_round(&v);
	sip_round(&v);
	sip_round(&v);
	return v.a ^ v.b ^ v.c ^ v.d;
}

uint64_t
sf_hash_quick(const char *text, size_t len)
{
	/* Odd, and as many ones as zeros: 2^64 over the golden ratio. */
	static const uint64_t spread = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = 0;

	for (size_t i = 0; i + 8 <= len; i += 8)
		hash = (rotate(hash, 23) ^ sf_word_at(text + i)) * spread;
	hash = (rotate(hash, 23) ^ last_word(text, len)) * spread;
	/* A product is spread best in its upper half. */
	return hash >> 32;
}
