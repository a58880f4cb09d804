/* What a profiler's names say. */
#include "dispatch/names.h"

#include "base/table.h"
#include "rules/rule.h"
#include "torch/target.h"

/* Bits of an ATen operator in the table of words. */
enum {
	COMPOSITE = 1,
	IDLE = 2,
	BOOKKEEPING = 4
};

struct sf_call_names {
	struct sf_arena *arena;
	struct sf_rulebook *book;
	struct sf_table words; /* ATen names, to bits */
	struct sf_table kinds; /* names as they stand in files */
};

static void
add_words(struct sf_table *table, const char *text, int64_t bit)
{
	struct sf_str rest = sf_str_of(text);

	while (rest.n != 0)
		sf_table_add(table, sf_str_cut(&rest, ' '))->num |= bit;
}

struct sf_call_names *
sf_call_names_new(struct sf_arena *arena, struct sf_rulebook *book)
{
	struct sf_call_names *names = sf_arena_calloc(arena, 1, sizeof *names);

	names->arena = arena;
	names->book = book;
	sf_table_init(&names->words, arena);
	sf_table_init(&names->kinds, arena);
#define SF_COMPOSITE(text)   add_words(&names->words, text, COMPOSITE);
#define SF_IDLE(text)        add_words(&names->words, text, IDLE);
#define SF_BOOKKEEPING(text) add_words(&names->words, text, BOOKKEEPING);
#include "dispatch/composite.def"
#undef SF_COMPOSITE
#undef SF_IDLE
#undef SF_BOOKKEEPING
	return names;
}

void
sf_call_names_release(struct sf_call_names *names)
{
	sf_table_release(&names->words);
	sf_table_release(&names->kinds);
}

/* "aten::mm", and not "torch::autograd::AccumulateGrad" or "Region: 0/0". */
static bool
is_call(struct sf_str name)
{
	int colons = 0;

	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c == ':')
			colons++;
		else if (!(c == '_' || c == '.' || (c >= '0' && c <= '9') ||
			     ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')))
			return false;
	}
	return colons == 2 && sf_str_find(name, "::") != NULL &&
	    !sf_str_starts(name, "::");
}

static void
decide_weight(struct sf_call_kind *kind, int64_t bits, bool has_rule)
{
	kind->weight = SF_WEIGHT_WORK;
	if ((bits & BOOKKEEPING) != 0)
		kind->weight = SF_WEIGHT_NONE;
	else if (has_rule &&
	    (kind->category == SF_CAT_VIEW ||
		kind->category == SF_CAT_CREATION))
		kind->weight = SF_WEIGHT_LIGHT;
}

static void
decide(
    struct sf_call_names *names, struct sf_str name, struct sf_call_kind *kind)
{
	struct sf_torch_target target;
	const struct sf_rule *rule;
	const struct sf_entry *word;
	int64_t bits = 0;

	kind->name = sf_str_of("");
	if (sf_str_is(name, "record_param_comms")) {
		kind->sort = SF_CALL_COLLECTIVE;
		return;
	}
	if (sf_str_starts(name, "triton_")) {
		kind->sort = SF_CALL_KERNEL;
		kind->weight = SF_WEIGHT_WORK;
		kind->name = sf_str_of(sf_arena_printf(
		    names->arena, "triton.%.*s", SF_STR_ARG(name)));
		return;
	}
	if (!is_call(name) || !sf_torch_target_parse(name, &target))
		return;
	kind->name = sf_torch_target_name(&target, names->arena);
	rule = sf_rulebook_find(names->book, kind->name);
	kind->category = rule != NULL ? rule->category : SF_CAT_UNKNOWN;
	kind->free = rule != NULL && rule->constant;
	kind->comms = sf_str_find(target.ns, "c10d") != NULL;
	word = sf_str_is(target.ns, "aten")
	    ? sf_table_find(&names->words, target.op)
	    : NULL;
	if (word != NULL)
		bits = word->num;
	kind->idle = (bits & IDLE) != 0;
	decide_weight(kind, bits, rule != NULL);
	kind->sort = (bits & COMPOSITE) != 0 ? SF_CALL_COMPOSITE
	    : rule != NULL                   ? SF_CALL_WHOLE
					     : SF_CALL_UNKNOWN;
}

const struct sf_call_kind *
sf_call_names_find(struct sf_call_names *names, struct sf_str name)
{
	struct sf_entry *entry = sf_table_add(&names->kinds, name);

	if (entry->ptr == NULL) {
		struct sf_call_kind *kind =
		    sf_arena_calloc(names->arena, 1, sizeof *kind);

		decide(names, name, kind);
		entry->ptr = kind;
	}
	return entry->ptr;
}
