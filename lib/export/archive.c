/* Zip archives, through libzip. */
#include "export/archive.h"

#include <unistd.h>
#include <zip.h>

#include "base/arena.h"
#include "base/table.h"
#include "export/part.h"

struct sf_archive {
	zip_t *zip;
	size_t len; /* of the whole file */
	int64_t n;
	struct sf_str *names;
	size_t prefix; /* bytes of the directory that all members are in */
	struct sf_table index;
};

enum {
	/* A text that is larger must not be much larger than its packed form.
	 * The JSON of graphs packs to a thirtieth or less of itself, a text
	 * made to fill memory to a thousandth. */
	FREE_BYTES = 64 << 20,
	MOST_RATIO = 150,
};

bool
sf_archive_is(const void *bytes, size_t len)
{
	return len >= 4 && memcmp(bytes, "PK", 2) == 0;
}

/*
 * Of a failure: memory that is missing is no damage. The library fails without a
 * word, too, when it has none.
 */
static void
check_memory(const zip_error_t *why)
{
	int code = zip_error_code_zip(why);

	if (code == ZIP_ER_MEMORY || code == ZIP_ER_OK)
		sf_out_of_memory();
}

/*
 * libzip makes times of the members' dates by mktime(), which reads the file
 * that the machine's time zone is in; with a zone that is spelt out it does
 * not. So that is all of the environment which it is opened in.
 */
static zip_t *
open_in_zone(zip_source_t *source, zip_error_t *why)
{
	char zone[] = "TZ=UTC0";
	char *spelt_out[] = { zone, NULL }, **was = environ;
	zip_t *zip;

	environ = spelt_out;
	zip = zip_open_from_source(source, ZIP_RDONLY, why);
	environ = was;
	return zip;
}

static zip_t *
try_zip(const void *bytes, size_t len, zip_error_t *why)
{
	zip_source_t *source = zip_source_buffer_create(bytes, len, 0, why);
	zip_t *zip = NULL;

	if (source != NULL)
		zip = open_in_zone(source, why);
	if (zip == NULL) {
		check_memory(why);
		zip_source_free(source);
	}
	return zip;
}

static zip_t *
open_zip(const void *bytes, size_t len, struct sf_error *error)
{
	zip_error_t why;
	zip_t *zip;

	zip_error_init(&why);
	zip = try_zip(bytes, len, &why);
	/* A directory that found no memory is no archive to the library, too. */
	if (zip == NULL && zip_error_code_zip(&why) == ZIP_ER_NOZIP)
		zip = try_zip(bytes, len, &why);
	if (zip == NULL)
		sf_fail(error, "the zip archive cannot be read: %s",
		    zip_error_strerror(&why));
	zip_error_fini(&why);
	return zip;
}

/* The length of "DIR/" when every name begins with it. */
static size_t
common_directory(const struct sf_archive *a)
{
	const char *slash;
	size_t n;

	if (a->n == 0)
		return 0;
	slash = sf_str_chr(a->names[0], '/');
	if (slash == NULL)
		return 0;
	n = (size_t)(slash - a->names[0].p) + 1;
	for (int64_t i = 1; i < a->n; i++)
		if (a->names[i].n < n ||
		    memcmp(a->names[i].p, a->names[0].p, n) != 0)
			return 0;
	return n;
}

static void
list_names(struct sf_archive *a, struct sf_arena *arena)
{
	a->names = sf_arena_calloc(arena, (size_t)a->n + 1, sizeof *a->names);
	for (int64_t i = 0; i < a->n; i++) {
		const char *name =
		    zip_get_name(a->zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);

		a->names[i] =
		    sf_str_of(name != NULL ? sf_arena_strdup(arena, name) : "");
	}
	a->prefix = common_directory(a);
	sf_table_init(&a->index, arena);
	for (int64_t i = 0; i < a->n; i++) {
		struct sf_entry *e =
		    sf_table_add(&a->index, sf_archive_name(a, i));

		if (e->num == 0)
			e->num = i + 1;
	}
}

struct sf_archive *
sf_archive_open(const void *bytes, size_t len, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sf_archive *a;
	zip_t *zip = open_zip(bytes, len, error);

	if (zip == NULL)
		return NULL;
	a = sf_arena_calloc(arena, 1, sizeof *a);
	a->zip = zip;
	a->len = len;
	a->n = zip_get_num_entries(zip, 0);
	list_names(a, arena);
	return a;
}

