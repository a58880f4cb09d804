/* The `lower` member of an op: writing it, reading it, refusing nonsense. */
#include "accel/lower.h"
#include "base/num.h"

static const char *const where_names[] = {
	[SF_ON_NONE] = "none",
	[SF_ON_ARRAY] = "array",
	[SF_ON_VECTOR] = "vector",
	[SF_ON_TRANSIT] = "transit",
};

const char *
sf_where_name(enum sf_where where)
{
	return where_names[where];
}

/* ---- writing ---- */

static void
put_gemm(struct sf_jsonw *w, const struct sf_gemm *g)
{
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "batch", g->batch);
	sf_jsonw_kint(w, "m", g->m);
	sf_jsonw_kint(w, "k", g->k);
	sf_jsonw_kint(w, "n", g->n);
	sf_jsonw_kint(w, "bb", g->bb);
	sf_jsonw_kint(w, "bm", g->bm);
	sf_jsonw_kint(w, "bk", g->bk);
	sf_jsonw_kint(w, "bn", g->bn);
	sf_jsonw_kint(w, "tiles", g->tiles);
	if (g->b_elements != 0) {
		sf_jsonw_kint(w, "b_bytes", g->b_bytes);
		sf_jsonw_kint(w, "b_elements", g->b_elements);
	}
	sf_jsonw_close(w, '}');
}

static void
put_nest(struct sf_jsonw *w, const struct sf_lower *lower)
{
	if (lower->ngemms == 0) {
		sf_jsonw_kint(w, "slices", lower->tiles);
		sf_jsonw_kint(w, "rd", lower->rd);
		sf_jsonw_kint(w, "wr", lower->wr);
		sf_jsonw_kint(w, "work", lower->work);
		sf_jsonw_kint(w, "flops", lower->flops);
		if (lower->ideal) {
			sf_jsonw_key(w, "ideal");
			sf_jsonw_bool(w, true);
		}
		return;
	}
	sf_jsonw_kint(w, "e_in", lower->e_in);
	sf_jsonw_kint(w, "e_out", lower->e_out);
	sf_jsonw_key(w, "gemms");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < lower->ngemms; i++)
		put_gemm(w, &lower->gemms[i]);
	sf_jsonw_close(w, ']');
}

void
sf_lower_put(struct sf_stream *stream, const struct sf_lower *lower)
{
	struct sf_jsonw *w = sf_stream_extend(stream, "lower");

	sf_jsonw_open(w, '{');
	sf_jsonw_kcstr(w, "unit", sf_where_name(lower->where));
	sf_jsonw_key(w, "deps");
	sf_jsonw_open(w, '[');
	for (int i = 0; i < lower->ndeps; i++)
		sf_jsonw_int(w, lower->deps[i]);
	sf_jsonw_close(w, ']');
	sf_jsonw_kint(w, "tiles", lower->tiles);
	if (lower->where != SF_ON_NONE)
		put_nest(w, lower);
	sf_jsonw_close(w, '}');
}

/* ---- reading ---- */

struct reader {
	struct sf_stream *stream;
	const struct sf_op *op;
	struct sf_json scan;
	struct sf_lower *lower;
	int64_t slices; /* -1 without */
	bool unit;      /* the unit was there */
};

/* An integer from LEAST up. */
static int64_t
read_int(struct reader *r, const char *name, int64_t least)
{
	int64_t x = sf_json_int(&r->scan);

	if (r->scan.error == NULL && x < least)
		sf_op_die(r->stream, r->op,
		    "lower: '%s' is %lld, expected %lld or more", name,
		    (long long)x, (long long)least);
	return x;
}

static void
read_unit(struct reader *r)
{
	struct sf_str name = sf_json_string(&r->scan);

	r->unit = true;
	for (int i = 0; i <= SF_ON_TRANSIT; i++)
		if (sf_str_is(name, where_names[i])) {
			r->lower->where = (enum sf_where)i;
			return;
		}
	if (r->scan.error == NULL)
		sf_op_die(r->stream, r->op,
		    "lower: unit '%.*s', expected array, vector, transit or "
		    "none",
		    SF_STR_ARG(name));
}

static void
read_deps(struct reader *r)
{
	/* Of how many there can be, the text says enough: two bytes each. */
	struct sf_arena *arena = sf_stream_record_arena(r->stream);
	int64_t *deps =
	    sf_arena_calloc(arena, r->op->lower.n / 2 + 1, sizeof *deps);
	int n = 0;

	sf_json_enter(&r->scan, '[');
	while (sf_json_element(&r->scan)) {
		int64_t dep = read_int(r, "deps", 0);

		if (dep >= r->op->i)
			sf_op_die(r->stream, r->op,
			    "lower: depends on op %lld, expected an earlier "
			    "one",
			    (long long)dep);
		if (r->scan.error == NULL)
			deps[n++] = dep;
	}
	r->lower->deps = deps;
	r->lower->ndeps = n;
}

static int64_t *
gemm_field(struct sf_gemm *g, struct sf_str key)
{
	static const char *const names[] = { "batch", "m", "k", "n", "bb", "bm",
		"bk", "bn", "tiles", "b_bytes", "b_elements" };
	int64_t *const fields[] = { &g->batch, &g->m, &g->k, &g->n, &g->bb,
		&g->bm, &g->bk, &g->bn, &g->tiles, &g->b_bytes,
		&g->b_elements };

	for (int i = 0; i < 11; i++)
		if (sf_str_is(key, names[i]))
			return fields[i];
	return NULL;
}

