/* Writing what a profile says. */
#include "ort/profile-report.h"

#include "base/die.h"
#include "base/opt.h"
#include "stream/foreign-file.h"
#include "text/figures.h"
#include "text/markdown.h"

/* ---- for people ---- */

static void
put_heads(struct sf_grid *grid, const char *const *heads, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sf_grid_label(grid, heads[i]);
}

static void
put_counts(struct sf_buf *out, const struct sf_profile *p)
{
	static const char *const heads[] = { "Provider", "Type", "Nodes",
		"Runs", "Time us" };
	struct sf_grid grid;

	SF_BUF_LIT(out, "## By provider\n\n");
	sf_grid_init(&grid, "llrrr");
	put_heads(&grid, heads, sizeof heads / sizeof heads[0]);
	for (size_t i = 0; i < p->ncounts; i++) {
		sf_grid_text(&grid, p->counts[i].provider);
		sf_grid_text(&grid, p->counts[i].type);
		sf_grid_int(&grid, p->counts[i].nodes);
		sf_grid_int(&grid, p->counts[i].runs);
		sf_grid_int(&grid, p->counts[i].dur_us);
	}
	sf_grid_finish(&grid, out);
}

static void
put_nodes(struct sf_buf *out, const struct sf_profile *p)
{
	static const char *const heads[] = { "Index", "Node", "Type",
		"Provider", "Runs", "Time us" };
	struct sf_grid grid;

	SF_BUF_LIT(out, "## Nodes\n\n");
	sf_grid_init(&grid, "rlllrr");
	put_heads(&grid, heads, sizeof heads / sizeof heads[0]);
	for (size_t i = 0; i < p->nodes.n; i++) {
		const struct sf_profile_node *node = p->nodes.order[i]->ptr;

		sf_grid_text(&grid, node->index);
		sf_grid_text(&grid, node->node);
		sf_grid_text(&grid, node->type);
		sf_grid_text(&grid, node->provider);
		sf_grid_int(&grid, node->runs);
		sf_grid_int(&grid, node->dur_us);
	}
	sf_grid_finish(&grid, out);
}

static void
write_markdown(
    struct sf_buf *out, const struct sf_profile *p, struct sf_str name)
{
	SF_BUF_LIT(out, "# ");
	sf_md_text(out, name);
	SF_BUF_LIT(out, "\n\n");
	put_counts(out, p);
	put_nodes(out, p);
}

/* ---- for programs ---- */

static void
fig_counts(struct sf_figures *f, const struct sf_profile *p)
{
	sf_fig_open(f, "counts", '[');
	for (size_t i = 0; i < p->ncounts; i++) {
		const struct sf_profile_count *count = &p->counts[i];

		sf_fig_open(f, NULL, '{');
		sf_fig_str(f, "provider", count->provider);
		sf_fig_str(f, "type", count->type);
		sf_fig_int(f, "nodes", count->nodes, "");
		sf_fig_int(f, "runs", count->runs, "");
		sf_fig_int(f, "dur_us", count->dur_us, "us");
		sf_fig_close(f);
	}
	sf_fig_close(f);
}

static void
fig_nodes(struct sf_figures *f, const struct sf_profile *p)
{
	sf_fig_open(f, "nodes", '[');
	for (size_t i = 0; i < p->nodes.n; i++) {
		const struct sf_profile_node *node = p->nodes.order[i]->ptr;

		sf_fig_open(f, NULL, '{');
		sf_fig_str(f, "index", node->index);
		sf_fig_str(f, "node", node->node);
		sf_fig_str(f, "type", node->type);
		sf_fig_str(f, "provider", node->provider);
		sf_fig_int(f, "runs", node->runs, "");
		sf_fig_int(f, "dur_us", node->dur_us, "us");
		sf_fig_close(f);
	}
	sf_fig_close(f);
}

static void
write_figures(struct sf_buf *out, const struct sf_profile *p,
    struct sf_str name, bool csv)
{
	struct sf_figures f;

	sf_figures_begin_alone(&f, out, csv, name, "ort-profile");
	sf_fig_str(&f, "profile", name);
	sf_fig_int(&f, "events", p->events, "");
	fig_counts(&f, p);
	fig_nodes(&f, p);
	sf_figures_end(&f);
	sf_figures_release(&f);
}

void
sf_profile_report(const char *path, enum sf_format format, struct sf_buf *out)
{
	struct sf_input *input = sf_input_open(path);
	struct sf_str name = sf_str_of(sf_path_base(sf_input_name(input)));
	struct sf_profile profile;
	struct sf_error error;

	if (!sf_profile_read(&profile, input, &error))
		sf_die(SF_EX_INPUT, "%s%s", error.text,
		    sf_foreign_file(path, "sf-ort", sf_arena_new()));
	if (format == SF_FORMAT_MD)
		write_markdown(out, &profile, name);
	else
		write_figures(out, &profile, name, format == SF_FORMAT_CSV);
	sf_profile_release(&profile);
	sf_input_close(input);
}