void
sf_archive_close(struct sf_archive *a)
{
	zip_discard(a->zip);
	sf_table_release(&a->index);
}

int64_t
sf_archive_count(const struct sf_archive *a)
{
	return a->n;
}

struct sf_str
sf_archive_name(const struct sf_archive *a, int64_t i)
{
	return (struct sf_str){ a->names[i].p + a->prefix,
		a->names[i].n - a->prefix };
}

int64_t
sf_archive_find(const struct sf_archive *a, struct sf_str name)
{
	const struct sf_entry *e = sf_table_find(&a->index, name);

	return e != NULL ? e->num - 1 : -1;
}

static bool
stat_of(const struct sf_archive *a, int64_t i, zip_stat_t *st)
{
	const zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
	    ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC;

	return zip_stat_index(a->zip, (zip_uint64_t)i, 0, st) == 0 &&
	    (st->valid & wanted) == wanted && st->size <= INT64_MAX;
}

int64_t
sf_archive_size(const struct sf_archive *a, int64_t i)
{
	zip_stat_t st;

	return stat_of(a, i, &st) ? (int64_t)st.size : 0;
}

/* Whether what is stated of the member can be, before memory is taken. */
static bool
check(const struct sf_archive *a, const zip_stat_t *st, struct sf_error *error)
{
	if (st->comp_method != ZIP_CM_STORE &&
	    st->comp_method != ZIP_CM_DEFLATE)
		return sf_fail(error,
		    "it is packed by method %u, expected 0 (stored) or 8 "
		    "(deflate)",
		    st->comp_method);
	if (st->comp_size > a->len ||
	    (st->comp_method == ZIP_CM_STORE && st->size != st->comp_size))
		return sf_fail(error,
		    "it is said to have %llu bytes in %llu, which the archive "
		    "of %zu cannot hold",
		    (unsigned long long)st->size,
		    (unsigned long long)st->comp_size, a->len);
	if (st->size > FREE_BYTES && st->size / MOST_RATIO > st->comp_size)
		return sf_fail(error,
		    "it has %llu bytes packed into %llu, expected at most %d "
		    "times as many",
		    (unsigned long long)st->size,
		    (unsigned long long)st->comp_size, MOST_RATIO);
	return true;
}

/* A writer may leave the checksum out, and it is 0 then. */
static bool
read_file(
    zip_file_t *file, const zip_stat_t *st, char *into, struct sf_error *error)
{
	zip_uint64_t done = 0;
	zip_int64_t n = 1;
	char more;

	while (done < st->size && n > 0) {
		n = zip_fread(file, into + done, st->size - done);
		done += n > 0 ? (zip_uint64_t)n : 0;
	}
	if (done == st->size)
		n = zip_fread(file, &more, 1);
	if (n == 0 && done == st->size)
		return true;
	if (n < 0)
		check_memory(zip_file_get_error(file));
	if (n < 0 && done == st->size && st->crc == 0 &&
	    zip_error_code_zip(zip_file_get_error(file)) == ZIP_ER_CRC)
		return true;
	if (n < 0 &&
	    zip_error_code_zip(zip_file_get_error(file)) == ZIP_ER_MEMORY)
		sf_out_of_memory();
	return sf_fail(error, "it cannot be read: %s",
	    n < 0 ? zip_file_strerror(file) : "it is not as long as stated");
}

bool
sf_archive_read(struct sf_archive *a, int64_t i, struct sf_arena *arena,
    struct sf_str *text, struct sf_error *error)
{
	zip_stat_t st;
	zip_file_t *file;
	char *into;
	bool good;

	if (!stat_of(a, i, &st))
		return sf_fail(error, "its entry is damaged");
	if (!check(a, &st, error))
		return false;
	file = zip_fopen_index(a->zip, (zip_uint64_t)i, 0);
	if (file == NULL) {
		check_memory(zip_get_error(a->zip));
		return sf_fail(
		    error, "it cannot be read: %s", zip_strerror(a->zip));
	}
	into = sf_part_room(arena, st.size);
	good = read_file(file, &st, into, error);
	zip_fclose(file);
	*text = (struct sf_str){ into, st.size };
	return good;
}
