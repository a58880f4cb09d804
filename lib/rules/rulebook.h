/*
 * The rules by operator name: the built-in tables (*.def) and the user's own
 * on top of them.
 */
#ifndef SF_RULES_RULEBOOK_H
#define SF_RULES_RULEBOOK_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/decl.h"
#include "base/str.h"
#include "base/table.h"

SF_PUBLIC_BEGIN

struct sf_rule; /* rules/rule.h */
struct sf_rulebook;

/* With the built-in rules; lives in the arena until it is released. */
struct sf_rulebook *sf_rulebook_new(struct sf_arena *arena);

/* The same without built-in rules. */
struct sf_rulebook *sf_rulebook_new_bare(struct sf_arena *arena);
void sf_rulebook_release(struct sf_rulebook *book);

/*
 * The rule for a name as it stands in a trace, NULL when there is none: the
 * exact name; then, but for onnx, without the overload ("aten.add.Tensor");
 * then, of aten, without a trailing "_"; then the longest "prefix*". The
 * rule's formulas are read when it is first asked for.
 */
const struct sf_rule *
sf_rulebook_find(struct sf_rulebook *book, struct sf_str name);

/*
 * Adds a rule under NAME, which may end in "*". An exact name that is there
 * gets the new rule; true then.
 */
bool sf_rulebook_add(
    struct sf_rulebook *book, struct sf_str name, struct sf_rule *rule);

/*
 * Appends one line a rule: name, category, inputs, flops, read, written,
 * weight, gemm and window, separated by tabs, in the order of the tables.
 */
void sf_rulebook_list(struct sf_rulebook *book, struct sf_buf *out);

SF_PUBLIC_END

#endif
