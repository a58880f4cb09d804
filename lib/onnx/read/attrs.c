/* The attributes of a node as JSON. */
#include "onnx/read/attrs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_ELEMENTS = 64,
	MOST_TEXT = 4096
};

/* The shortest decimal that reads back to the same single precision number. */
static void
write_float(struct sf_jsonw *w, double x)
{
	char text[32];

	if (isnan(x)) {
		sf_jsonw_cstr(w, "nan");
		return;
	}
	if (isinf(x)) {
		sf_jsonw_cstr(w, x < 0 ? "-inf" : "inf");
		return;
	}
	for (int digits = 6; digits <= 9; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtof(text, NULL) == (float)x)
			break;
	}
	sf_jsonw_double(w, strtod(text, NULL));
}

static void
write_count(struct sf_jsonw *w, size_t n)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "n", (int64_t)n);
	sf_jsonw_close(w, '}');
}

/* Readers of the stream take no NUL. */
static void
write_text(struct sf_jsonw *w, struct sf_str text)
{
	if (text.n > MOST_TEXT || sf_str_chr(text, '\0') != NULL)
		write_count(w, text.n);
	else
		sf_jsonw_str(w, text);
}

static void
write_tensor(struct sf_jsonw *w, const struct sf_onnx_tensor *t)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kcstr(w, "dtype", sf_dtype_name(t->dtype));
	sf_jsonw_key(w, "shape");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < t->rank; i++)
		sf_jsonw_int(w, t->dims[i]);
	sf_jsonw_close(w, ']');
	sf_jsonw_close(w, '}');
}

static void
write_graph(struct sf_jsonw *w, const struct sf_onnx_graph *graph)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "nodes", graph->nnodes);
	sf_jsonw_close(w, '}');
}

static void
write_element(struct sf_jsonw *w, const struct sf_onnx_attr *a, size_t i)
{
	switch (a->type) {
	case SF_ONNX_ATTR_FLOATS:
		write_float(w, a->floats[i]);
		break;
	case SF_ONNX_ATTR_INTS:
		sf_jsonw_int(w, a->ints[i]);
		break;
	case SF_ONNX_ATTR_STRINGS:
		write_text(w, a->strings[i]);
		break;
	default:
		write_graph(w, a->graphs[i]);
	}
}

static void
write_list(struct sf_jsonw *w, const struct sf_onnx_attr *a)
{
	if (a->n > MOST_ELEMENTS) {
		write_count(w, a->n);
		return;
	}
	sf_jsonw_open(w, '[');
	for (size_t i = 0; i < a->n; i++)
		write_element(w, a, i);
	sf_jsonw_close(w, ']');
}

static void
write_attr(struct sf_jsonw *w, const struct sf_onnx_attr *a)
{
	switch (a->type) {
	case SF_ONNX_ATTR_FLOAT:
		write_float(w, a->f);
		break;
	case SF_ONNX_ATTR_INT:
		sf_jsonw_int(w, a->i);
		break;
	case SF_ONNX_ATTR_STRING:
		write_text(w, a->s);
		break;
	case SF_ONNX_ATTR_TENSOR:
	case SF_ONNX_ATTR_SPARSE_TENSOR:
		write_tensor(w, a->tensor);
		break;
	case SF_ONNX_ATTR_GRAPH:
		write_graph(w, a->graphs[0]);
		break;
	case SF_ONNX_ATTR_FLOATS:
	case SF_ONNX_ATTR_INTS:
	case SF_ONNX_ATTR_STRINGS:
	case SF_ONNX_ATTR_GRAPHS:
		write_list(w, a);
		break;
	case SF_ONNX_ATTR_TENSORS:
		write_count(w, a->n);
		break;
	default:
		sf_jsonw_null(w);
	}
}

void
sf_onnx_write_attrs(struct sf_jsonw *w, const struct sf_onnx_node *node)
{
	sf_jsonw_open(w, '{');
	for (int i = 0; i < node->nattrs; i++) {
		sf_jsonw_name(w, node->attrs[i].name);
		write_attr(w, &node->attrs[i]);
	}
	sf_jsonw_close(w, '}');
}
