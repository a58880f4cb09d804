/* The bounded FIFO's figures for people, and exact ones for programs. */
#include "fifo/fifo-table.h"

#include "stream/jsonw.h"

void
sf_fifo_table_begin(struct sf_buf *out, enum sf_format format)
{
	if (format == SF_FORMAT_MD)
		sf_buf_printf(out,
		    "| case          | depth | throughput | blocked | starved "
		    "|      L | lambda W | max |\n"
		    "|:--------------|------:|-----------:|--------:|--------:"
		    "|-------:|---------:|----:|\n");
	else if (format == SF_FORMAT_CSV)
		sf_buf_printf(out,
		    "case,produce,consume,burst,depth,throughput,blocked,"
		    "starved,mean_depth,lambda_w,max_depth\n");
}

static void
row_md(struct sf_buf *out, const struct sf_fifo_case *c, int64_t depth,
    const struct sf_fifo_run *run)
{
	sf_buf_printf(out,
	    "| %-13s | %5lld | %10.4f | %6.1f%% | %6.1f%% | %6.3f | %8.3f | "
	    "%3lld |\n",
	    c->name, (long long)depth, run->throughput, run->blocked * 100,
	    run->starved * 100, run->mean_depth, run->lambda_w,
	    (long long)run->max_depth);
}

static void
row_json(struct sf_buf *out, const struct sf_fifo_case *c, int64_t depth,
    const struct sf_fifo_run *run)
{
	struct sf_jsonw w = { 0 };

	sf_jsonw_open(&w, '{');
	sf_jsonw_kcstr(&w, "case", c->name);
	sf_jsonw_kdouble(&w, "produce", c->produce);
	sf_jsonw_kdouble(&w, "consume", c->consume);
	sf_jsonw_kint(&w, "burst", c->burst);
	sf_jsonw_kint(&w, "depth", depth);
	sf_jsonw_kdouble(&w, "throughput", run->throughput);
	sf_jsonw_kdouble(&w, "blocked", run->blocked);
	sf_jsonw_kdouble(&w, "starved", run->starved);
	sf_jsonw_kdouble(&w, "mean_depth", run->mean_depth);
	sf_jsonw_kdouble(&w, "lambda_w", run->lambda_w);
	sf_jsonw_kint(&w, "max_depth", run->max_depth);
	sf_jsonw_close(&w, '}');
	sf_buf_put(out, w.buf.p, w.buf.n);
	sf_buf_putc(out, '\n');
	sf_buf_release(&w.buf);
}

static void
row_csv(struct sf_buf *out, const struct sf_fifo_case *c, int64_t depth,
    const struct sf_fifo_run *run)
{
	const double values[] = { run->throughput, run->blocked, run->starved,
		run->mean_depth, run->lambda_w };

	sf_buf_printf(out, "%s,", c->name);
	sf_buf_double(out, c->produce);
	sf_buf_putc(out, ',');
	sf_buf_double(out, c->consume);
	sf_buf_printf(out, ",%lld,%lld", (long long)c->burst, (long long)depth);
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		sf_buf_putc(out, ',');
		sf_buf_double(out, values[i]);
	}
	sf_buf_printf(out, ",%lld\n", (long long)run->max_depth);
}

void
sf_fifo_table_row(struct sf_buf *out, enum sf_format format,
    const struct sf_fifo_case *c, int64_t depth, const struct sf_fifo_run *run)
{
	switch (format) {
	case SF_FORMAT_MD:
		row_md(out, c, depth, run);
		break;
	case SF_FORMAT_JSON:
		row_json(out, c, depth, run);
		break;
	case SF_FORMAT_CSV:
		row_csv(out, c, depth, run);
		break;
	}
}