/* True when every field was there and the blocks give that many tiles. */
static bool
is_whole(const struct sf_gemm *g)
{
	int64_t counts[4], tiles;

	/* Fields are at least 1 once they have been read. */
	if (g->batch == 0 || g->m == 0 || g->k == 0 || g->n == 0 ||
	    g->bb == 0 || g->bm == 0 || g->bk == 0 || g->bn == 0)
		return false;
	counts[0] = sf_ceil_div(g->batch, g->bb);
	counts[1] = sf_ceil_div(g->m, g->bm);
	counts[2] = sf_ceil_div(g->k, g->bk);
	counts[3] = sf_ceil_div(g->n, g->bn);
	return (g->b_bytes == 0) == (g->b_elements == 0) && g->bb <= g->batch &&
	    g->bm <= g->m && g->bk <= g->k && g->bn <= g->n &&
	    sf_mul_all(counts, 4, &tiles) && tiles == g->tiles;
}

static void
read_gemm(struct reader *r, struct sf_gemm *g)
{
	struct sf_str key;

	*g = (struct sf_gemm){ 0 };
	sf_json_enter(&r->scan, '{');
	while (sf_json_member(&r->scan, &key)) {
		int64_t *field = gemm_field(g, key);

		if (field != NULL)
			*field = read_int(r, "gemms", 1);
		else
			sf_json_skip(&r->scan);
	}
	if (r->scan.error == NULL && !is_whole(g))
		sf_op_die(r->stream, r->op,
		    "lower: a GEMM whose sizes, blocks and tiles do not fit "
		    "together");
}

static void
read_gemms(struct reader *r)
{
	struct sf_lower *l = r->lower;

	sf_json_enter(&r->scan, '[');
	while (sf_json_element(&r->scan)) {
		if (l->ngemms == SF_MAX_GEMMS)
			sf_op_die(r->stream, r->op, "lower: more than %d GEMMs",
			    SF_MAX_GEMMS);
		read_gemm(r, &l->gemms[l->ngemms++]);
	}
}

static void
read_member(struct reader *r, struct sf_str key)
{
	struct sf_lower *l = r->lower;

	if (SF_KEY(key, "unit"))
		read_unit(r);
	else if (SF_KEY(key, "deps"))
		read_deps(r);
	else if (SF_KEY(key, "tiles"))
		l->tiles = read_int(r, "tiles", 0);
	else if (SF_KEY(key, "slices"))
		r->slices = read_int(r, "slices", 1);
	else if (SF_KEY(key, "rd"))
		l->rd = read_int(r, "rd", 0);
	else if (SF_KEY(key, "wr"))
		l->wr = read_int(r, "wr", 0);
	else if (SF_KEY(key, "work"))
		l->work = read_int(r, "work", 0);
	else if (SF_KEY(key, "flops"))
		l->flops = read_int(r, "flops", 0);
	else if (SF_KEY(key, "e_in"))
		l->e_in = read_int(r, "e_in", 1);
	else if (SF_KEY(key, "e_out"))
		l->e_out = read_int(r, "e_out", 1);
	else if (SF_KEY(key, "ideal"))
		l->ideal = sf_json_bool(&r->scan);
	else if (SF_KEY(key, "gemms"))
		read_gemms(r);
	else
		sf_json_skip(&r->scan);
}

static void
check(struct reader *r)
{
	const struct sf_lower *l = r->lower;
	int64_t tiles = r->slices > 0 ? r->slices : 0;

	if (!r->unit)
		sf_op_die(r->stream, r->op, "lower: no 'unit'");
	for (int i = 0; i < l->ngemms; i++)
		if (!sf_add(tiles, l->gemms[i].tiles, &tiles))
			sf_op_die(r->stream, r->op,
			    "lower: more than 2^63 - 1 tiles");
	if ((l->where == SF_ON_NONE) != (tiles == 0) || tiles != l->tiles ||
	    (l->ngemms != 0 && (r->slices >= 0 || l->where != SF_ON_ARRAY)))
		sf_op_die(r->stream, r->op,
		    "lower: the nest has %lld tiles, 'tiles' is %lld, unit %s",
		    (long long)tiles, (long long)l->tiles,
		    sf_where_name(l->where));
	if (l->ngemms != 0 && (l->e_in == 0 || l->e_out == 0))
		sf_op_die(r->stream, r->op, "lower: no '%s'",
		    l->e_in == 0 ? "e_in" : "e_out");
}

void
sf_lower_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_lower *lower)
{
	struct reader r = { .stream = stream,
		.op = op,
		.lower = lower,
		.slices = -1,
		.scan = { .p = op->lower.p,
		    .start = op->lower.p,
		    .arena = sf_stream_record_arena(stream) } };
	struct sf_str key;

	*lower = (struct sf_lower){ .where = SF_ON_NONE };
	if (op->lower.n == 0)
		sf_op_die(stream, op,
		    "is not lowered, expected a trace from sf-lower");
	sf_json_enter(&r.scan, '{');
	while (sf_json_member(&r.scan, &key))
		read_member(&r, key);
	if (r.scan.error != NULL)
		sf_op_die(stream, op, "lower: %s", r.scan.error);
	check(&r);
}
