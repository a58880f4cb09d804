/* Maps a model file into memory, so that weights stay on the disk. */
#include <string.h>

#include "base/map.h"
#include "onnx/read/model.h"

/* Containers that models are found in, by their first bytes. */
static const struct {
	const char *magic;
	size_t len;
	const char *name;
} containers[] = {
	{ "\x1f\x8b", 2, "gzip-compressed" },
	{ "PK\x03\x04", 4, "a zip archive" },
	{ "BZh", 3, "bzip2-compressed" },
	{ "\xfd"
	  "7zXZ",
	    5, "xz-compressed" },
	{ "\x28\xb5\x2f\xfd", 4, "zstd-compressed" },
	{ "<", 1, "a text with markup" },
	{ "{", 1, "a JSON text" },
	{ "version https://git-lfs", 23, "a Git LFS pointer" },
};

static struct sf_onnx_model *
parse(const void *bytes, size_t len, struct sf_arena *arena,
    struct sf_error *error)
{
	if (len == 0) {
		sf_fail(error, "the file is empty, expected an ONNX model");
		return NULL;
	}
	for (size_t i = 0; i < sizeof containers / sizeof containers[0]; i++)
		if (len >= containers[i].len &&
		    memcmp(bytes, containers[i].magic, containers[i].len) ==
			0) {
			sf_fail(error, "the file is %s, expected an ONNX model",
			    containers[i].name);
			return NULL;
		}
	return sf_onnx_parse(bytes, len, arena, error);
}

struct sf_onnx_model *
sf_onnx_load(
    const char *path, struct sf_arena *arena, struct sf_error *error, bool *io)
{
	struct sf_onnx_model *model;
	struct sf_map map;

	if (!sf_map_open(&map, path, error, io))
		return NULL;
	model = parse(map.bytes, map.len, arena, error);
	if (model != NULL)
		model->file = map;
	else
		sf_map_close(&map);
	return model;
}

void
sf_onnx_unload(struct sf_onnx_model *model)
{
	sf_map_close(&model->file);
}
