/* The rules by operator name. */
#include "rules/rulebook.h"

#include "base/die.h"
#include "base/hash.h"
#include "rules/rule.h"

/* One row of a table: several names with one rule. */
struct row {
	enum sf_category category;
	bool meta;
	const char *names;
	const char *roles;
	const char *fields;
};

#define SF_RULE(category, names, roles, fields) \
	{ SF_CAT_##category, false, names, roles, fields },
#define SF_META(names) { SF_CAT_VIEW, true, names, "", "" },

#include "rules/shared.def"

static const struct row aten[] = {
#include "rules/aten.def"

#include "rules/aten-backward.def"

#include "rules/aten-linalg.def"
};
static const struct row torch[] = {
#include "rules/torch.def"
};
static const struct row onnx[] = {
#include "rules/onnx.def"
};
static const struct row microsoft[] = {
#include "rules/microsoft.def"

#include "rules/microsoft-attention.def"

#include "rules/microsoft-product.def"

#include "rules/microsoft-state.def"
};
static const struct row nhwc[] = {
#include "rules/nhwc.def"
};
static const struct row qonnx[] = {
#include "rules/qonnx.def"
};
static const struct row ml[] = {
#include "rules/ml.def"
};
static const struct row preview[] = {
#include "rules/preview.def"
};
static const struct row fhe[] = {
#include "rules/fhe.def"
};
static const struct row gpu[] = {
#include "rules/gpu.def"
};
#undef SF_RULE
#undef SF_META

/*
 * The rows whose names begin alike. A trace has names of one or two of these,
 * so the book takes in the others when somebody asks for all.
 */
static const struct family {
	const char *prefix;
	const struct row *rows;
	int n;
} families[] = {
	{ "aten.", aten, sizeof aten / sizeof *aten },
	{ "", torch, sizeof torch / sizeof *torch },
	{ "onnx.", onnx, sizeof onnx / sizeof *onnx },
	{ "com.microsoft.", microsoft, sizeof microsoft / sizeof *microsoft },
	{ "ai.onnx.ml.", ml, sizeof ml / sizeof *ml },
	{ "ai.onnx.preview.", preview, sizeof preview / sizeof *preview },
	{ "com.ms.internal.nhwc.", nhwc, sizeof nhwc / sizeof *nhwc },
	{ "qonnx.custom_op.general.", qonnx, sizeof qonnx / sizeof *qonnx },
	{ "finn.custom_op.general.", qonnx, sizeof qonnx / sizeof *qonnx },
	{ "onnx.brevitas.", qonnx, sizeof qonnx / sizeof *qonnx },
	{ "fhe.", fhe, sizeof fhe / sizeof *fhe },
	{ "gpu.", gpu, sizeof gpu / sizeof *gpu },
};

enum {
	NFAMILIES = sizeof families / sizeof families[0],
	/* Recently found names; a power of two. */
	NRECENT = 256,
	MAX_RECENT_NAME = 48,
};

/* What a name stands for: a row, or a rule that was read from it. */
struct slot {
	const struct row *row; /* NULL: a rule of the user's */
	struct sf_rule *rule;  /* NULL: not read yet */
};

struct pattern {
	struct sf_str prefix;
	struct slot *slot;
	struct pattern *next;
};

struct recent {
	size_t n;
	char name[MAX_RECENT_NAME];
	const struct sf_rule *rule;
};

struct sf_rulebook {
	struct sf_arena *arena;
	struct sf_table names; /* of struct slot */
	struct pattern *patterns;
	bool has[NFAMILIES]; /* which rows are among the names */
	struct recent recent[NRECENT];
};

static bool
is_pattern(struct sf_str name)
{
	return name.n != 0 && name.p[name.n - 1] == '*';
}

/* True when an exact name had a rule already. */
static bool
set_slot(struct sf_rulebook *book, struct sf_str name, struct slot *slot)
{
	struct sf_entry *entry = sf_table_add(&book->names, name);
	bool had = entry->ptr != NULL;

	if (is_pattern(name)) {
		struct pattern *pattern =
		    sf_arena_calloc(book->arena, 1, sizeof *pattern);

		pattern->prefix = (struct sf_str){ entry->name.p, name.n - 1 };
		pattern->slot = slot;
		pattern->next = book->patterns;
		book->patterns = pattern;
	}
	entry->ptr = slot;
	return had;
}

static void
add_row(struct sf_rulebook *book, const char *prefix, const struct row *row,
    struct slot *slot)
{
	const char *word = row->names;
	struct sf_buf name = { 0 };

	slot->row = row;
	while (*word != '\0') {
		size_t n = strcspn(word, " ");

		name.n = 0;
		sf_buf_put(&name, prefix, strlen(prefix));
		sf_buf_put(&name, word, n);
		if (set_slot(book, (struct sf_str){ name.p, name.n }, slot))
			sf_bug("two rules for %.*s", (int)name.n, name.p);
		word += n + strspn(word + n, " ");
	}
	sf_buf_release(&name);
}

static void
add_family(struct sf_rulebook *book, int family)
{
	const struct family *f = &families[family];
	struct slot *slots;

	if (book->has[family])
		return;
	book->has[family] = true;
	slots = sf_arena_calloc(book->arena, (size_t)f->n, sizeof *slots);
	for (int i = 0; i < f->n; i++)
		add_row(book, f->prefix, &f->rows[i], &slots[i]);
}

/* Takes in the rows that NAME may be one of. */
static void
add_families_of(struct sf_rulebook *book, struct sf_str name)
{
	for (int i = 0; i < NFAMILIES; i++)
		if (!book->has[i] && sf_str_starts(name, families[i].prefix))
			add_family(book, i);
}

static void
add_all(struct sf_rulebook *book)
{
	for (int i = 0; i < NFAMILIES; i++)
		add_family(book, i);
}

struct sf_rulebook *
sf_rulebook_new(struct sf_arena *arena)
{
	struct sf_rulebook *book = sf_arena_calloc(arena, 1, sizeof *book);

	book->arena = arena;
	sf_table_init(&book->names, arena);
	return book;
}

struct sf_rulebook *
sf_rulebook_new_bare(struct sf_arena *arena)
{
	struct sf_rulebook *book = sf_rulebook_new(arena);

	for (int i = 0; i < NFAMILIES; i++)
		book->has[i] = true;
	return book;
}

void
sf_rulebook_release(struct sf_rulebook *book)
{
	sf_table_release(&book->names);
}

bool
sf_rulebook_add(
    struct sf_rulebook *book, struct sf_str name, struct sf_rule *rule)
{
	struct slot *slot = sf_arena_calloc(book->arena, 1, sizeof *slot);

	/* What the user adds comes last, and takes the place of what is there. */
	add_all(book);
	slot->rule = rule;
	memset(book->recent, 0, sizeof book->recent);
	return set_slot(book, name, slot);
}

static const struct sf_rule *
read_slot(struct sf_rulebook *book, struct slot *slot)
{
	struct sf_error error;

	if (slot->rule != NULL)
		return slot->rule;
	slot->rule =
	    sf_rule_new(slot->row->category, sf_str_of(slot->row->roles),
		sf_str_of(slot->row->fields), book->arena, &error);
	if (slot->rule == NULL)
		sf_bug("rule for %s: %s", slot->row->names, error.text);
	slot->rule->aliases &= !slot->row->meta;
	return slot->rule;
}

static struct slot *
find_exact(struct sf_rulebook *book, struct sf_str name)
{
	struct sf_entry *entry =
	    is_pattern(name) ? NULL : sf_table_find(&book->names, name);

	return entry != NULL ? entry->ptr : NULL;
}

/* NAME without its overload: what is behind the second dot or later ones. */
static struct sf_str
without_overload(struct sf_str name)
{
	const char *dot = sf_str_rchr(name, '.');

	if (sf_str_starts(name, "onnx.") || dot == NULL ||
	    memchr(name.p, '.', (size_t)(dot - name.p)) == NULL)
		return name;
	return (struct sf_str){ name.p, (size_t)(dot - name.p) };
}

static struct slot *
find_pattern(struct sf_rulebook *book, struct sf_str name)
{
	const struct pattern *best = NULL;

	for (const struct pattern *p = book->patterns; p != NULL; p = p->next)
		if (name.n >= p->prefix.n &&
		    memcmp(name.p, p->prefix.p, p->prefix.n) == 0 &&
		    (best == NULL || p->prefix.n > best->prefix.n))
			best = p;
	return best != NULL ? best->slot : NULL;
}

static struct slot *
find_slot(struct sf_rulebook *book, struct sf_str name)
{
	struct sf_str base = without_overload(name);
	struct slot *slot;

	add_families_of(book, name);
	slot = find_exact(book, name);
	if (slot == NULL && base.n != name.n)
		slot = find_exact(book, base);
	if (slot == NULL && sf_str_starts(base, "aten.") &&
	    base.p[base.n - 1] == '_') {
		base.n--;
		slot = find_exact(book, base);
	}
	return slot != NULL ? slot : find_pattern(book, name);
}

const struct sf_rule *
sf_rulebook_find(struct sf_rulebook *book, struct sf_str name)
{
	struct recent *recent =
	    &book->recent[sf_hash_quick(name.p, name.n) & (NRECENT - 1)];
	struct slot *slot;

	if (recent->n == name.n && name.n != 0 &&
	    memcmp(recent->name, name.p, name.n) == 0)
		return recent->rule;
	slot = find_slot(book, name);
	if (slot == NULL)
		return NULL;
	if (name.n <= MAX_RECENT_NAME) {
		recent->n = name.n;
		memcpy(recent->name, name.p, name.n);
		recent->rule = read_slot(book, slot);
	}
	return read_slot(book, slot);
}

static void
put_text(struct sf_buf *out, struct sf_str text)
{
	sf_buf_put(out, text.p, text.n);
}

static void
list_one(struct sf_str name, const struct sf_rule *rule, struct sf_buf *out)
{
	put_text(out, name);
	sf_buf_printf(out, "\t%s\t", sf_category_name(rule->category));
	put_text(out, rule->roles_text);
	for (enum sf_field f = 0; f < SF_FIELD_MASKED; f++) {
		sf_buf_putc(out, '\t');
		put_text(out, rule->fields[f]->text);
	}
	sf_buf_putc(out, '\t');
	if (rule->gemm != NULL)
		put_text(out, sf_gemm_rule_text(rule->gemm));
	sf_buf_putc(out, '\t');
	if (rule->window != NULL)
		put_text(out, sf_window_rule_text(rule->window));
	sf_buf_putc(out, '\t');
	put_text(out, rule->fields[SF_FIELD_MASKED]->text);
	sf_buf_putc(out, '\n');
}

void
sf_rulebook_list(struct sf_rulebook *book, struct sf_buf *out)
{
	add_all(book);
	for (size_t i = 0; i < book->names.n; i++) {
		struct sf_entry *entry = book->names.order[i];

		list_one(entry->name, read_slot(book, entry->ptr), out);
	}
}
