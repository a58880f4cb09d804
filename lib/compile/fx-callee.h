/*
 * What a line of a graph calls, as an operator of the stream. Graphs of
 * Dynamo's call Python: functions of torch, methods of tensors, signs; such a
 * name stands for ATen's operator of that name when there is a rule for it, and
 * for itself when there is none.
 */
#ifndef SF_COMPILE_FX_CALLEE_H
#define SF_COMPILE_FX_CALLEE_H

#include "base/arena.h"
#include "base/str.h"
#include "rules/rulebook.h"
#include "torch/target.h"

struct sf_fx_callee {
	enum sf_torch_callee kind;
	bool python;            /* spelt as in Python, not as torch.ops... */
	struct sf_str name;     /* "aten.add" */
	struct sf_str op;       /* "add" */
	struct sf_str overload; /* empty: the default one, or not said */
	/* Places that its arguments come from; empty: as they are given. */
	struct sf_str order;
	struct sf_str parameters; /* of the function, by name */
};

/*
 * TEXT is "torch.ops.aten.add.Tensor", "torch.relu", "torch.Tensor.relu" of
 * a method, or a sign: "+", "unary-". Names live in ARENA or in the text.
 */
struct sf_fx_callee sf_fx_callee_of(
    struct sf_str text, struct sf_rulebook *rules, struct sf_arena *arena);

/* The name of argument PLACE, from 0, of aten.OP; empty: not known. */
struct sf_str sf_fx_argument_name(struct sf_str op, int place);

/* The word of LIST at PLACE; empty when it has fewer. */
struct sf_str sf_fx_word_at(struct sf_str list, int place);

/* The place of WORD in LIST, -1 when it is not there. */
int sf_fx_place_of(struct sf_str list, struct sf_str word);

#endif
