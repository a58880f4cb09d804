/* Arenas: a list of blocks, the newest first, each filled from its start. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"

/*
 * Under AddressSanitizer a block is out of bounds but for the pieces that were
 * handed out, and there is a gap between two pieces.
 */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SF_ARENA_GUARDED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SF_ARENA_GUARDED 1
#endif
#ifdef SF_ARENA_GUARDED
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, size)   ((void)(p), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(p, size) ((void)(p), (void)(size))
#endif

enum {
#ifdef SF_ARENA_GUARDED
	GAP = 16,
#else
	GAP = 0,
#endif
	ALIGN = _Alignof(max_align_t),
	FIRST_BLOCK = 2048,
	LARGEST_STEP = 1 << 20,
};

struct block {
	struct block *next;
	size_t size; /* bytes of data behind the header */
	max_align_t data[];
};

struct sf_arena {
	struct block *blocks;
	size_t at;   /* first free byte of the newest block */
	size_t used; /* bytes handed out in all */
};

void
sf_out_of_memory(void)
{
	sf_die(SF_EX_IO, "out of memory");
}

void *
sf_malloc(size_t size)
{
	void *p = malloc(size != 0 ? size : 1);

	if (p == NULL)
		sf_out_of_memory();
	return p;
}

void *
sf_calloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL)
		sf_out_of_memory();
	return p;
}

void *
sf_realloc(void *old, size_t size)
{
	void *p = realloc(old, size != 0 ? size : 1);

	if (p == NULL)
		sf_out_of_memory();
	return p;
}

void *
sf_reallocarray(void *old, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		sf_out_of_memory();
	return sf_realloc(old, count * size);
}

static struct block *
block_new(size_t size, struct block *next)
{
	struct block *b;

	if (size > SIZE_MAX / 2)
		sf_out_of_memory();
	b = sf_malloc(sizeof *b + size);
	b->next = next;
	b->size = size;
	ASAN_POISON_MEMORY_REGION(b->data, size);
	return b;
}

struct sf_arena *
sf_arena_new(void)
{
	struct sf_arena *arena = sf_malloc(sizeof *arena);

	*arena = (struct sf_arena){ .blocks = block_new(FIRST_BLOCK, NULL) };
	return arena;
}

void
sf_arena_free(struct sf_arena *arena)
{
	if (arena == NULL)
		return;
	for (struct block *b = arena->blocks, *next; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	free(arena);
}

void
sf_arena_reset(struct sf_arena *arena)
{
	struct block *keep = arena->blocks;

	for (struct block *b = keep->next, *next; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	keep->next = NULL;
	ASAN_POISON_MEMORY_REGION(keep->data, arena->at);
	arena->at = 0;
	arena->used = 0;
}

/* Opens a block with room for SIZE bytes; blocks double up to a limit. */
static void
grow(struct sf_arena *arena, size_t size)
{
	size_t step = arena->blocks->size * 2;

	if (step > LARGEST_STEP)
		step = LARGEST_STEP;
	if (step < size)
		step = size;
	arena->blocks = block_new(step, arena->blocks);
	arena->at = 0;
}

void *
sf_arena_alloc(struct sf_arena *arena, size_t size)
{
	size_t wanted = size;
	void *p;

	if (size > SIZE_MAX / 2)
		sf_out_of_memory();
	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (size + GAP > arena->blocks->size - arena->at)
		grow(arena, size + GAP);
	p = (char *)arena->blocks->data + arena->at;
	ASAN_UNPOISON_MEMORY_REGION(p, wanted);
	arena->at += size + GAP;
	arena->used += size;
	return p;
}

void *
sf_arena_calloc(struct sf_arena *arena, size_t count, size_t size)
{
	void *p;

	if (size != 0 && count > SIZE_MAX / 2 / size)
		sf_out_of_memory();
	p = sf_arena_alloc(arena, count * size);
	memset(p, 0, count * size);
	return p;
}

char *
sf_arena_strndup(struct sf_arena *arena, const char *text, size_t len)
{
	char *copy = sf_arena_alloc(arena, len + 1);

	if (len != 0)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *
sf_arena_strdup(struct sf_arena *arena, const char *text)
{
	return sf_arena_strndup(arena, text, strlen(text));
}

char *
sf_arena_printf(struct sf_arena *arena, const char *format, ...)
{
	va_list ap, again;
	char first[256], *text;
	int len;

	va_start(ap, format);
	va_copy(again, ap);
	len = vsnprintf(first, sizeof first, format, ap);
	va_end(ap);
	if (len < 0)
		sf_bug("bad format '%s'", format);
	text = sf_arena_alloc(arena, (size_t)len + 1);
	if ((size_t)len < sizeof first)
		memcpy(text, first, (size_t)len + 1);
	else
		vsnprintf(text, (size_t)len + 1, format, again);
	va_end(again);
	return text;
}

size_t
sf_arena_used(const struct sf_arena *arena)
{
	return arena->used;
}
