/*
 * The members of a record, read by a table: one row a member says its name,
 * its type and range, whether it must be there, and where in a struct its value
 * goes. All records are read this way, so all are refused for the same reasons
 * and in the same words: PLACE: 'MEMBER' is FOUND, expected EXPECTED; or is
 * missing; or is there twice. What no row names is checked to be JSON and
 * stepped over.
 *
 *	static const struct sf_member rows[] = {
 *		SF_MEMBER_INT("ops", struct end, ops, SF_ALWAYS, 0, INT64_MAX),
 *		SF_MEMBER_STR("by", struct end, by, SF_OPTIONAL),
 *	};
 *	static const struct sf_members members = SF_MEMBERS("end", rows);
 *
 *	struct end end = { 0 };
 *	sf_record_read(stream, &members, NULL, &end);
 *
 * Members may come in any order; the order of the rows is the fastest.
 */
#ifndef SF_STREAM_MEMBER_H
#define SF_STREAM_MEMBER_H

#include <float.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decl.h"
#include "base/error.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

struct sf_reading;

enum sf_member_type {
	SF_M_STR,    /* struct sf_str: a string, one of WORDS if there are */
	SF_M_INT,    /* int64_t from LEAST to MOST */
	SF_M_DOUBLE, /* double from LOW to HIGH, without LOW when ABOVE */
	SF_M_BOOL,   /* bool */
	SF_M_TRUE,   /* bool: is written when it is true, and not else */
	SF_M_WORD,   /* an enum, or an int: the index in WORDS */
	SF_M_JSON, /* struct sf_str: the text of a value that begins as OPEN */
	SF_M_OBJECT, /* a struct, by MEMBERS */
	SF_M_ARRAY,  /* elements as the row ELEMENT says */
	SF_M_CALL,   /* READ reads it */
};

/* Whether a member must be there. A larger number is a group: all or none. */
enum {
	SF_OPTIONAL,
	SF_ALWAYS,
	SF_GROUP
};

struct sf_member {
	struct sf_str name; /* ends with NUL */
	uint32_t offset;    /* of the field in the struct */
	uint8_t type;       /* enum sf_member_type */
	uint8_t need;
	bool or_null; /* null stands for a value, too; the field is left */
	bool filled;  /* a string: not empty */
	/* Of an integer; of an array the number of its elements. */
	int64_t least, most;
	double low, high;
	bool above;    /* LOW itself is too low */
	bool in_place; /* an array: of MOST elements in the struct itself */
	char open;     /* '{', '[', or 0 for any */
	const char *const *words; /* ended by NULL */
	const struct sf_members *members;
	const struct sf_member *element;
	size_t size;         /* of an element */
	size_t count_offset; /* of an int, the number of elements */
	/*
	 * Reads the value at READING's scan into the struct INTO. What is wrong
	 * with it is said by sf_member_refuse or sf_reading_fail.
	 */
	void (*read)(struct sf_reading *reading, const struct sf_member *member,
	    void *into);
	const char *expected; /* of SF_M_CALL: "an array of tensors" */
};

/* At most 64 rows: what was seen is a set of bits in their order. */
struct sf_members {
	const char *what; /* the record: "trace", "op" */
	const struct sf_member *rows;
	int n;
};

/*
 * What a double may be besides 0, whatever its row says: reports multiply and
 * divide a few of them, and no result may be infinite.
 */
#define SF_MEMBER_LEAST   1e-100
#define SF_MEMBER_LARGEST 1e100

/* The place of a field, which must be of that type. */
#define SF_MEMBER_AT(owner, field, type) \
	(offsetof(owner, field) +        \
	    0 * sizeof((type *)NULL == &((owner *)NULL)->field))

#define SF_MEMBER_OF(spelling, sort, must) \
	.name = SF_STR_INIT(spelling), .type = SF_M_##sort, .need = (must)

/* clang-format off */
#define SF_MEMBER_STR(spelling, owner, field, must) \
	{ SF_MEMBER_OF(spelling, STR, must), \
	    .offset = SF_MEMBER_AT(owner, field, struct sf_str) }
