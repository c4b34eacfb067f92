#include "import/priv.h"

#include <stdio.h>
#include <string.h>

#include "io/io.h"
#include "rec/rec.h"
#include "source/source.h"

static void
put_stat(struct tc_decode *d, enum tc_trace_stat stat, int64_t index, int64_t value,
	struct tc_out *out)
{
	const struct tc_trace_stat_info *info = tc_trace_stat_info(stat);
	struct tc_rec_stat rec = {
		.name = tc_str_of(info->name),
		.index = index,
		.severity = tc_str_of(info->severity),
		.value = value,
		.trace = d->index,
	};

	tc_rec_put(out, &tc_rec_stat, &rec);
}

/* Where the damage begins is a fact even when that is byte 0. */
static void
put_stats(struct tc_decode *d, int64_t damage, struct tc_out *out)
{
	const struct tc_trace *t = &d->trace;
	int i, j;

	if (damage >= 0)
		put_stat(d, TC_STAT_DAMAGE_OFFSET, TC_NONE, damage, out);
	for (i = 0; i < TC_STAT_COUNT; i++) {
		for (j = 0; t->stats_at[i] && j < TC_TRACE_MAX_INDEX; j++)
			if (t->stats_at[i][j])
				put_stat(d, (enum tc_trace_stat)i, j, t->stats_at[i][j],
					out);
		if (t->stats[i])
			put_stat(d, (enum tc_trace_stat)i, TC_NONE, t->stats[i], out);
	}
}

/* Frames that were there and could not be used are no question of data sources. */
static bool
has_frame_packets(const struct tc_decode *d)
{
	const struct tc_source *const *all = tc_source_all();
	int i;

	for (i = 0; all[i]; i++)
		if (all[i]->has_frames && d->use[i].packets)
			return true;
	return false;
}

static void
put_no_frames(struct tc_decode *d, struct tc_out *out)
{
	static const char begin[] = "no frames in this trace; enable the data sources ";
	const struct tc_source *const *all = tc_source_all();
	char text[512];
	size_t len = sizeof(begin) - 1;
	int i, n = 0;

	memcpy(text, begin, len);
	for (i = 0; all[i]; i++) {
		if (!all[i]->has_frames || len >= sizeof(text))
			continue;
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s (%s)",
			n++ ? ", " : "", all[i]->name, all[i]->help);
	}
	tc_rec_put(out, &tc_rec_notice,
		&(struct tc_rec_notice){ .level = TC_STR("warning"),
			.code = TC_STR("no_frame_data"),
			.text = tc_str_of(text),
			.trace = d->index });
}

/* A name that nobody has is more likely a mistake than a question. */
static void
put_missed(struct tc_decode *d, struct tc_out *out)
{
	const char *options[3];
	char text[64];
	size_t i;

	tc_source_missed(d, options);
	for (i = 0; options[i]; i++) {
		snprintf(text, sizeof(text), "nothing in this trace fits %s", options[i]);
		tc_rec_put(out, &tc_rec_notice,
			&(struct tc_rec_notice){ .level = TC_STR("warning"),
				.code = TC_STR("nothing_chosen"),
				.text = tc_str_of(text),
				.trace = d->index });
	}
}

void
tc_import_put_tail(struct tc_decode *d, int64_t damage, struct tc_out *out)
{
	const struct tc_source *const *all = tc_source_all();
	int i;

	put_stats(d, damage, out);
	for (i = 0; all[i]; i++)
		if (all[i]->end)
			all[i]->end(d, d->use[i].state, out);
	put_missed(d, out);
	if (d->trace.packets && !has_frame_packets(d))
		put_no_frames(d, out);
}

static const struct {
	const char *magic;
	size_t len;
	const char *what;
} others[] = {
	{ "\x1f\x8b", 2, "gzip in what was compressed already" },
	{ "\x28\xb5\x2f\xfd", 4, "zstd in what was compressed already" },
	{ "PK\x03\x04", 4, "a ZIP archive in an archive" },
	{ "TRACE:\n", 7, "systrace text, which has no frame timeline" },
	{ "{", 1, "JSON" },
	{ "<", 1, "HTML or XML" },
	{ "SQLite", 6, "a database" },
};

const char *
tc_import_sniff(const struct tc_in *in)
{
	size_t i;

	if (!tc_in_avail(in))
		return in->source ? "compressed data with nothing in it" : "empty";
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (tc_in_avail(in) >= others[i].len &&
			memcmp(tc_in_at(in), others[i].magic, others[i].len) == 0)
			return others[i].what;
	return NULL;
}
