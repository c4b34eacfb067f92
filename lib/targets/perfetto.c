#include "targets/priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The one Perfetto session of a run. Its names and paths are Winscope's: that
 * stops a session of this name, and so may we; and it finds our files.
 */
struct kind {
	const char *name, *dest, *conf, *file;
	const char *options, *said; /* of the command, and what it says when it is done */
	const char *stop, *mode;
};

#define CONFIGS "/data/misc/perfetto-configs/"
#define TRACES "/data/misc/perfetto-traces/"
#define KEY "WINSCOPE-PROXY-TRACING-SESSION"

static const struct kind kinds[] = {
	{ "PerfettoTrace", "trace.perfetto-trace", CONFIGS "winscope-proxy-trace.conf",
		TRACES "winscope-proxy-trace.perfetto-trace", " --detach=" KEY,
		"Perfetto trace started.",
		"perfetto --attach=" KEY " --stop\necho 'Perfetto trace stopped.'",
		"trace" },
	{ "PerfettoDump", "dump.perfetto-trace", CONFIGS "winscope-proxy-dump.conf",
		TRACES "winscope-proxy-dump.perfetto-trace", "", "Dumped perfetto", "",
		"dump" },
};

/* That the first block has no colon and the second one has is Winscope's way. */
static const char surroundings[] = "data_sources {\n"
				   "  config {\n"
				   "    name: \"linux.process_stats\"\n"
				   "    target_buffer: 0\n"
				   "    process_stats_config {\n"
				   "      scan_all_processes_on_start: true\n"
				   "    }\n"
				   "  }\n"
				   "}\n"
				   "data_sources: {\n"
				   "  config {\n"
				   "    name: \"linux.ftrace\"\n"
				   "    ftrace_config {\n"
				   "      ftrace_events: \"ftrace/print\"\n"
				   "      ftrace_events: \"task/task_newtask\"\n"
				   "      ftrace_events: \"task/task_rename\"\n"
				   "      atrace_categories: \"ss\"\n"
				   "      atrace_categories: \"wm\"\n"
				   "    }\n"
				   "  }\n"
				   "}\n";

static void
add_number(struct tc_targets_text *text, const char *key, int64_t n)
{
	char line[64];

	snprintf(line, sizeof(line), "%s: %" PRId64 "\n", key, n);
	tc_targets_add_cstr(text, line);
}

static void
add_buffer(struct tc_targets_text *text, const struct tc_targets_numbers *n)
{
	tc_targets_add_cstr(text, "buffers: {\n");
	add_number(text, "  size_kb", n->buffer_kb);
	tc_targets_add_cstr(text, "  fill_policy: RING_BUFFER\n}\n");
}

static void
add_rest(struct tc_targets_text *text, const struct tc_targets *t)
{
	const struct tc_targets_numbers *n = &t->numbers;

	if (t->dump) {
		add_buffer(text, n);
		add_number(text, "duration_ms", 1);
		return;
	}
	tc_targets_add_cstr(text, surroundings);
	add_buffer(text, n);
	add_number(text, "duration_ms", n->duration_ms);
	if (n->write_period_ms)
		add_number(text, "file_write_period_ms", n->write_period_ms);
	tc_targets_add_cstr(text,
		"write_into_file: true\n"
		"unique_session_name: \"winscope proxy perfetto tracing\"\n");
}

static void
open_source(struct tc_targets_text *text, const char *source)
{
	tc_targets_add_cstr(text, "data_sources: {\n  config {\n    name: \"");
	tc_targets_add_cstr(text, source);
	tc_targets_add_cstr(text, "\"\n");
}

static void
close_source(struct tc_targets_text *text)
{
	tc_targets_add_cstr(text, "  }\n}\n");
}

/* Lists of what to trace, each value once. */
struct lines {
	struct tc_targets_text *text;
	const char *key;    /* in the configuration */
	const char *option; /* in requests */
	struct tc_targets_names seen;
};

static void
add_line(struct lines *l, struct tc_str value)
{
	if (tc_targets_has_str(l->seen.items, l->seen.count, value))
		return;
	tc_mem_grow(
		&l->seen.items, &l->seen.cap, l->seen.count + 1, sizeof(*l->seen.items));
	l->seen.items[l->seen.count++] = value;
	tc_targets_add_cstr(l->text, "      ");
	tc_targets_add_cstr(l->text, l->key);
	tc_targets_add_cstr(l->text, ": \"");
	tc_targets_add_bytes(l->text, value);
	tc_targets_add_cstr(l->text, "\"\n");
}

