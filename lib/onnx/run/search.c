/* Searches for sequences of tokens, each step of which runs a decoder. */
#include "onnx/run/control.h"

bool
sf_onnx_search_is(const struct sf_onnx_node *node)
{
	(void)node;
	return false;
}

bool
sf_onnx_expand_search(struct sf_onnx_run *run, struct sf_onnx_scope *scope,
    const struct sf_onnx_node *node, const struct sf_onnx_names *captured,
    struct sf_value **inputs)
{
	(void)run;
	(void)scope;
	(void)node;
	(void)captured;
	(void)inputs;
	return true;
}
