/*
 * Cutting the text of a field: lists whose items have parentheses, words that
 * stand alone, formulas that share what is behind "where".
 */
#ifndef SF_RULES_CUT_H
#define SF_RULES_CUT_H

#include "rules/expr.h"

/* The first place of WORD between blanks, outside of parentheses, or NULL. */
const char *sf_cut_find(struct sf_str text, const char *word);

/*
 * Cuts TEXT before WORD; what was behind it, with NULL for its text when it is
 * not there.
 */
struct sf_str sf_cut_word(struct sf_str *text, const char *word);

/* Cuts TEXT at the first SEPARATOR outside of parentheses; what was before. */
struct sf_str sf_cut_item(struct sf_str *text, char separator);

/* False, and why, when nothing stands behind the last SEPARATOR of TEXT. */
bool sf_cut_closed(struct sf_str text, char separator, struct sf_error *error);

/* Takes " where NAME = A, ..." off TEXT; empty when it has none. */
struct sf_str sf_cut_where(struct sf_str *text);

/* TEXT as a formula with the names of WHERE, as sf_expr_parse. */
const struct sf_expr *sf_cut_formula(struct sf_str text, struct sf_str where,
    struct sf_roles roles, struct sf_arena *arena, struct sf_error *error);

#endif
