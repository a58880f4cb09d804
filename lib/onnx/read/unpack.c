/* Unpacks protobuf messages by the descriptors that protoc-c makes. */
#include "onnx/read/unpack.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "onnx/read/wire.h"

enum {
	MOST_FIELDS = 16, /* of one message of onnx.proto */
	FIRST_ROOM = 4    /* elements of a list */
};

/* What is read: each read is within END, whatever the check had seen. */
struct in {
	const uint8_t *at, *end;
	struct sf_arena *arena;
	int depth;
};

/* One field, its value from AT on; the next field is behind it. */
struct item {
	const ProtobufCFieldDescriptor *field; /* NULL: not known */
	const uint8_t *at;
	size_t len;
	uint32_t number;
	int type;
};

/* A message that is unpacked later. */
struct place {
	const uint8_t *at;
	size_t len;
	int depth;
};

static bool unpack(struct in *in, const ProtobufCMessageDescriptor *what,
    const struct item *item, char **out);

static bool
read_long_varint(struct in *in, uint64_t *out)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 70 && in->at < in->end; shift += 7) {
		uint8_t byte = *in->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = value;
			return true;
		}
	}
	return false;
}

/* Most are of one byte. */
static inline bool
read_varint(struct in *in, uint64_t *out)
{
	if (in->at < in->end && *in->at < 0x80) {
		*out = *in->at++;
		return true;
	}
	return read_long_varint(in, out);
}

static const ProtobufCFieldDescriptor *
find_field(const ProtobufCMessageDescriptor *what, uint32_t number)
{
	const ProtobufCIntRange *range = what->field_ranges;

	if (number >= SF_WIRE_OWN_FIELDS)
		return NULL;
	for (unsigned i = 0; i < what->n_field_ranges; i++, range++) {
		uint32_t k = number - (uint32_t)range->start_value;

		if (k < range[1].orig_index - range->orig_index)
			return &what->fields[range->orig_index + k];
	}
	return NULL;
}

static bool
skip_bytes(struct in *in, struct item *item, uint64_t n)
{
	if (n > (size_t)(in->end - in->at))
		return false;
	item->at = in->at;
	item->len = (size_t)n;
	in->at += n;
	return true;
}

static bool
read_value(struct in *in, struct item *item)
{
	uint64_t n;

	item->at = in->at;
	switch (item->type) {
	case 0:
		if (!read_varint(in, &n))
			return false;
		item->len = (size_t)(in->at - item->at);
		return true;
	case 1:
		return skip_bytes(in, item, 8);
	case 2:
		return read_varint(in, &n) && skip_bytes(in, item, n);
	case 5:
		return skip_bytes(in, item, 4);
	default:
		return false;
	}
}

static bool
read_tag(struct in *in, struct item *item)
{
	uint64_t tag;

	if (!read_varint(in, &tag) || tag > UINT32_MAX)
		return false;
	item->number = (uint32_t)(tag >> 3);
	item->type = (int)(tag & 7);
	return true;
}

/* Groups are skipped with all that is in them. */
static bool
skip_group(struct in *in)
{
	struct item item;

	for (int open = 1; open != 0;) {
		if (!read_tag(in, &item))
			return false;
		if (item.type == 3)
			open++;
		else if (item.type == 4)
			open--;
		else if (!read_value(in, &item))
			return false;
	}
	return true;
}

/* Steps over the next field, which is the same as the last one often. */
static bool
next_item(
    struct in *in, const ProtobufCMessageDescriptor *what, struct item *item)
{
	uint32_t last = item->number;

	if (!read_tag(in, item))
		return false;
	if (item->number != last)
		item->field = find_field(what, item->number);
	if (item->type != 3)
		return read_value(in, item);
	item->len = 0;
	return item->field == NULL && skip_group(in);
}

/* ---- numbers ---- */

static size_t
width_of(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_FLOAT:
		return 4;
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_DOUBLE:
		return 8;
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	default:
		return sizeof(void *);
	}
}

