/*
 * Programs of an accelerator, made out of the bytes: operators that read one
 * another, and any of the accelerator's parameters. The engines give the same
 * times, and sf-check finds them right.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "accel/accel.h"
#include "config/key.h"
#include "stages.h"

enum {
	MOST_OPS = 4,
	MOST_SETS = 8
};

struct source {
	const uint8_t *p;
	size_t n;
};

/* The next choice among N; the first when the bytes have ended. */
static unsigned
choose(struct source *s, unsigned n)
{
	if (s->n == 0)
		return 0;
	s->n--;
	return *s->p++ % n;
}

struct text {
	char p[8192];
	size_t n;
};

static void put(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void
put(struct text *t, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(t->p + t->n, sizeof t->p - t->n, format, ap);
	va_end(ap);
	must(n >= 0 && (size_t)n < sizeof t->p - t->n, "the trace has room");
	t->n += (size_t)n;
}

/* A tensor of four dimensions, of which the first may be left out. */
struct tensor {
	int tid;
	unsigned rank, d[4];
};

static void
put_tensor(struct text *t, const struct tensor *x, bool param)
{
	put(t, "{\"tid\":\"%d\",\"shape\":[", x->tid);
	for (unsigned i = 0; i < x->rank; i++)
		put(t, "%s%u", i == 0 ? "" : ",", x->d[i]);
	put(t, "],\"dtype\":\"f32\",\"itemsize\":4%s}",
	    param ? ",\"param\":true" : "");
}

static unsigned
size_of(struct source *s)
{
	static const unsigned sizes[] = { 1, 2, 3, 4, 7, 8, 16, 17, 31, 64,
		100 };

	return sizes[choose(s, 11)];
}

/* OUT is what X gives with W; false when the operator has one input. */
static bool
choose_op(struct source *s, const struct tensor *x, struct tensor *w,
    struct tensor *out, const char **name)
{
	unsigned kernel = 1 + choose(s, 3);
	bool conv = x->rank == 4 && x->d[2] >= kernel && x->d[3] >= kernel;

	*out = *x;
	switch (choose(s, 4)) {
	case 0:
		*name = "Relu";
		return false;
	case 1:
		*name = "Softmax";
		return false;
	default:
		if (conv) {
			*name = "Conv";
			*w = (struct tensor){ .rank = 4,
				.d = { size_of(s), x->d[1], kernel, kernel } };
			out->d[1] = w->d[0];
			out->d[2] -= kernel - 1;
			out->d[3] -= kernel - 1;
			return true;
		}
		*name = "MatMul";
		*w = (struct tensor){ .rank = 2,
			.d = { x->d[x->rank - 1], size_of(s) } };
		out->d[x->rank - 1] = w->d[1];
		return true;
	}
}

/* Operators of which each reads what one before it made. */
static void
put_trace(struct source *s, struct text *t)
{
	struct tensor made[MOST_OPS + 1], w;
	int n = 1 + (int)choose(s, MOST_OPS), next = 0;
	const char *name;

	made[0] =
	    (struct tensor){ .tid = next++, .rank = 2 + choose(s, 2) * 2 };
	for (unsigned i = 0; i < made[0].rank; i++)
		made[0].d[i] =
		    i < 2 && made[0].rank == 4 ? 1 + choose(s, 4) : size_of(s);
	put(t,
	    "{\"kind\":\"trace\",\"format\":\"simfront-trace/1\","
	    "\"model\":\"m\",\"route\":\"onnx\"}\n");
	for (int i = 0; i < n; i++) {
		const struct tensor *x = &made[choose(s, (unsigned)i + 1)];
		bool two = choose_op(s, x, &w, &made[i + 1], &name);

		put(t,
		    "{\"kind\":\"op\",\"i\":%d,\"name\":\"onnx.%s\",\"inputs\":"
		    "[",
		    i, name);
		put_tensor(t, x, false);
		if (two) {
			w.tid = next++;
			put(t, ",");
			put_tensor(t, &w, true);
		}
		made[i + 1].tid = next++;
		put(t, "],\"outputs\":[");
		put_tensor(t, &made[i + 1], false);
		put(t, "],\"attrs\":{}}\n");
	}
	put(t, "{\"kind\":\"end\",\"ops\":%d}\n", n);
}

/* Whether a row takes the number, which is small enough for any. */
static bool
takes(const struct sf_key *key, double x)
{
	return x >= key->least && x <= key->most &&
	    (key->type != SF_KEY_INT || x == (double)(int)x);
}

/* KEY=VALUE of any parameter there is. */
static void
put_set(struct source *s, struct text *t)
{
	static const double numbers[] = { 1, 2, 3, 4, 7, 16, 64, 256, 1000,
		4096, 65536, 1e6, 1e9, 0, 0.5, 0.25, 1e-9, 1e-6 };
	const struct sf_key *key =
	    &sf_accel_keys.rows[choose(s, (unsigned)sf_accel_keys.n)];
	unsigned n = 0, i;

	put(t, "%s=", key->name);
	switch (key->type) {
	case SF_KEY_WORD:
	case SF_KEY_WORDS:
		while (key->choices[n] != NULL)
			n++;
		put(t, "%s", key->choices[choose(s, n)]);
		break;
	case SF_KEY_FLAG:
		put(t, "%s", choose(s, 2) != 0 ? "on" : "off");
		break;
	default:
		for (i = choose(s, 18); n < 18 && !takes(key, numbers[i]); n++)
			i = (i + 1) % 18;
		put(t, "%.17g", numbers[i]);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source s = { data, size };
	static struct text trace, sets[MOST_SETS];
	const char *args[2 * MOST_SETS + 4] = { "--preset", "edge-npu" };
	struct run counted, lowered;
	int n = (int)choose(&s, MOST_SETS + 1);

	/* Half of the programs in whole cycles, which one engine wants. */
	if (choose(&s, 2) != 0)
		args[2 + 2 * n] = "--quantise";
	for (int i = 0; i < n; i++) {
		sets[i].n = 0;
		put_set(&s, &sets[i]);
		args[2 + 2 * i] = "--set";
		args[3 + 2 * i] = sets[i].p;
	}
	trace.n = 0;
	put_trace(&s, &trace);
	counted = RUN(
	    rules, ((struct bytes){ trace.p, trace.n }), DONE, "--strict", );
	lowered = run_program(
	    "lower", sf_lower_main, counted.out, DONE | USAGE | REFUSED, args);
	if (lowered.status == 0)
		stage_engines(lowered.out);
	run_free(&lowered);
	run_free(&counted);
	return 0;
}
