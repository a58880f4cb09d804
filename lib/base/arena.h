/*
 * An arena: memory that is handed out piece by piece and dropped in one call.
 * Running out of memory ends the program, so nothing here returns NULL.
 */
#ifndef SF_BASE_ARENA_H
#define SF_BASE_ARENA_H

#include <stddef.h>

#include "base/decl.h"

SF_PUBLIC_BEGIN

struct sf_arena;

struct sf_arena *sf_arena_new(void);

/* Frees the arena and all it handed out. NULL is allowed. */
void sf_arena_free(struct sf_arena *arena);

/* Drops all it handed out and keeps one block for what comes next. */
void sf_arena_reset(struct sf_arena *arena);

/* SIZE bytes, aligned for any type, not initialised. */
void *sf_arena_alloc(struct sf_arena *arena, size_t size);

/* COUNT objects of SIZE bytes, zeroed; a product that overflows dies. */
void *sf_arena_calloc(struct sf_arena *arena, size_t count, size_t size);

/* A copy of LEN bytes with a NUL behind it. */
char *sf_arena_strndup(struct sf_arena *arena, const char *text, size_t len);
char *sf_arena_strdup(struct sf_arena *arena, const char *text);

/* printf into the arena. */
char *sf_arena_printf(struct sf_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Bytes handed out since the arena was made or reset. */
size_t sf_arena_used(const struct sf_arena *arena);

/* malloc and realloc that die instead of returning NULL. */
void *sf_malloc(size_t size);

/* N zeroed objects, whose pages take memory when they are written. */
void *sf_calloc(size_t n, size_t size);
void *sf_realloc(void *old, size_t size);
void *sf_reallocarray(void *old, size_t count, size_t size);

/* Dies with the message for memory that is exhausted. */
SF_NORETURN void sf_out_of_memory(void);

SF_PUBLIC_END

#endif
