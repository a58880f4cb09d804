/* What a file is: one table of how they begin. */
#include "base/foreign.h"

#include <string.h>

enum {
	SEARCHED = 4096 /* bytes from the beginning in which words are sought */
};

/* A file that begins with PREFIX, if any, and has WORD in its beginning. */
static const struct {
	const char *prefix, *word, *what;
} files[] = {
	{ "PK\x03\x04", "",
	    "a zip archive; sf-export reads those that torch.export wrote" },
	{ "GGUF", "", "a GGUF file, which nothing here reads" },
	{ "\x89HDF", "", "an HDF5 file, which nothing here reads" },
	{ "\x1f\x8b", "",
	    "compressed with gzip; 'gzip -dc' gives what is in it" },
	{ "BZh", "", "compressed with bzip2; 'bzip2 -dc' gives what is in it" },
	{ "\xfd"
	  "7zXZ",
	    "", "compressed with xz; 'xz -dc' gives what is in it" },
	{ "\x28\xb5\x2f\xfd", "",
	    "compressed with zstd; 'zstd -dc' gives what is in it" },
	{ "\xff\xfe", "", "a text in UTF-16; 'iconv -t UTF-8' gives UTF-8" },
	{ "\xfe\xff", "", "a text in UTF-16; 'iconv -t UTF-8' gives UTF-8" },
	{ "\x89PNG", "", "a picture" },
	{ "", "<svg ", "a picture" },
	{ "<!DOCTYPE html", "", "a page of HTML" },
	{ "<html", "", "a page of HTML" },
	{ "%PDF", "", "a PDF document" },
	{ "{\"model\":", "\"route\":", "an object that sf-report wrote" },
	{ "{\"by\":", "\"traces\":", "an object that sf-compare wrote" },
	{ "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
	  "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0",
	    "", "events that sf-chrome wrote" },
	{ "{", "\"model_type\"",
	    "a model's configuration, which sf-model reads" },
	{ "{", "\"graph_module\"",
	    "a program that PyTorch exported, which sf-export reads" },
	{ "{", "\"traceEvents\"",
	    "a profiler's trace, which sf-dispatch reads" },
	{ "{", "\"deviceProperties\"",
	    "a profiler's trace, which sf-dispatch reads" },
	{ "{", "\"execution_trace\"",
	    "an execution trace, which sf-dispatch reads" },
	{ "{", "\"nodes\"", "an execution trace, which sf-dispatch reads" },
	{ "{", "\"dram_bw\"", "an accelerator, which sf-lower --preset takes" },
	{ "{", "\"peak_flops\"", "a device, which sf-cost --device takes" },
	{ "{", "\"bw\"", "a link, which sf-cost --link takes" },
	{ "[", "\"op_name\"", "a profile of ONNX Runtime, which sf-ort reads" },
	{ "", "[__graph_code]",
	    "a log of torch.compile, which sf-compile reads" },
	{ "", "[__aot_", "a log of torch.compile, which sf-compile reads" },
	{ "", "torch/_dynamo/",
	    "a log of torch.compile, which sf-compile reads" },
	{ "", "(torch.nn.Module):",
	    "a graph of PyTorch, which sf-compile reads" },
	{ "# ", "## Trace", "a report that sf-report wrote" },
	{ "trace,model,route,", "", "rows that sf-report wrote" },
};

enum {
	FILES = sizeof files / sizeof files[0]
};

static bool
has(struct sf_str head, const char *word)
{
	return sf_str_find(head, word) != NULL;
}

/*
 * A ModelProto: its IR version first, a small number, and then another of its
 * fields, of which the names of the producer and the graph are messages.
 */
static bool
is_onnx(struct sf_str head)
{
	const unsigned char *p = (const unsigned char *)head.p;

	return head.n >= 4 && p[0] == 0x08 && p[1] > 0 && p[1] < 64 &&
	    (p[2] == 0x12 || p[2] == 0x1a || p[2] == 0x22 || p[2] == 0x28 ||
		p[2] == 0x32 || p[2] == 0x3a || p[2] == 0x42);
}

/* Tensors in a file of their own: the length of a JSON object, and that. */
static bool
is_safetensors(struct sf_str head)
{
	return head.n >= 10 && memcmp(head.p + 4, "\0\0\0\0{\"", 6) == 0;
}

const char *
sf_foreign(struct sf_str head)
{
	if (head.n > SEARCHED)
		head.n = SEARCHED;
	if (is_onnx(head))
		return "an ONNX model, which sf-onnx reads";
	if (is_safetensors(head))
		return "a file of weights, which nothing here reads";
	for (int i = 0; i < FILES; i++)
		if (sf_str_starts(head, files[i].prefix) &&
		    has(head, files[i].word))
			return files[i].what;
	return NULL;
}

bool
sf_foreign_is_stream(struct sf_str head)
{
	head = sf_str_trim(head);
	if (!sf_str_take(&head, "{"))
		return false;
	head = sf_str_trim(head);
	return sf_str_starts(head, "\"kind\"");
}

const char *
sf_foreign_meant(struct sf_str head, const char *reader, struct sf_arena *arena)
{
	const char *what = sf_foreign_is_stream(head)
	    ? "a stream, which sf-report and the other filters read"
	    : sf_foreign(head);

	if (what == NULL || strstr(what, reader) != NULL)
		return "";
	return sf_arena_printf(arena, "; this is %s", what);
}
