/* A hash set of blocks, filled by the sanitizer's hooks of malloc and free. */
#include "owned.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef FUZZ_POOL

/* In sanitizer/allocator_interface.h; not there in a plain build. */
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void *, size_t),
    void (*on_free)(const volatile void *));

enum {
	FIRST_ROOM = 1 << 12
};

/* Open addressing; room is a power of two and never more than half full. */
static struct {
	const volatile void **at;
	size_t room, n;
} set;
/* Read by the hooks, which a compiler does not expect realloc to call. */
static volatile bool watching;

static size_t
home(const volatile void *p)
{
	return ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 20 & (set.room - 1);
}

static void
put(const volatile void *p)
{
	size_t i = home(p);

	while (set.at[i] != NULL)
		i = (i + 1) & (set.room - 1);
	set.at[i] = p;
}

/* Not with malloc, whose hook is running. */
static void
resize(size_t room)
{
	const volatile void **old = set.at;
	size_t n = set.room;

	set.at = mmap(NULL, room * sizeof *set.at, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (set.at == MAP_FAILED)
		abort();
	set.room = room;
	for (size_t i = 0; i < n; i++)
		if (old[i] != NULL)
			put(old[i]);
	if (old != NULL)
		munmap(old, n * sizeof *old);
}

static void
on_malloc(const volatile void *p, size_t size)
{
	(void)size;
	if (!watching || p == NULL)
		return;
	if (2 * ++set.n > set.room)
		resize(2 * set.room);
	put(p);
}

/* Takes P out, and puts those behind it where a search will find them. */
static void
on_free(const volatile void *p)
{
	size_t i;

	if (!watching || p == NULL)
		return;
	for (i = home(p); set.at[i] != p; i = (i + 1) & (set.room - 1))
		if (set.at[i] == NULL)
			return;
	set.at[i] = NULL;
	set.n--;
	for (i = (i + 1) & (set.room - 1); set.at[i] != NULL;
	     i = (i + 1) & (set.room - 1)) {
		const volatile void *moved = set.at[i];

		set.at[i] = NULL;
		put(moved);
	}
}

void
owned_begin(void)
{
	if (set.at == NULL) {
		resize(FIRST_ROOM);
		if (__sanitizer_install_malloc_and_free_hooks != NULL)
			__sanitizer_install_malloc_and_free_hooks(
			    on_malloc, on_free);
	}
	watching = true;
}

void
owned_end(bool abandoned)
{
	watching = false;
	for (size_t i = 0; i < set.room && set.n != 0; i++) {
		if (set.at[i] == NULL)
			continue;
		if (abandoned)
			free((void *)(uintptr_t)set.at[i]);
		set.at[i] = NULL;
		set.n--;
	}
}

void *
owned_never(void *old, size_t size)
{
	bool was = watching;
	void *p;

	watching = false;
	p = realloc(old, size);
	watching = was;
	if (p == NULL)
		abort();
	return p;
}

#endif
