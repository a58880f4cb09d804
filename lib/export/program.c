/* The programs of a file. */
#include "export/program.h"

#include "base/crc32.h"
#include "export/part.h"

static const struct sf_str models = SF_STR_INIT("models/");
static const struct sf_str json = SF_STR_INIT(".json");
static const struct sf_str old_layout =
    SF_STR_INIT("serialized_exported_program.json");

static bool
ends(struct sf_str s, struct sf_str tail)
{
	return s.n >= tail.n && memcmp(s.p + s.n - tail.n, tail.p, tail.n) == 0;
}

/* ---- which programs there are ---- */

/* What else a zip archive of PyTorch can be. */
static const struct {
	const char *prefix, *what;
} others[] = {
	{ "data/aotinductor/", "compiled code of AOTInductor and no graph" },
	{ "data/executorch/", "a program of ExecuTorch and no graph" },
	{ "code/", "a TorchScript module" },
	{ "data.pkl", "what torch.save wrote" },
};

static bool
fail_empty(const struct sf_archive *archive, struct sf_error *error)
{
	int64_t n = sf_archive_count(archive);

	for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
		for (int64_t i = 0; i < n; i++)
			if (sf_str_starts(
				sf_archive_name(archive, i), others[k].prefix))
				return sf_fail(error,
				    "it holds %s, expected a program that "
				    "torch.export.save wrote",
				    others[k].what);
	return sf_fail(error,
	    "none of the %lld members of the zip archive is models/NAME.json "
	    "or %s, expected a program that torch.export.save wrote",
	    (long long)n, old_layout.p);
}

static bool
is_model(struct sf_str name)
{
	return sf_str_starts(name, models.p) && ends(name, json) &&
	    name.n > models.n + json.n &&
	    memchr(name.p + models.n, '/', name.n - models.n) == NULL;
}

static bool
find_programs(
    struct sf_export_file *file, struct sf_arena *arena, struct sf_error *error)
{
	int64_t n = sf_archive_count(file->archive);

	file->members =
	    sf_arena_calloc(arena, (size_t)n + 1, sizeof *file->members);
	for (int64_t i = 0; i < n; i++)
		if (is_model(sf_archive_name(file->archive, i)))
			file->members[file->n++] =
			    sf_archive_name(file->archive, i);
	if (file->n == 0 && sf_archive_find(file->archive, old_layout) >= 0)
		file->members[file->n++] = old_layout;
	return file->n != 0 || fail_empty(file->archive, error);
}

static bool
open_bytes(
    struct sf_export_file *file, struct sf_arena *arena, struct sf_error *error)
{
	const char *bytes = file->map.bytes;
	size_t len = file->map.len;

	if (sf_archive_is(bytes, len)) {
		file->archive = sf_archive_open(bytes, len, arena, error);
		return file->archive != NULL &&
		    find_programs(file, arena, error);
	}
	file->members = sf_arena_calloc(arena, 1, sizeof *file->members);
	file->members[0] = SF_STR("");
	file->n = 1;
	while (len != 0 && memchr(" \t\r\n", *bytes, 4) != NULL) {
		bytes++;
		len--;
	}
	if (len != 0 && *bytes == '{')
		return true;
	return sf_fail(error, "%s, expected a .pt2 archive or the JSON in one",
	    file->map.len == 0 ? "the file is empty"
		: len >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0
		? "the file is gzip-compressed"
		: "the file is neither a zip archive nor JSON");
}

bool
sf_export_open(struct sf_export_file *file, const char *path,
    struct sf_arena *arena, struct sf_error *error, bool *io)
{
	*file = (struct sf_export_file){ .n = 0 };
	if (!sf_map_open(&file->map, path, error, io))
		return false;
	if (open_bytes(file, arena, error))
		return true;
	sf_export_close(file);
	return false;
}

void
sf_export_close(struct sf_export_file *file)
{
	if (file->archive != NULL)
		sf_archive_close(file->archive);
	sf_map_close(&file->map);
}

/* ---- how weights are stored ---- */

static void
add_payloads(struct sf_export_program *program, const struct sf_archive *a,
    struct sf_str text, struct sf_str directory, struct sf_arena *arena)
{
	struct sf_parts parts =
	    sf_parts_of_object(sf_part_of(text, "config", arena), arena);
	struct sf_str name, value, offset;