static bool
is_number(const ProtobufCFieldDescriptor *field)
{
	return field->type != PROTOBUF_C_TYPE_BYTES &&
	    field->type != PROTOBUF_C_TYPE_MESSAGE;
}

/* Whether the numbers of a field have a fixed number of bytes in the file. */
static bool
is_fixed(const ProtobufCFieldDescriptor *field)
{
	return field->type == PROTOBUF_C_TYPE_FLOAT ||
	    field->type == PROTOBUF_C_TYPE_DOUBLE;
}

/* How many elements an item adds to its field. */
static size_t
count_of(const struct item *item)
{
	size_t n = 0;

	if (item->type != 2 || !is_number(item->field))
		return 1;
	if (is_fixed(item->field))
		return item->len / width_of(item->field);
	for (size_t i = 0; i < item->len; i++)
		n += item->at[i] < 0x80;
	return n;
}

/* One number at OUT. */
static bool
read_number(struct in *in, const ProtobufCFieldDescriptor *field, char *out)
{
	size_t width = width_of(field);
	uint32_t word;
	uint64_t x;

	if (is_fixed(field)) {
		if (width > (size_t)(in->end - in->at))
			return false;
		memcpy(&x, in->at, width == 8 ? 8 : 4);
		memcpy(&word, in->at, sizeof word);
		in->at += width;
		if (width == 8)
			x = le64toh(x);
		word = le32toh(word);
	} else {
		if (!read_varint(in, &x))
			return false;
		word = (uint32_t)x;
	}
	if (width == 8)
		memcpy(out, &x, sizeof x);
	else
		memcpy(out, &word, sizeof word);
	return true;
}

/* ---- fields ---- */

static bool
is_late(const ProtobufCFieldDescriptor *field)
{
	const void *inside = field->descriptor;

	return field->label == PROTOBUF_C_LABEL_REPEATED &&
	    (inside == &onnx__node__descriptor ||
		inside == &onnx__tensor__descriptor ||
		inside == &onnx__value_info__descriptor);
}

static char *
put_place(const struct in *in, const struct item *item)
{
	struct place *place = sf_arena_alloc(in->arena, sizeof *place);

	*place = (struct place){ item->at, item->len, in->depth };
	return (char *)place;
}

static bool
put_value(struct in *in, const struct item *item, char *out)
{
	const ProtobufCFieldDescriptor *field = item->field;
	struct in value = { .at = item->at, .end = item->at + item->len };
	char *message;

	if (is_number(field))
		return read_number(&value, field, out);
	if (item->type != 2)
		return false;
	if (field->type == PROTOBUF_C_TYPE_BYTES) {
		ProtobufCBinaryData bytes = { item->len,
			(uint8_t *)(uintptr_t)item->at };

		memcpy(out, &bytes, sizeof bytes);
		return true;
	}
	if (is_late(field))
		message = put_place(in, item);
	else if (!unpack(in, field->descriptor, item, &message))
		return false;
	memcpy(out, &message, sizeof message);
	return true;
}

/* Makes room for MORE elements behind the N of a list; *ROOM is that it has. */
static char *
need_room(struct in *in, char *list, size_t n, size_t more, size_t width,
    size_t *room)
{
	char *larger;

	if (more <= *room - n)
		return list;
	*room = *room != 0 ? *room * 2 : FIRST_ROOM;
	if (*room - n < more)
		*room = n + more;
	larger = sf_arena_alloc(in->arena, *room * width);
	if (n != 0)
		memcpy(larger, list, n * width);
	return larger;
}

static bool
append(struct in *in, const struct item *item, char *message, size_t *room)
{
	const ProtobufCFieldDescriptor *field = item->field;
	struct in packed = { .at = item->at, .end = item->at + item->len };
	size_t *n = (size_t *)(void *)(message + field->quantifier_offset);
	size_t width = width_of(field);
	char *list;

	memcpy(&list, message + field->offset, sizeof list);
	list = need_room(in, list, *n, count_of(item), width, room);
	memcpy(message + field->offset, &list, sizeof list);
	if (item->type != 2 || !is_number(field))
		return put_value(in, item, list + (*n)++ * width);
	while (packed.at < packed.end)
		if (*n == *room ||
		    !read_number(&packed, field, list + (*n)++ * width))
			return false;
	return true;
}

