/*
 * What sf-rules counts and what it says of it: the numbers of --why, computed
 * here by other code, come to the FLOPs of the operator.
 */
#include <stdlib.h>
#include <string.h>

#include "stages.h"

__extension__ typedef __int128 wide;

/* The rest of an expression of whole numbers, + - * / // min() max() (). */
struct text {
	const char *p, *end;
	bool bad;
};

static wide sum(struct text *t);

static bool
take(struct text *t, const char *word)
{
	size_t n = strlen(word);

	while (t->p < t->end && *t->p == ' ')
		t->p++;
	if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0)
		return false;
	t->p += n;
	return true;
}

static wide
pick_one(struct text *t, bool most)
{
	wide a = sum(t), b;

	t->bad |= !take(t, ",");
	b = sum(t);
	t->bad |= !take(t, ")");
	return (a > b) == most ? a : b;
}

static wide
factor(struct text *t)
{
	wide x = 0;
	const char *from;

	if (take(t, "min("))
		return pick_one(t, false);
	if (take(t, "max("))
		return pick_one(t, true);
	if (take(t, "-"))
		return -factor(t);
	if (take(t, "(")) {
		x = sum(t);
		t->bad |= !take(t, ")");
		return x;
	}
	for (from = t->p; t->p < t->end && *t->p >= '0' && *t->p <= '9'; t->p++)
		x = x * 10 + (*t->p - '0');
	t->bad |= t->p == from || t->p - from > 19;
	return x;
}

static wide
quotient(struct text *t, wide a, wide b, bool exact)
{
	if (b == 0 || (exact && a % b != 0)) {
		t->bad = true;
		return 0;
	}
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static wide
product(struct text *t)
{
	wide x = factor(t);

	while (!t->bad)
		if (take(t, "*"))
			x *= factor(t);
		else if (take(t, "//"))
			x = quotient(t, x, factor(t), false);
		else if (take(t, "/"))
			x = quotient(t, x, factor(t), true);
		else
			break;
	return x;
}

static wide
sum(struct text *t)
{
	wide x = product(t);

	while (!t->bad)
		if (take(t, "+"))
			x += product(t);
		else if (take(t, "-"))
			x -= product(t);
		else
			break;
	return x;
}

/* Behind the last KEY of a line, NULL when there is none. */
static const char *
behind(const char *line, const char *end, const char *key)
{
	size_t n = strlen(key);
	const char *found = NULL;

	while ((line = memmem(line, (size_t)(end - line), key, n)) != NULL)
		found = line += n;
	return found;
}

static void
check_op(const char *line, const char *end)
{
	const char *flops = behind(line, end, "\"flops\":");
	const char *why = behind(line, end, ",\"why\":\""), *stop, *numbers;
	struct text text;
	wide x;

	must(flops != NULL && why != NULL, "an operator says why");
	stop = memchr(why, '"', (size_t)(end - why));
	must(stop != NULL, "a text ends");
	numbers = memmem(why, (size_t)(stop - why), " = ", 3);
	if (numbers == NULL) {
		must(strtoll(flops, NULL, 10) == 0, "what has no rule is 0");
		return;
	}
	text = (struct text){ numbers + 3, stop, false };
	x = sum(&text);
	must(!text.bad && text.p == stop, "the numbers are arithmetic");
	must(x == strtoll(flops, NULL, 10), "the numbers come to the FLOPs");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char op[] = "{\"kind\":\"op\",";
	struct bytes in = { (const char *)data, size };
	struct run run;

	if (!is_plain(in) || holds(in, "\"why\""))
		return 0;
	run = RUN(rules, in, DONE | REFUSED, "--why", );
	for (size_t at = 0; run.status == 0 && at < run.out.n;) {
		const char *line = run.out.p + at;
		const char *lf = memchr(line, '\n', run.out.n - at);

		if (holds((struct bytes){ line, sizeof op - 1 }, op))
			check_op(line, lf);
		at = (size_t)(lf + 1 - run.out.p);
	}
	run_free(&run);
	return 0;
}