/* A string that is not empty. */
#define SF_MEMBER_TEXT(spelling, owner, field, must) \
	{ SF_MEMBER_OF(spelling, STR, must), .filled = true, \
	    .offset = SF_MEMBER_AT(owner, field, struct sf_str) }
/* One of a list of words, as text. */
#define SF_MEMBER_SAID(spelling, owner, field, must, list) \
	{ SF_MEMBER_OF(spelling, STR, must), .words = (list), \
	    .offset = SF_MEMBER_AT(owner, field, struct sf_str) }
#define SF_MEMBER_INT(spelling, owner, field, must, from, to) \
	{ SF_MEMBER_OF(spelling, INT, must), .least = (from), .most = (to), \
	    .offset = SF_MEMBER_AT(owner, field, int64_t) }
#define SF_MEMBER_COUNT(spelling, owner, field, must) \
	SF_MEMBER_INT(spelling, owner, field, must, 0, INT64_MAX)
#define SF_MEMBER_DOUBLE(spelling, owner, field, must, from, to) \
	{ SF_MEMBER_OF(spelling, DOUBLE, must), .low = (from), .high = (to), \
	    .offset = SF_MEMBER_AT(owner, field, double) }
/* A number above 0. */
#define SF_MEMBER_RATE(spelling, owner, field, must) \
	{ SF_MEMBER_OF(spelling, DOUBLE, must), .high = DBL_MAX, \
	    .above = true, .offset = SF_MEMBER_AT(owner, field, double) }
#define SF_MEMBER_BOOL(spelling, owner, field, must) \
	{ SF_MEMBER_OF(spelling, BOOL, must), \
	    .offset = SF_MEMBER_AT(owner, field, bool) }
#define SF_MEMBER_TRUE(spelling, owner, field, must) \
	{ SF_MEMBER_OF(spelling, TRUE, must), \
	    .offset = SF_MEMBER_AT(owner, field, bool) }
/* FIELD is of an enum without negative values. */
#define SF_MEMBER_WORD(spelling, owner, field, must, list) \
	{ SF_MEMBER_OF(spelling, WORD, must), .words = (list), \
	    .offset = SF_MEMBER_AT(owner, field, unsigned) }
#define SF_MEMBER_JSON(spelling, owner, field, must, first) \
	{ SF_MEMBER_OF(spelling, JSON, must), .open = (first), \
	    .offset = SF_MEMBER_AT(owner, field, struct sf_str) }
#define SF_MEMBER_OBJECT(spelling, owner, field, must, table) \
	{ SF_MEMBER_OF(spelling, OBJECT, must), .members = (table), \
	    .offset = offsetof(owner, field) }
/*
 * FIELD points to the elements, which are put into the record's arena or into
 * that of the reading; N is an int.
 */
#define SF_MEMBER_ARRAY(spelling, owner, field, n, must, row, from, to) \
	{ SF_MEMBER_OF(spelling, ARRAY, must), .element = (row), \
	    .least = (from), .most = (to), \
	    .offset = offsetof(owner, field), \
	    .size = sizeof *((owner *)NULL)->field, \
	    .count_offset = SF_MEMBER_AT(owner, n, int) }
/* FIELD is an array of that many elements itself. */
#define SF_MEMBER_ARRAY_IN(spelling, owner, field, n, must, row, from) \
	{ SF_MEMBER_OF(spelling, ARRAY, must), .element = (row), \
	    .in_place = true, .least = (from), \
	    .most = sizeof ((owner *)NULL)->field / \
		sizeof *((owner *)NULL)->field, \
	    .offset = offsetof(owner, field), \
	    .size = sizeof *((owner *)NULL)->field, \
	    .count_offset = SF_MEMBER_AT(owner, n, int) }
/* An object whose members are fields of the same struct. */
#define SF_MEMBER_PART(spelling, must, table) \
	{ SF_MEMBER_OF(spelling, OBJECT, must), .members = (table) }
#define SF_MEMBER_CALL(spelling, must, function, text) \
	{ SF_MEMBER_OF(spelling, CALL, must), .read = (function), \
	    .expected = (text) }