/* Says that a field is there, or which one of several. */
static void
mark(const ProtobufCFieldDescriptor *field, char *message)
{
	void *at = message + field->quantifier_offset;

	if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
		memcpy(at, &field->id, sizeof field->id);
	else if (field->quantifier_offset != 0)
		*(protobuf_c_boolean *)at = 1;
}

static bool
fill(struct in *in, const ProtobufCMessageDescriptor *what, bool cut,
    char *message)
{
	size_t room[MOST_FIELDS] = { 0 };
	struct item item = { 0 };

	while (in->at < in->end) {
		const ProtobufCFieldDescriptor *field;

		if (!next_item(in, what, &item))
			return false;
		field = item.field;
		if (field == NULL || (cut && sf_wire_is_payload(item.number)))
			continue;
		if (field->label == PROTOBUF_C_LABEL_REPEATED) {
			if (!append(in, &item, message,
				&room[field - what->fields]))
				return false;
			continue;
		}
		mark(field, message);
		if (!put_value(in, &item, message + field->offset))
			return false;
	}
	return true;
}

/* ---- messages ---- */

/* Whether a tensor has so much payload that no element of it is looked at. */
static bool
cut_payload(struct in in, Onnx__Tensor *tensor)
{
	struct item item = { 0 };

	while (in.at < in.end) {
		if (!next_item(&in, &onnx__tensor__descriptor, &item))
			return false;
		if (item.len == 0 || !sf_wire_is_payload(item.number))
			continue;
		tensor->cut_bytes += item.len;
		tensor->cut_field = item.number;
	}
	tensor->has_cut_field = tensor->cut_bytes > SF_WIRE_MAX_PAYLOAD;
	return tensor->has_cut_field;
}

static bool
unpack(struct in *in, const ProtobufCMessageDescriptor *what,
    const struct item *item, char **out)
{
	struct in inner = { .at = item->at,
		.end = item->at + item->len,
		.arena = in->arena,
		.depth = in->depth + 1 };
	bool cut = false;
	char *message;

	assert(what->n_fields <= MOST_FIELDS);
	if (inner.depth > SF_WIRE_MAX_DEPTH)
		return false;
	*out = message = sf_arena_calloc(in->arena, 1, what->sizeof_message);
	if (what == &onnx__tensor__descriptor)
		cut = cut_payload(inner, (Onnx__Tensor *)(void *)message);
	return fill(&inner, what, cut, message);
}

/* A message of the type WHAT. */
static void *
unpack_place(const struct place *place, const ProtobufCMessageDescriptor *what,
    struct sf_arena *arena, struct sf_error *error)
{
	struct in in = { .arena = arena, .depth = place->depth };
	struct item item = { .at = place->at, .len = place->len };
	char *message;

	if (unpack(&in, what, &item, &message))
		return message;
	sf_fail(error, "the file changed while it was read");
	return NULL;
}

Onnx__Model *
sf_onnx_unpack(const void *bytes, size_t len, struct sf_arena *arena,
    struct sf_error *error)
{
	struct place place = { .at = bytes, .len = len };

	return unpack_place(&place, &onnx__model__descriptor, arena, error);
}

const Onnx__Node *
sf_onnx_unpack_node(
    const Onnx__Node *late, struct sf_arena *arena, struct sf_error *error)
{
	return unpack_place(
	    (const void *)late, &onnx__node__descriptor, arena, error);
}

const Onnx__Tensor *
sf_onnx_unpack_tensor(
    const Onnx__Tensor *late, struct sf_arena *arena, struct sf_error *error)
{
	return unpack_place(
	    (const void *)late, &onnx__tensor__descriptor, arena, error);
}

const Onnx__ValueInfo *
sf_onnx_unpack_info(
    const Onnx__ValueInfo *late, struct sf_arena *arena, struct sf_error *error)
{
	return unpack_place(
	    (const void *)late, &onnx__value_info__descriptor, arena, error);
}
