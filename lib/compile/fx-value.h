/* Expressions of the Python text in which PyTorch prints its graphs. */
#ifndef SF_COMPILE_FX_VALUE_H
#define SF_COMPILE_FX_VALUE_H

#include "base/arena.h"
#include "base/error.h"
#include "compile/fx-token.h"

enum sf_fx_kind {
	SF_FX_WORD,   /* a name, with what is behind its dots: TEXT */
	SF_FX_INT,    /* TEXT, with its sign */
	SF_FX_FLOAT,  /* the same */
	SF_FX_TEXT,   /* a string: TEXT */
	SF_FX_LIST,   /* ITEMS */
	SF_FX_TUPLE,  /* ITEMS */
	SF_FX_DICT,   /* ITEMS, a key and its value in turn */
	SF_FX_CALL,   /* of items[0] with the others, which may have a KEY */
	SF_FX_INDEX,  /* of items[0] by items[1] */
	SF_FX_ATTR,   /* TEXT of items[0], which is no name */
	SF_FX_UNARY,  /* the operator TEXT on items[0] */
	SF_FX_BINARY, /* the operator TEXT on items[0] and items[1] */
	SF_FX_OBJECT, /* what Python prints as <...>, or "..." */
};

struct sf_fx_value {
	enum sf_fx_kind kind;
	int nitems;
	struct sf_str text;
	struct sf_str key; /* of an argument that is given by name */
	struct sf_fx_value **items;
};

/*
 * Reads an expression, whose text must live as long as ARENA. NULL, with what
 * was expected in *ERROR, when there is none.
 */
struct sf_fx_value *sf_fx_value_parse(
    struct sf_fx_lexer *lexer, struct sf_arena *arena, struct sf_error *error);

/* What stands at the token, for an error: "found 'x'". */
bool sf_fx_expected(const struct sf_fx_lexer *lexer, const char *expected,
    struct sf_error *error);

/* Whether it is that name: None, True, ... */
bool sf_fx_value_is(const struct sf_fx_value *value, const char *word);

#endif
