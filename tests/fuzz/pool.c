/*
 * malloc in the place of the C library's, where no sanitizer has its own: what
 * a run allocates is cut off one block, and the next run begins at its start.
 * So a run costs no page faults, and one that died leaves nothing behind.
 *
 * What is allocated between two runs is the C library's.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "owned.h"

#if defined(FUZZ_POOL) && defined(__GLIBC__)

enum {
	ROOM = 1 << 30,    /* more is out of memory, which is a finding */
	KEPT = 16 << 20,   /* pages that stay from run to run */
	LARGEST = 1 << 28, /* of one block */
	ALIGN = 16
};

/* Before each block its size, so that it can grow. */
struct head {
	size_t size, pad;
};

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static char *pool;
static size_t at;
static _Thread_local bool watching __attribute__((tls_model("initial-exec")));

static bool
is_ours(const void *p)
{
	return pool != NULL && (uintptr_t)p - (uintptr_t)pool < ROOM;
}

static void *
cut(size_t align, size_t size)
{
	size_t from = (at + sizeof(struct head) + align - 1) / align * align;
	struct head *head;

	if (size > LARGEST || from + size > ROOM) {
		errno = ENOMEM;
		return NULL;
	}
	head = (struct head *)(void *)(pool + from) - 1;
	head->size = size;
	at = (from + size + ALIGN - 1) / ALIGN * ALIGN;
	return pool + from;
}

void *
malloc(size_t size)
{
	return watching ? cut(ALIGN, size) : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	void *p;

	if (!watching)
		return __libc_calloc(n, size);
	if (size != 0 && n > LARGEST / size)
		return cut(ALIGN, SIZE_MAX);
	p = cut(ALIGN, n * size);
	if (p != NULL)
		memset(p, 0, n * size);
	return p;
}

/* The last block that was cut off grows where it is. */
void *
realloc(void *old, size_t size)
{
	struct head *head;
	size_t from;
	void *p;

	if (old == NULL)
		return malloc(size);
	if (!is_ours(old))
		return __libc_realloc(old, size);
	head = (struct head *)old - 1;
	from = (size_t)((char *)old - pool);
	if (size <= head->size)
		return old;
	if (from + (head->size + ALIGN - 1) / ALIGN * ALIGN == at &&
	    size <= LARGEST && from + size <= ROOM) {
		head->size = size;
		at = from + (size + ALIGN - 1) / ALIGN * ALIGN;
		return old;
	}
	p = malloc(size);
	if (p != NULL)
		memcpy(p, old, head->size);
	return p;
}

void
free(void *p)
{
	if (!is_ours(p))
		__libc_free(p);
}

void *
memalign(size_t align, size_t size)
{
	return watching ? cut(align < ALIGN ? ALIGN : align, size)
			: __libc_memalign(align, size);
}

void *
aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int
posix_memalign(void **out, size_t align, size_t size)
{
	*out = memalign(align, size);
	return *out == NULL ? ENOMEM : 0;
}

void
owned_begin(void)
{
	if (pool == NULL) {
		pool = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (pool == MAP_FAILED)
			abort();
	}
	at = 0;
	watching = true;
}

void
owned_end(bool abandoned)
{
	(void)abandoned;
	watching = false;
	if (at > KEPT)
		madvise(pool + KEPT, at - KEPT, MADV_DONTNEED);
}

void *
owned_never(void *old, size_t size)
{
	bool was = watching;
	void *p;

	watching = false;
	p = __libc_realloc(old, size);
	watching = was;
	if (p == NULL)
		abort();
	return p;
}

#endif
