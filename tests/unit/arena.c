/* Arenas and growing buffers: aligned, never overlapping, reset and sized. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/die.h"
#include "check.h"

static void
pieces_do_not_overlap(void)
{
	struct sf_arena *arena = sf_arena_new();
	unsigned long long seed = 7;
	unsigned char *piece[2000];
	size_t size[2000];

	for (int i = 0; i < 2000; i++) {
		size[i] = check_random(&seed) % (i % 100 == 0 ? 300000 : 200);
		piece[i] = sf_arena_alloc(arena, size[i]);
		CHECK((uintptr_t)piece[i] % _Alignof(max_align_t) == 0);
		memset(piece[i], i % 251, size[i]);
	}
	for (int i = 0; i < 2000; i++)
		for (size_t at = 0; at < size[i]; at++)
			CHECK(piece[i][at] == i % 251);
	sf_arena_free(arena);
	sf_arena_free(NULL);
}

static void
reset_keeps_a_block(void)
{
	struct sf_arena *arena = sf_arena_new();

	for (int round = 0; round < 1000; round++) {
		char *p = sf_arena_calloc(arena, 5000, 3);

		for (int i = 0; i < 15000; i++)
			CHECK(p[i] == 0);
		memset(p, 0xff, 15000);
		CHECK(sf_arena_used(arena) >= 15000);
		sf_arena_reset(arena);
		CHECK(sf_arena_used(arena) == 0);
	}
	sf_arena_free(arena);
}

static void
text(void)
{
	struct sf_arena *arena = sf_arena_new();
	char *copy = sf_arena_strndup(arena, "tilex", 4);

	CHECK(strcmp(copy, "tile") == 0);
	CHECK(strcmp(sf_arena_strndup(arena, NULL, 0), "") == 0);
	CHECK(strcmp(sf_arena_strdup(arena, ""), "") == 0);
	CHECK(strcmp(sf_arena_printf(arena, "%d/%s", 17, "aten.mm"),
		  "17/aten.mm") == 0);
	sf_arena_free(arena);
}

static void
alloc_half_of_memory(void *arena)
{
	sf_arena_alloc(arena, SIZE_MAX - 8);
}

static void
calloc_overflow(void *arena)
{
	sf_arena_calloc(arena, SIZE_MAX / 4, 16);
}

static void
reallocarray_overflow(void *unused)
{
	(void)unused;
	sf_reallocarray(NULL, SIZE_MAX / 4, 16);
}

static void
impossible_sizes_end_the_program(void)
{
	struct sf_arena *arena = sf_arena_new();

	CHECK(check_exit_of(alloc_half_of_memory, arena) == SF_EX_IO);
	CHECK(check_exit_of(calloc_overflow, arena) == SF_EX_IO);
	CHECK(check_exit_of(reallocarray_overflow, NULL) == SF_EX_IO);
	sf_arena_free(arena);
}

static void
buffers(void)
{
	struct sf_buf buf = { 0 };

	for (int i = 0; i < 1000; i++) {
		sf_buf_put(&buf, "abc", 3);
		sf_buf_putc(&buf, ';');
	}
	CHECK(buf.n == 4000);
	for (size_t i = 0; i < buf.n; i++)
		CHECK(buf.p[i] == "abc;"[i % 4]);
	buf.n = 0;
	sf_buf_put(&buf, NULL, 0);
	sf_buf_int(&buf, INT64_MIN);
	SF_BUF_LIT(&buf, " ");
	sf_buf_double(&buf, 0.25);
	sf_buf_printf(&buf, " %s", "end");
	CHECK(buf.n == 29);
	CHECK(memcmp(buf.p, "-9223372036854775808 0.25 end", 29) == 0);
	sf_buf_release(&buf);
	CHECK(buf.p == NULL && buf.n == 0);
}

/* Formatted texts of any length are whole, wherever they begin. */
static void
formatted_texts(void)
{
	enum {
		MOST = 700
	};
	struct sf_arena *arena = sf_arena_new();
	char want[MOST + 1];

	memset(want, 'x', MOST);
	want[MOST] = '\0';
	for (int n = 0; n <= MOST; n++) {
		const char *text = sf_arena_printf(arena, "%.*s", n, want);
		struct sf_buf buf = { 0 };

		CHECK(strlen(text) == (size_t)n);
		CHECK(memcmp(text, want, (size_t)n) == 0);
		sf_buf_put(&buf, want, (size_t)(n * 7 % 300));
		sf_buf_printf(&buf, "%.*s%d", n, want, 5);
		CHECK(buf.n == (size_t)(n * 7 % 300 + n + 1));
		CHECK(buf.p[buf.n - 1] == '5');
		CHECK(memchr(buf.p, '\0', buf.n) == NULL);
		sf_buf_release(&buf);
	}
	sf_arena_free(arena);
}

int
main(void)
{
	pieces_do_not_overlap();
	reset_keeps_a_block();
	text();
	impossible_sizes_end_the_program();
	buffers();
	formatted_texts();
	return 0;
}
