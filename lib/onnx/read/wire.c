/* Checks the protobuf encoding of an ONNX model. */
#include "onnx/read/wire.h"

#include <assert.h>
#include <string.h>

#include "base/crc32.h"
#include "base/num.h"
#include "base/str.h"

/* The wire types of protobuf. */
enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_LENGTH = 2,
	WIRE_GROUP = 3,
	WIRE_GROUP_END = 4,
	WIRE_FIXED32 = 5,
};

enum message {
	M_NONE,
#define WIRE_MESSAGE(id, name) M_##id,
#define WIRE_FIELD(message, number, name, kind, inside)
#include "onnx/read/wire.def"
#undef WIRE_MESSAGE
#undef WIRE_FIELD
	M_COUNT
};

enum kind {
	K_UNKNOWN,
	K_INT,
	K_FLOAT,
	K_INTS,
	K_FLOATS,
	K_NAME,
	K_NAMES,
	K_BYTES,
	K_MESSAGE,
	K_MESSAGES,
	K_DATA,
	K_VARINTS,
	K_FIXED32S,
	K_FIXED64S,
};

struct field {
	const char *name;
	enum kind kind;
	enum message inside;
};

enum {
	MAX_FIELD = 25
};

static const char *const message_names[M_COUNT] = {
#define WIRE_MESSAGE(id, name) [M_##id] = (name),
#define WIRE_FIELD(message, number, name, kind, inside)
#include "onnx/read/wire.def"
#undef WIRE_MESSAGE
#undef WIRE_FIELD
};

