/* Files that are no stream: one table of how they begin. */
#include "stream/foreign.h"

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
	{ "\x89PNG", "", "a picture" },
	{ "%PDF", "", "a PDF document" },
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
