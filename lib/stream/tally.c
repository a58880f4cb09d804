/* Records of a trace held against each other. */
#include "stream/tally.h"

#include "base/num.h"
#include "stream/member.h"

void
sf_tally_begin(struct sf_tally *tally)
{
	*tally = (struct sf_tally){ .summary_ops = -1 };
}

/* Kinds that a trace has one of at most. */
static bool
is_alone(enum sf_kind kind)
{
	return kind == SF_K_DEVICE || kind == SF_K_ACCEL ||
	    kind == SF_K_SUMMARY || kind == SF_K_PARTITION;
}

void
sf_tally_record(struct sf_stream *stream, enum sf_kind kind)
{
	struct sf_tally *tally = sf_stream_tally(stream);

	if (kind >= SF_K_OTHER)
		return;
	if (tally->records[kind]++ != 0 && is_alone(kind))
		sf_stream_die(stream, "a second %s record", sf_kind_name(kind));
}

void
sf_tally_sum(struct sf_stream *stream, const struct sf_place *place,
    const char *what, int64_t *sum, int64_t more)
{
	if (!sf_add(*sum, more, sum))
		sf_place_die(stream, place,
		    "the trace's sum of %s passes 2^63 - 1", what);
}

/* ---- the end ---- */

/* Of what the record of a kind tells, N of OPS operators carry theirs. */
static void
check_carried(struct sf_stream *stream, enum sf_kind kind, const char *what,
    int64_t n, int64_t ops)
{
	bool there = sf_stream_tally(stream)->records[kind] != 0;

	if (!there && n != 0)
		sf_stream_die(stream,
		    "%lld operators carry %s, expected a %s record beside them",
		    (long long)n, what, sf_kind_name(kind));
	if (there && n != ops)
		sf_stream_die(stream,
		    "%lld of %lld operators carry %s, expected all",
		    (long long)n, (long long)ops, what);
}

static void
check_side(
    struct sf_stream *stream, const char *name, int64_t said, int64_t found)
{
	if (said != found)
		sf_stream_die(stream,
		    "the partition's '%s' is %lld, expected %lld as on the "
		    "operators",
		    name, (long long)said, (long long)found);
}

static void
check_partition(struct sf_stream *stream, const struct sf_tally *t)
{
	const struct sf_tally_sides *said = &t->partition, *found = &t->sides;

	check_side(stream, "claimed", said->claimed, found->claimed);
	check_side(stream, "subgraphs", said->subgraphs, found->subgraphs);
	check_side(stream, "crossings", said->crossings, found->crossings);
	check_side(stream, "crossing_bytes", said->crossing_bytes,
	    found->crossing_bytes);
}

void
sf_tally_end(struct sf_stream *stream, int64_t ops)
{
	const struct sf_tally *t = sf_stream_tally(stream);

	/* A program of a user's may pass operators that it does not read. */
	if (t->ops != ops)
		return;
	check_carried(stream, SF_K_DEVICE, "costs", t->costed, ops);
	check_carried(stream, SF_K_PARTITION, "a side", t->sided, ops);
	if (t->records[SF_K_SUMMARY] == 0)
		check_carried(stream, SF_K_SUMMARY, "times", t->timed, ops);
	if (t->summary_ops >= 0 && t->summary_ops != t->timed)
		sf_stream_die(stream,
		    "the summary counts %lld operators, found times on %lld",
		    (long long)t->summary_ops, (long long)t->timed);
	if (t->partition_read && t->sides_read == t->sided)
		check_partition(stream, t);
}