static const struct field fields[M_COUNT][MAX_FIELD + 1] = {
#define WIRE_MESSAGE(id, name)
#define WIRE_FIELD(message, number, name, kind, inside) \
	[M_##message][number] = { name, K_##kind, M_##inside },
#include "onnx/read/wire.def"
#undef WIRE_MESSAGE
#undef WIRE_FIELD
};

/* A message that is being read, or a group that is skipped. */
struct frame {
	enum message message; /* M_NONE: a group */
	uint32_t group;       /* the number of its field */
	size_t end;           /* one behind its last byte */
	size_t begin;         /* where it began, for messages */
	uint32_t seen;        /* a bit for each field that came */
	/* Of a tensor: bytes of payload, and their field. */
	uint64_t payload_bytes;
	uint32_t payload_field;
};

struct walk {
	const uint8_t *bytes;
	size_t at;
	uint64_t kept;
	uint32_t crc;
	size_t crc_from; /* bytes before it are in the CRC, or left out */
	struct frame frames[SF_WIRE_MAX_DEPTH];
	int depth;
	struct sf_error *error;
};

/* One field as it stands in the file. */
struct item {
	size_t start; /* of its tag */
	size_t value; /* behind its tag and length */
	size_t len;   /* of the value */
	uint32_t number;
	enum wire_type type;
};

/* A number of at most MAX bytes; *WHAT names it in messages. */
static bool
read_long_varint(
    struct walk *w, size_t end, int max, const char *what, uint64_t *out)
{
	size_t start = w->at;
	uint64_t value = 0;

	for (int i = 0; i < max; i++) {
		uint8_t byte;

		if (w->at == end)
			return sf_fail(w->error,
			    "byte %zu: the %s is cut short at byte %zu", start,
			    what, end);
		byte = w->bytes[w->at++];
		if (i == 9 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << 7 * i;
		if ((byte & 0x80) == 0) {
			*out = value;
			return true;
		}
	}
	return sf_fail(w->error,
	    "byte %zu: the %s is longer than %d bytes or 64 bits", start, what,
	    max);
}

/* Most are of one byte. */
static inline bool
read_varint(
    struct walk *w, size_t end, int max, const char *what, uint64_t *out)
{
	if (w->at < end && w->bytes[w->at] < 0x80) {
		*out = w->bytes[w->at++];
		return true;
	}
	return read_long_varint(w, end, max, what, out);
}

static bool
read_tag(struct walk *w, size_t end, struct item *item)
{
	uint64_t tag;

	item->start = w->at;
	if (!read_varint(w, end, 5, "tag", &tag))
		return false;
	if (tag > UINT32_MAX || tag >> 3 == 0)
		return sf_fail(w->error,
		    "byte %zu: found field number %llu, expected one from 1 to "
		    "536870911",
		    item->start, (unsigned long long)(tag >> 3));
	item->number = (uint32_t)(tag >> 3);
	item->type = (enum wire_type)(tag & 7);
	return true;
}

/* Finds where the value begins and how long it is; steps over it. */
static bool
read_value(struct walk *w, size_t end, struct item *item)
{
	uint64_t n = 0;

	item->value = w->at;
	switch (item->type) {
	case WIRE_VARINT:
		if (!read_varint(w, end, 10, "number", &n))
			return false;
		item->len = w->at - item->value;
		return true;
	case WIRE_FIXED32:
		n = 4;
		break;
	case WIRE_FIXED64:
		n = 8;
		break;
	case WIRE_LENGTH:
		if (!read_varint(w, end, 10, "length", &n))
			return false;
		item->value = w->at;
		break;
	default:
		return sf_fail(w->error,
		    "byte %zu: found wire type %d of field %u, expected 0, 1, "
		    "2 or 5",
		    item->start, (int)item->type, (unsigned)item->number);
	}
	if (n > end - w->at)
		return sf_fail(w->error,
		    "byte %zu: field %u claims %llu bytes, but %zu are left",
		    item->start, (unsigned)item->number, (unsigned long long)n,
		    end - w->at);
	item->len = (size_t)n;
	w->at += item->len;
	return true;
}

static bool
push(struct walk *w, const struct frame *frame)
{
	if (w->depth == SF_WIRE_MAX_DEPTH)
		return sf_fail(w->error,
		    "byte %zu: messages are nested deeper than %d",
		    frame->begin, SF_WIRE_MAX_DEPTH);
	w->frames[w->depth++] = *frame;
	return true;
}

static const char *
message_name(const struct frame *frame)
{
	return message_names[frame->message];
}

/* What the file has of a field counts as it stands. */
static void
keep_item(struct walk *w, const struct item *item)
{
	w->kept += w->at - item->start;
}

/* The CRC takes in what came before FROM and goes on at TO. */
static void
skip_crc(struct walk *w, size_t from, size_t to)
{
	w->crc = sf_crc32(w->crc, w->bytes + w->crc_from, from - w->crc_from);
	w->crc_from = to;
}

static bool
open_message(struct walk *w, const struct field *field, const struct item *item)
{
	struct frame inner = { .message = field->inside,
		.begin = item->start,
		.end = item->value + item->len };

	w->at = item->value;
	w->kept += item->value - item->start;
	return push(w, &inner);
}

static bool
close_message(struct walk *w)
{
	const struct frame *frame = &w->frames[w->depth - 1];

	if (w->kept > INT32_MAX)
		return sf_fail(w->error,
		    "byte %zu: the model has 2 GiB without its weights, "
		    "expected less",
		    frame->begin);
	w->depth--;
	return true;
}

static bool
check_name(struct walk *w, const struct field *field, const struct item *item)
{
	const char *text = (const char *)w->bytes + item->value;

	if (!sf_utf8_valid(text, item->len) ||
	    memchr(text, '\0', item->len) != NULL)
		return sf_fail(w->error,
		    "byte %zu: %s.%s is no name: expected UTF-8 without NUL",
		    item->start, message_name(&w->frames[w->depth - 1]),
		    field->name);
	return true;
}

/* A packed field is a run of whole numbers. */
static bool
check_packed(struct walk *w, const struct field *field, const struct item *item)
{
	size_t end = w->at, width = 0;
	uint64_t ignored;

	if (field->kind == K_FLOATS || field->kind == K_FIXED32S)
		width = 4;
	else if (field->kind == K_FIXED64S)
		width = 8;
	if (width != 0 && item->len % width != 0)
		return sf_fail(w->error,
		    "byte %zu: %s.%s has %zu bytes, expected a multiple of %zu",
		    item->start, message_name(&w->frames[w->depth - 1]),
		    field->name, item->len, width);
	if (width != 0)
		return true;
	for (w->at = item->value; w->at < end;)
		if (!read_varint(w, end, 10, "packed number", &ignored))
			return false;
	return true;
}

/* Checks a piece of a tensor's payload as long as there is little of it. */
static bool
take_payload(struct walk *w, const struct field *field, const struct item *item)
{
	struct frame *frame = &w->frames[w->depth - 1];
	bool packed = item->type == WIRE_LENGTH && field->kind != K_DATA;

	if (frame->payload_field != 0 && item->len != 0 &&
	    frame->payload_field != item->number)
		return sf_fail(w->error,
		    "byte %zu: a tensor has its data both as %s and as %s",
		    item->start, fields[M_TENSOR][frame->payload_field].name,
		    field->name);
	if (item->len != 0)
		frame->payload_field = item->number;
	frame->payload_bytes += item->len;
	if (item->len > SF_WIRE_MAX_PAYLOAD)
		skip_crc(w, item->value, w->at);
	if (frame->payload_bytes > SF_WIRE_MAX_PAYLOAD)
		return true;
	if (packed && !check_packed(w, field, item))
		return false;
	keep_item(w, item);
	return true;
}

/* The wire type of one element of a kind, and whether they may be packed. */
static enum wire_type
type_of(enum kind kind, bool *packs)
{
	*packs = false;
	switch (kind) {
	case K_INT:
		return WIRE_VARINT;
	case K_FLOAT:
		return WIRE_FIXED32;
	case K_INTS:
	case K_VARINTS:
		*packs = true;
		return WIRE_VARINT;
	case K_FLOATS:
	case K_FIXED32S:
		*packs = true;
		return WIRE_FIXED32;
	case K_FIXED64S:
		*packs = true;
		return WIRE_FIXED64;
	default:
		return WIRE_LENGTH;
	}
}

static bool
check_type(struct walk *w, const struct field *field, const struct item *item)
{
	bool packs;
	enum wire_type type = type_of(field->kind, &packs);

	if (item->type == type || (packs && item->type == WIRE_LENGTH))
		return true;
	return sf_fail(w->error,
	    "byte %zu: found wire type %d of %s.%s, expected %d%s", item->start,
	    (int)item->type, message_name(&w->frames[w->depth - 1]),
	    field->name, (int)type, packs ? " or 2" : "");
}

/*
 * Protobuf merges a message that comes twice and takes the last of two scalars;
 * no exporter writes either, and merging takes quadratic time. A name twice
 * would leave it open which one is meant.
 */
static bool
check_once(struct walk *w, const struct field *field, const struct item *item)
{
	struct frame *frame = &w->frames[w->depth - 1];
	uint32_t bit = UINT32_C(1) << item->number;

	switch (field->kind) {
	case K_INT:
	case K_FLOAT:
	case K_NAME:
	case K_MESSAGE:
	case K_DATA:
		break;
	default:
		return true;
	}
	if (frame->seen & bit)
		return sf_fail(w->error,
		    "byte %zu: %s.%s comes twice in the message at byte %zu",
		    item->start, message_name(frame), field->name,
		    frame->begin);
	frame->seen |= bit;
	return true;
}

static bool
take_field(struct walk *w, const struct field *field, const struct item *item)
{
	if (!check_type(w, field, item) || !check_once(w, field, item))
		return false;
	switch (field->kind) {
	case K_MESSAGE:
	case K_MESSAGES:
		return open_message(w, field, item);
	case K_NAME:
	case K_NAMES:
		if (!check_name(w, field, item))
			return false;
		break;
	case K_INTS:
	case K_FLOATS:
		if (item->type == WIRE_LENGTH && !check_packed(w, field, item))
			return false;
		break;
	case K_DATA:
	case K_VARINTS:
	case K_FIXED32S:
	case K_FIXED64S:
		return take_payload(w, field, item);
	default:
		break;
	}
	keep_item(w, item);
	return true;
}

static bool
close_group(struct walk *w, const struct item *item)
{
	const struct frame *frame = &w->frames[w->depth - 1];

	if (frame->message != M_NONE || frame->group != item->number)
		return sf_fail(w->error,
		    "byte %zu: a group of field %u ends that did not begin",
		    item->start, (unsigned)item->number);
	w->depth--;
	return true;
}

static const struct field *
find_field(const struct frame *frame, uint32_t number)
{
	/* Nothing is known of what is in a group. */
	return &fields[frame->message][number <= MAX_FIELD ? number : 0];
}

/* One field of the innermost message or group. */
static bool
step(struct walk *w)
{
	struct frame *frame = &w->frames[w->depth - 1];
	const struct field *field;
	struct item item = { 0 };

	if (!read_tag(w, frame->end, &item))
		return false;
	if (item.type == WIRE_GROUP_END)
		return close_group(w, &item);
	field = find_field(frame, item.number);
	if (item.type == WIRE_GROUP && field->kind == K_UNKNOWN)
		return push(w,
		    &(struct frame){ .group = item.number,
			.begin = item.start,
			.end = frame->end });
	if (!read_value(w, frame->end, &item))
		return false;
	return field->kind == K_UNKNOWN || take_field(w, field, &item);
}

bool
sf_wire_is_payload(uint32_t number)
{
	switch (
	    find_field(&(struct frame){ .message = M_TENSOR }, number)->kind) {
	case K_DATA:
	case K_VARINTS:
	case K_FIXED32S:
	case K_FIXED64S:
		return true;
	default:
		return false;
	}
}

bool
sf_wire_check(const void *bytes, size_t len, uint64_t *kept, uint32_t *crc,
    struct sf_error *error)
{
	struct walk w = { .bytes = bytes, .error = error };

	w.frames[w.depth++] = (struct frame){ .message = M_MODEL, .end = len };
	while (w.depth != 0) {
		const struct frame *frame = &w.frames[w.depth - 1];

		if (w.at < frame->end) {
			if (!step(&w))
				return false;
		} else if (frame->message == M_NONE) {
			return sf_fail(error,
			    "byte %zu: a group of field %u is not ended",
			    frame->begin, (unsigned)frame->group);
		} else if (!close_message(&w)) {
			return false;
		}
	}
	assert(w.at == len);
	skip_crc(&w, len, len);
	*kept = w.kept;
	*crc = w.crc;
	return true;
}
