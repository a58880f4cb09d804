/* sf-lower - cut operators into the tiles of an accelerator. */
#include "simfront.h"

#include "accel/accel.h"
#include "accel/fuse.h"
#include "accel/lower.h"
#include "trace/keyrecord.h"

/* Names what is cut as if the array were busy everywhere, and its share. */
static void
note_ideal(struct sf_stream *stream, const struct sf_lowering *lowering)
{
	struct sf_buf names = { 0 };

	for (size_t i = 0; i < lowering->ideal.n; i++) {
		const struct sf_entry *e = lowering->ideal.order[i];

		sf_buf_printf(&names, "%s%s x%lld", i == 0 ? "" : ", ",
		    e->name.p, (long long)e->num);
	}
	if (names.n != 0)
		sf_stream_note(stream,
		    "operators whose rule states no product are cut ideally, "
		    "as if they kept the whole array busy: %.*s; they have "
		    "%.1f %% of the multiply-accumulates",
		    (int)names.n, names.p,
		    100 * lowering->ideal_macs / lowering->macs);
	sf_buf_release(&names);
}

/* FUSE is NULL where nothing is fused. */
static void
lower_op(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_accel *accel, struct sf_fuse *fuse)
{
	struct sf_lower lower;
	struct sf_op op;

	sf_op_read(stream, &op);
	sf_lower_op(lowering, stream, accel, &op, &lower);
	if (fuse != NULL)
		sf_fuse_add(fuse, lowering, &op, &lower);
	else
		sf_lower_put(stream, &lower);
}

static void
end_trace(struct sf_lowering *lowering, struct sf_stream *stream,
    struct sf_fuse *fuse)
{
	if (fuse != NULL)
		sf_fuse_finish(fuse);
	sf_lowering_note(stream, lowering);
	note_ideal(stream, lowering);
	sf_lowering_reset(lowering);
}

static void
lower_record(struct sf_lowering *lowering, struct sf_stream *stream,
    const struct sf_accel *accel, struct sf_fuse *fuse, enum sf_kind kind)
{
	switch (kind) {
	case SF_K_BODY:
		sf_accel_put(stream, accel);
		break;
	case SF_K_ACCEL:
		sf_stream_die(stream, "the trace is lowered already");
	case SF_K_OP:
		lower_op(lowering, stream, accel, fuse);
		break;
	case SF_K_END:
		end_trace(lowering, stream, fuse);
		break;
	default:
		if (fuse != NULL)
			sf_fuse_follow(fuse);
		break;
	}
}

static void
lower_all(struct sf_stream *stream, const struct sf_accel *accel)
{
	struct sf_lowering lowering;
	struct sf_fuse fuse;
	struct sf_fuse *fuses = accel->fuse == SF_FUSE_OFF ? NULL : &fuse;
	enum sf_kind kind;

	sf_lowering_init(&lowering);
	sf_fuse_init(&fuse, stream);
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		lower_record(&lowering, stream, accel, fuses, kind);
	sf_fuse_release(&fuse);
	sf_lowering_release(&lowering);
}

/* --quantise is short for a setting, and does not go with another one of it. */
static void
check_quantise(const struct sf_list *settings, bool quantise)
{
	for (size_t i = 0; i < settings->n && quantise; i++)
		if (sf_str_starts(sf_str_of(settings->v[i]), "quantise="))
			sf_die(SF_EX_USAGE,
			    "'--quantise' with '--set %s', expected one of "
			    "them",
			    settings->v[i]);
}

/* What --keys and --list print. */
static int
print_tables(struct sf_stream *stream, bool keys)
{
	const struct sf_key_scope scope = { "", &sf_accel_keys, NULL, NULL };
	struct sf_buf out = { 0 };

	sf_stream_ask(stream, keys ? "--keys" : "--list");
	if (keys)
		sf_keys_print(&scope, 1, &out);
	else
		sf_config_list(
		    sf_accel_keys.dir, NULL, sf_stream_arena(stream), &out);
	return sf_stream_answer(stream, &out);
}

int
main(int argc, char *argv[])
{
	const char *preset = NULL;
	struct sf_list settings = { 0 };
	bool quantise = false, keys = false, list = false;
	const struct sf_opt opts[] = {
		SF_OPT_CONFIG('p', "preset", &preset, "P",
		    "the accelerator: a name or a JSON file (required)"),
		SF_OPT_LIST('s', "set", &settings, "KEY=VALUE",
		    "change one parameter of it"),
		SF_OPT_FLAG('q', "quantise", &quantise,
		    "count time in whole clock cycles"),
		SF_OPT_FLAG(
		    'k', "keys", &keys, "print the parameters and exit"),
		SF_OPT_FLAG(
		    'l', "list", &list, "print the accelerators and exit"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_filter_open(
	    &(struct sf_tool){ .name = "sf-lower",
		.sandboxed = true,
		.records = &sf_every_record,
		.summary = "Cut operators into the tiles of an accelerator.",
		.opts = opts,
		.operands = "[FILE...]",
		.max_operands = -1,
		.operands_are_paths = true },
	    argc, argv);
	struct sf_accel accel;
	const struct sf_config *config;

	if (keys || list)
		return print_tables(stream, keys);
	check_quantise(&settings, quantise);
	config = sf_accel_load(
	    &accel, preset, &settings, quantise, sf_stream_arena(stream));
	sf_config_add_inputs(stream, config);
	lower_all(stream, &accel);
	return sf_stream_close(stream);
}