static void
add_lines_of(struct lines *l, const struct tc_targets_request *r, bool events)
{
	const char *const *e = r->target->events;
	size_t i;

	for (i = 0; i < r->count; i++)
		if (strcmp(r->values[i].option->key, l->option) == 0)
			add_line(l, r->values[i].text);
	for (; events && e && *e; e++)
		add_line(l, tc_str_of(*e));
}

/* One piece for all requests that are about ftrace: events, categories, apps. */
static void
add_ftrace(struct tc_targets_text *text, const struct tc_targets *t, const bool *use)
{
	struct lines lists[] = {
		{ text, "ftrace_events", "events", { NULL, 0, 0 } },
		{ text, "atrace_categories", "categories", { NULL, 0, 0 } },
		{ text, "atrace_apps", "apps", { NULL, 0, 0 } },
	};
	size_t i, j;

	open_source(text, "linux.ftrace");
	tc_targets_add_cstr(text, "    ftrace_config {\n");
	for (i = 0; i < 3; i++) {
		for (j = 0; j < t->request_count; j++)
			if (use[j] && t->requests[j].target->is_ftrace)
				add_lines_of(&lists[i], &t->requests[j], i == 0);
		for (j = 0; i == 2 && j < t->app_count; j++)
			add_line(&lists[i], t->apps[j]);
		free(lists[i].seen.items);
	}
	tc_targets_add_cstr(text, "    }\n");
	close_source(text);
}

static void
add_fragments(struct tc_targets_text *text, const struct tc_targets *t, const bool *use)
{
	const struct tc_targets_request *r;
	bool has_ftrace = false;
	size_t i;

	for (i = 0; i < t->request_count; i++) {
		r = &t->requests[i];
		if (!use[i] || (r->target->is_ftrace && has_ftrace))
			continue;
		has_ftrace |= r->target->is_ftrace;
		if (r->target->is_ftrace) {
			add_ftrace(text, t, use);
			continue;
		}
		open_source(text, r->target->source);
		if (r->target->fragment)
			tc_targets_expand(
				text, r->target->fragment, r, (struct tc_str){ 0 }, true);
		close_source(text);
	}
}

static struct tc_str
start_command(struct tc_targets *t, const struct kind *k, struct tc_str config)
{
	struct tc_targets_text text = { 0 };
	const char *const parts[] = { "EOF\nrm -f ", k->file, "\nperfetto --out ",
		k->file, " --txt --config ", k->conf, k->options, "\necho '", k->said,
		"'" };
	struct tc_str s;
	size_t i;

	tc_targets_add_cstr(&text, "cat << EOF > ");
	tc_targets_add_cstr(&text, k->conf);
	tc_targets_add_cstr(&text, "\n");
	tc_targets_add_bytes(&text, config);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		tc_targets_add_cstr(&text, parts[i]);
	s = tc_targets_take(&text, &t->scratch);
	free(text.p);
	return s;
}

static struct tc_str
config_of(struct tc_targets *t, const bool *use)
{
	struct tc_targets_text text = { 0 };
	struct tc_str s;

	add_fragments(&text, t, use);
	add_rest(&text, t);
	s = tc_targets_take(&text, &t->scratch);
	free(text.p);
	return s;
}

static struct tc_rec_list
names_of(struct tc_targets *t, const bool *use)
{
	struct tc_str name,
		*names = tc_arena_alloc(
			&t->scratch, (t->request_count + 1) * sizeof(*names));
	size_t i, n = 0;

	for (i = 0; i < t->request_count; i++) {
		name = tc_str_of(t->requests[i].target->name);
		if (use[i] && !tc_targets_has_str(names, n, name))
			names[n++] = name;
	}
	return (struct tc_rec_list){ names, n };
}

void
tc_targets_put_perfetto(struct tc_targets *t, struct tc_str device, const bool *use)
{
	const struct kind *k = &kinds[t->dump];
	const struct tc_rec_target_file file = {
		.path = tc_str_of(k->file),
		.match = { "", 0 },
		.dest = tc_str_of(k->dest),
	};
	struct tc_rec_target rec = {
		.device = device,
		.name = tc_str_of(k->name),
		.mode = tc_str_of(k->mode),
		.via = TC_STR("perfetto"),
		.setup = { "", 0 },
		.stop = tc_str_of(k->stop),
		.files = { &file, 1 },
	};

	rec.requests = names_of(t, use);
	rec.config = config_of(t, use);
	rec.start = start_command(t, k, rec.config);
	tc_targets_put(t, &rec);
}
