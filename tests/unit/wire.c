/*
 * The pre-pass over ONNX files: what is kept, what is left out, and that no
 * byte of any input is out of bounds (run it with the sanitizers).
 */
#include "onnx/read/wire.h"

#include <string.h>

#include "base/arena.h"
#include "base/crc32.h"
#include "check.h"
#include "onnx/read/model.h"

/* An encoder of our own: numbers, and fields with a length. */
static void
put_number(struct sf_buf *buf, uint64_t x)
{
	do
		sf_buf_putc(buf, (char)((x & 127) | (x > 127 ? 128 : 0)));
	while ((x >>= 7) != 0);
}

static void
put_field(struct sf_buf *buf, unsigned field, const void *bytes, size_t n)
{
	put_number(buf, field << 3 | 2);
	put_number(buf, n);
	sf_buf_put(buf, bytes, n);
}

static void
put_inside(struct sf_buf *buf, unsigned field, struct sf_buf *inner)
{
	put_field(buf, field, inner->p, inner->n);
	inner->n = 0;
}

/* A model with one initializer of N floats as raw data. */
static void
make_model(struct sf_buf *out, size_t n)
{
	struct sf_buf tensor = { 0 }, graph = { 0 };
	char *data = sf_malloc(n * 4);

	memset(data, 7, n * 4);
	put_number(&tensor, 1 << 3);
	put_number(&tensor, n);
	put_number(&tensor, 2 << 3);
	put_number(&tensor, 1);
	put_field(&tensor, 8, "w", 1);
	put_field(&tensor, 9, data, n * 4);
	put_inside(&graph, 5, &tensor);
	out->n = 0;
	put_inside(out, 7, &graph);
	sf_buf_release(&tensor);
	sf_buf_release(&graph);
	free(data);
}

/* At the limit a payload is kept, above it is not, and its CRC is not. */
static void
check_limit(void)
{
	struct sf_buf file = { 0 };
	struct sf_error error;
	uint64_t kept;
	uint32_t crc;

	make_model(&file, SF_WIRE_MAX_PAYLOAD / 4);
	CHECK(sf_wire_check(file.p, file.n, &kept, &crc, &error));
	CHECK(kept == file.n);
	CHECK(crc == sf_crc32(0, file.p, file.n));

	make_model(&file, SF_WIRE_MAX_PAYLOAD / 4 + 1);
	CHECK(sf_wire_check(file.p, file.n, &kept, &crc, &error));
	CHECK(kept < 64);
	/* The payload is the end of the file. */
	CHECK(crc == sf_crc32(0, file.p, file.n - SF_WIRE_MAX_PAYLOAD - 4));
	sf_buf_release(&file);
}

/* Whether its contents are kept or not, the tensor has its shape. */
static void
check_tensor(void)
{
	static const size_t sizes[] = { 1, 4096, 4097, 8192, 8193 };
	struct sf_buf file = { 0 };
	struct sf_error error;

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct sf_arena *arena = sf_arena_new();
		const struct sf_onnx_model *model;

		make_model(&file, sizes[i]);
		model = sf_onnx_parse(file.p, file.n, arena, &error);
		CHECK(model != NULL && model->graph.ninits == 1);
		CHECK(model->graph.inits[0].numel == (int64_t)sizes[i]);
		CHECK((model->graph.inits[0].floats.at != NULL) ==
		    (sizes[i] <= 4096));
		sf_arena_free(arena);
	}
	sf_buf_release(&file);
}

/* Numbers one by one, without packing, are cut as well. */
static void
check_unpacked(void)
{
	struct sf_buf file = { 0 }, tensor = { 0 }, graph = { 0 };
	struct sf_error error;
	uint64_t kept;
	uint32_t crc;

	for (int i = 0; i < SF_WIRE_MAX_PAYLOAD + 1; i++) {
		put_number(&tensor, 7 << 3);
		put_number(&tensor, 5);
	}
	put_inside(&graph, 5, &tensor);
	put_inside(&file, 7, &graph);
	CHECK(sf_wire_check(file.p, file.n, &kept, &crc, &error));
	/* What had come before the limit is there, and the note of the cut. */
	CHECK(kept > 2 * SF_WIRE_MAX_PAYLOAD);
	CHECK(kept < 2 * SF_WIRE_MAX_PAYLOAD + 64);
	sf_buf_release(&file);
	sf_buf_release(&tensor);
	sf_buf_release(&graph);
}

/* Bytes at random and models with wrong bytes: an answer, whatever it is. */
static void
check_noise(void)
{
	unsigned long long state = 88172645463325252ULL;
	struct sf_buf file = { 0 };
	struct sf_error error;

	make_model(&file, 40);
	for (int i = 0; i < 20000; i++) {
		size_t n = check_random(&state) % (file.n + 1);
		struct sf_arena *arena = sf_arena_new();
		char *bytes = sf_malloc(n);

		memcpy(bytes, file.p, n);
		for (int k = 0; k < 3 && n != 0; k++)
			bytes[check_random(&state) % n] =
			    (char)check_random(&state);
		for (size_t k = 0; k < n && i % 2 == 0; k++)
			bytes[k] = (char)check_random(&state);
		error.text[0] = '\0';
		if (sf_onnx_parse(bytes, n, arena, &error) == NULL)
			CHECK(error.text[0] != '\0');
		free(bytes);
		sf_arena_free(arena);
	}
	sf_buf_release(&file);
}

int
main(void)
{
	check_limit();
	check_tensor();
	check_unpacked();
	check_noise();
	return 0;
}