/* Rows for elements, which have no name and no field. */
#define SF_ELEMENT_STR { .type = SF_M_STR }
#define SF_ELEMENT_TEXT { .type = SF_M_STR, .filled = true }
#define SF_ELEMENT_INT(from, to) \
	{ .type = SF_M_INT, .least = (from), .most = (to) }
#define SF_ELEMENT_DOUBLE(from, to) \
	{ .type = SF_M_DOUBLE, .low = (from), .high = (to) }
#define SF_ELEMENT_OBJECT(table) { .type = SF_M_OBJECT, .members = (table) }

#define SF_MEMBERS(what, rows) { what, rows, sizeof(rows) / sizeof *(rows) }
/* clang-format on */

/* Where in a record a reading is: "op 17 'aten.mm': inputs[1]". */
struct sf_place {
	const struct sf_place *up;
	const char *what;          /* NULL: an element of what is UP */
	int64_t index;             /* -1: none */
	const struct sf_str *name; /* NULL or empty: none */
};

struct sf_reading {
	struct sf_json scan;
	struct sf_stream *stream; /* an error ends the program, with its line */
	struct sf_error *error;   /* or, without a stream, is put here */
	struct sf_arena *keep;    /* takes copies of strings; NULL: they are
				     slices of the record */
	const struct sf_place *place;
	bool others; /* a member was there that no row names */
	bool failed; /* ERROR is filled, and the scan has stopped */
};

/*
 * Reads the current record by MEMBERS into the struct INTO, whose fields keep
 * their values where an optional member is not there. Returns which members
 * are, one bit a row. With KEEP strings and arrays live there, and strings end
 * with NUL; else they live as long as the record.
 */
uint64_t sf_record_read(struct sf_stream *stream,
    const struct sf_members *members, struct sf_arena *keep, void *into);

/*
 * The same for an object that was kept as text, such as the `cost` of an op;
 * UP is the place of what it is a member of.
 */
uint64_t sf_object_read(struct sf_stream *stream, struct sf_str json,
    const struct sf_place *up, const struct sf_members *members,
    struct sf_arena *keep, void *into);

/* A reading of the current record, which stands behind its kind... */
struct sf_reading
sf_reading_of(struct sf_stream *stream, const struct sf_place *place);

/* ...and goes on to the end of the line. */
uint64_t sf_reading_whole(
    struct sf_reading *reading, const struct sf_members *members, void *into);

/*
 * Reads the members that are left of the object that the reading is in. SEEN
 * says which were read before.
 */
uint64_t sf_members_read(struct sf_reading *reading,
    const struct sf_members *members, void *into, uint64_t seen);

/* Reads the value that is next by its row; refuses one that does not fit. */
void sf_member_read(
    struct sf_reading *reading, const struct sf_member *member, void *into);

/*
 * Refuses the value at VALUE, where the text of MEMBER's begins: PLACE:
 * 'MEMBER' is FOUND, expected EXPECTED; EXPECTED is the row's when NULL.
 */
void sf_member_refuse(struct sf_reading *reading,
    const struct sf_member *member, const char *value, const char *expected);

/* Refuses a member that was there already. */
void sf_member_refuse_twice(struct sf_reading *reading, struct sf_str name);

/* Refuses a record without MEMBER, which must be there beside WITH, if any. */
void sf_member_refuse_missing(struct sf_reading *reading,
    const struct sf_member *member, const struct sf_member *with);

/* Refuses what is read for another reason: PLACE and the text. */
void sf_reading_fail(struct sf_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the program because of what was found at PLACE of the record. */
SF_NORETURN void
sf_place_die(struct sf_stream *stream, const struct sf_place *place,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

SF_NORETURN void
sf_place_vdie(struct sf_stream *stream, const struct sf_place *place,
    const char *format, va_list ap) __attribute__((format(printf, 3, 0)));

/* The row of that name, looked for from ROW on; -1 when there is none. */
int
sf_members_row(const struct sf_members *members, struct sf_str name, int row);

/* The bit of the row of that name; a table without it is a bug. */
uint64_t sf_member_bit(const struct sf_members *members, const char *name);

SF_PUBLIC_END

#endif