	while (sf_parts_member(&parts, &name, &value)) {
		struct sf_export_payload *payload =
		    sf_arena_calloc(arena, 1, sizeof *payload);
		struct sf_str path = sf_part_name(value, "path_name", arena);
		int64_t i = sf_archive_find(a,
		    sf_str_of(sf_arena_printf(arena, "%.*s%.*s",
			SF_STR_ARG(directory), SF_STR_ARG(path))));

		offset = sf_part_of(sf_part_of(value, "tensor_meta", arena),
		    "storage_offset", arena);
		payload->path = path;
		payload->bytes = i >= 0 ? sf_archive_size(a, i) : 0;
		if (!sf_part_int(
			sf_part_of(offset, "as_int", arena), &payload->offset))
			sf_part_int(offset, &payload->offset);
		sf_table_add(&program->payloads, name)->ptr = payload;
	}
}

/* Each writer has its own name for the list. */
static bool
read_payloads(struct sf_export_file *file, struct sf_export_program *program,
    struct sf_arena *arena, struct sf_error *error)
{
	static const char *const tails[] = { "_weights_config.json",
		"_model_param_config.json" };
	struct sf_str directory = SF_STR("data/weights/"), text;

	for (int k = 0; k < 2 && file->archive != NULL; k++) {
		const char *member = sf_arena_printf(arena, "%s%.*s%s",
		    directory.p, SF_STR_ARG(program->name), tails[k]);
		int64_t i = sf_archive_find(file->archive, sf_str_of(member));
		struct sf_error why;

		if (i < 0)
			continue;
		if (!sf_archive_read(file->archive, i, arena, &text, &why))
			return sf_fail(error, "%s: %s", member, why.text);
		program->crc32 = sf_crc32(program->crc32, text.p, text.n);
		if (!sf_part_check(text, &why))
			return sf_fail(error, "%s: %s", member, why.text);
		add_payloads(program, file->archive, text, directory, arena);
	}
	return true;
}

/* ---- one program ---- */

static bool
read_text(struct sf_export_file *file, struct sf_str member,
    struct sf_str *text, struct sf_arena *arena, struct sf_error *error)
{
	struct sf_error why;
	char *copy;

	if (file->archive != NULL) {
		int64_t i = sf_archive_find(file->archive, member);

		return sf_archive_read(file->archive, i, arena, text, &why) ||
		    sf_fail(error, "%s", why.text);
	}
	copy = sf_part_room(arena, file->map.len);
	memcpy(copy, file->map.bytes, file->map.len);
	*text = (struct sf_str){ copy, file->map.len };
	return true;
}

/* A bare number in schemas 1 and 2. */
static bool
read_version(struct sf_export_program *program, struct sf_str text,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_str version = sf_part_of(text, "schema_version", arena);

	program->minor = -1;
	if (sf_part_int(version, &program->major))
		return true;
	if (sf_part_int(sf_part_of(version, "major", arena), &program->major)) {
		sf_part_int(
		    sf_part_of(version, "minor", arena), &program->minor);
		return true;
	}
	return sf_fail(error,
	    "there is no schema_version, expected the JSON of a program that "
	    "torch.export.save wrote");
}

static bool
take_apart(struct sf_export_program *program, struct sf_str text,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_str module;

	if (!sf_part_check(text, error) ||
	    !read_version(program, text, arena, error))
		return false;
	module = sf_part_of(text, "graph_module", arena);
	program->graph = sf_part_of(module, "graph", arena);
	program->signature = sf_part_of(module, "signature", arena);
	program->ranges = sf_part_of(text, "range_constraints", arena);
	program->torch_version = sf_part_name(text, "torch_version", arena);
	if (program->graph.n == 0 || *program->graph.p != '{')
		return sf_fail(error, "graph_module has no graph");
	return true;
}

bool
sf_export_read(struct sf_export_file *file, int i,
    struct sf_export_program *program, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sf_str member = file->members[i], text;
	struct sf_error why;

	*program = (struct sf_export_program){ .name = SF_STR("model"),
		.member = member };
	if (is_model(member))
		program->name = (struct sf_str){ member.p + models.n,
			member.n - models.n - json.n };
	sf_table_init(&program->payloads, arena);
	if (!read_text(file, member, &text, arena, &why))
		return sf_fail(error, "%.*s: %s", SF_STR_ARG(member), why.text);
	program->crc32 = sf_crc32(0, text.p, text.n);
	if (!take_apart(program, text, arena, &why))
		return sf_fail(error, "%.*s%s%s", SF_STR_ARG(member),
		    member.n != 0 ? ": " : "", why.text);
	return read_payloads(file, program, arena, error);
}

void
sf_export_release(struct sf_export_program *program)
{
	sf_table_release(&program->payloads);
}
