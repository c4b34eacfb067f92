#include "filter/filter.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "err/err.h"
#include "filter/priv.h"
#include "rec/rec.h"

static void
on_first_interrupt(int sig)
{
	(void)sig;
}

/*
 * Ctrl-C reaches every process of a pipe. The first one is for the tool that
 * holds the device; what it then saves still has to get through. The second
 * meets the default again and ends this process too.
 */
static void
outlive_one_interrupt(void)
{
	struct sigaction sa = { .sa_handler = on_first_interrupt,
		.sa_flags = (int)SA_RESETHAND | SA_RESTART };
	struct sigaction old;

	/*
	 * Who started us with it ignored, as a script's background, wants it so; and a
	 * tool that has a device sees to it itself.
	 */
	if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_DFL)
		return;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
}

void
tc_filter_error(struct tc_filter_run *run, const char *code, const char *text,
	struct tc_str subject_json)
{
	struct tc_rec_error rec = {
		.tool = tc_str_of(run->cli->tool),
		.code = tc_str_of(code),
		.text = tc_str_of(text),
		.subject = subject_json,
	};

	tc_rec_put(&run->out, &tc_rec_error, &rec);
}

struct tc_str
tc_filter_quote(struct tc_filter_run *run, const char *name)
{
	struct tc_out o = { .fd = -1, .cap = strlen(name) * 6 + 4096 };

	o.buf = tc_arena_alloc(&run->arena, o.cap);
	tc_out_quoted(&o, tc_str_of(name));
	return (struct tc_str){ o.buf, (uint32_t)o.len, false };
}

const char *
tc_filter_input(const struct tc_filter_run *run)
{
	return run->in->name;
}

static void
put_tool(struct tc_filter_run *run)
{
	struct tc_rec_tool rec = {
		.tool = tc_str_of(run->cli->tool),
		.version = TC_STR(TC_VERSION),
		.contract = TC_CONTRACT,
	};

	tc_rec_put(&run->out, &tc_rec_tool, &rec);
}

static void
put_end(struct tc_filter_run *run, int status)
{
	struct tc_rec_end rec = {
		.tool = tc_str_of(run->cli->tool),
		.status = status,
		.records = run->out.records - 1, /* less the tool record */
	};

	tc_rec_put(&run->out, &tc_rec_end, &rec);
}

/* The type of a record that has it first, as our own all do, without parsing. */
static bool
type_at_front(struct tc_str line, struct tc_str *type)
{
	static const char front[] = "{\"type\":\"";
	const size_t n = sizeof(front) - 1;
	const char *quote;

	if (line.len < n || memcmp(line.p, front, n) != 0)
		return false;
	quote = memchr(line.p + n, '"', line.len - n);
	if (!quote)
		return false;
	*type = (struct tc_str){ line.p + n, (uint32_t)((size_t)(quote - line.p) - n),
		false };
	return memchr(type->p, '\\', type->len) == NULL;
}

static const struct tc_filter_on *
handler(const struct tc_filter *filter, struct tc_str type)
{
	const struct tc_filter_on *on;

	for (on = filter->on; on && on->type; on++)
		if (strlen(on->type->name) == type.len &&
			memcmp(on->type->name, type.p, type.len) == 0)
			return on;
	return NULL;
}

static void
pass_on(struct tc_filter_run *run, struct tc_str line)
{
	tc_out_write(&run->out, line.p, line.len);
	tc_out_lit(&run->out, "\n");
	run->out.records++;
}

/* A trace begins with a packet's tag, which is a newline, and how long the packet is. */
static bool
is_like_trace(const struct tc_in *in, struct tc_str line)
{
	return in->line == 1 && line.len == 0 && tc_in_avail(in) > 0 &&
		*tc_in_at(in) != '{' && *tc_in_at(in) != '\n';
}

static int
parse(struct tc_filter_run *run, struct tc_str line, struct tc_json_val *root,
	struct tc_err *err)
{
	if (is_like_trace(run->in, line))
		return tc_err_set(err, TC_DATA,
			"%s:1:1: not records: a Perfetto trace? tc-import reads those",
			run->in->name);
	if (tc_json_parse(&run->json, line, root, err))
		return tc_err_add(err, "%s:%llu:%zu", run->in->name,
			(unsigned long long)run->in->line, run->json.error_pos + 1);
	if (!tc_json_is_obj(*root))
		return tc_err_set(err, TC_DATA, "%s:%llu:1: not a JSON object",
			run->in->name, (unsigned long long)run->in->line);
	return 0;
}

/* Parses a line whose type is not at its front. */
static int
parsed_type(struct tc_filter_run *run, struct tc_str line, struct tc_json_val *root,
	struct tc_str *type, struct tc_err *err)
{
	if (parse(run, line, root, err))
		return -1;
	if (!tc_json_get_str(tc_json_member(*root, "type"), type))
		return tc_err_set(err, TC_DATA, "%s:%llu:1: record without a type",
			run->in->name, (unsigned long long)run->in->line);
	return 0;
}

/* Everything that can be wrong with a line is found before it is passed on. */
static int
read_record(struct tc_filter_run *run, struct tc_str line, const struct tc_filter_on **on,
	void **rec, struct tc_err *err)
{
	struct tc_json_val root = { NULL };
	struct tc_str type;

	*on = NULL;
	if (!type_at_front(line, &type) && parsed_type(run, line, &root, &type, err))
		return -1;
	*on = handler(run->filter, type);
	if (tc_filter_is_upstream(type)) {
		if (!root.v && parse(run, line, &root, err))
			return -1;
		if (tc_filter_upstream(run, type, root, err))
			return tc_err_add(err, "%s:%llu", run->in->name,
				(unsigned long long)run->in->line);
	}
	if (!*on || !(*on)->fn)
		return 0;
	if (!root.v && parse(run, line, &root, err))
		return -1;
	*rec = tc_arena_alloc(&run->arena, (*on)->type->size);
	if (tc_rec_get((*on)->type, root, &run->arena, *rec, err))
		return tc_err_add(
			err, "%s:%llu", run->in->name, (unsigned long long)run->in->line);
	return 0;
}

/* 0, or -1 when the run is over. A bad line is skipped with -k. */
static int
bad_line(struct tc_filter_run *run, struct tc_err *err)
{
	if (err->code != TC_DATA || !run->cli->keep_going)
		return -1;
	tc_cli_diag(run->cli, TC_ERROR, tc_err_name(TC_DATA), NULL, "%s", err->msg);
	/* An input that failed came first; a part that did counts for less. */
	if (run->status <= TC_PARTIAL)
		run->status = TC_DATA;
	return 0;
}

int
tc_filter_refuse(struct tc_filter_run *run, struct tc_err *err)
{
	tc_err_add(err, "%s:%llu", run->in->name, (unsigned long long)run->in->line);
	return bad_line(run, err);
}

static int
one_line(struct tc_filter_run *run, struct tc_str line, struct tc_err *err)
{
	const struct tc_filter_on *on;
	void *rec = NULL;

	tc_arena_reset(&run->arena);
	if (read_record(run, line, &on, &rec, err))
		return bad_line(run, err);
	if (!on || !on->replaces || run->filter->keep)
		pass_on(run, line);
	run->type = on ? on->type : NULL;
	if (on && on->fn && on->fn(run->ctx, run, rec, err))
		return -1;
	return tc_out_check(&run->out, err);
}

/* Whether the next line may take its time. */
static bool
is_idle(const struct tc_in *in)
{
	struct pollfd pfd = { .fd = in->fd, .events = POLLIN };

	return !memchr(tc_in_at(in), '\n', tc_in_avail(in)) && in->fd >= 0 &&
		poll(&pfd, 1, 0) == 0;
}

static int
next_line(struct tc_filter_run *run, struct tc_str *line, struct tc_err *err)
{
	if (run->filter->idle && is_idle(run->in) &&
		run->filter->idle(run->ctx, run, err))
		return -2;
	return tc_in_line(run->in, TC_FILTER_MAX_LINE, line, err);
}

static int
read_lines(struct tc_filter_run *run, struct tc_err *err)
{
	struct tc_str line;
	int r;

	while ((r = next_line(run, &line, err)) != 0) {
		if (r == -2)
			return -1;
		if (r < 0 && err->code == TC_DATA)
			tc_err_add(err, "%s:%llu", run->in->name,
				(unsigned long long)run->in->line);
		r = r < 0 ? bad_line(run, err) : one_line(run, line, err);
		if (r)
			return -1;
	}
	tc_filter_upstream_done(run);
	return 0;
}

static int
one_input(struct tc_filter_run *run, const char *name, struct tc_err *err)
{
	struct tc_in in;
	int r;

	if (tc_in_open(&in, name, err))
		return -1;
	if (in.fd == STDIN_FILENO && in.is_pipe && !run->filter->is_interruptible)
		outlive_one_interrupt();
	in.tie = &run->out;
	run->in = &in;
	r = tc_in_want(&in, 1, err);
	if (r >= 0) {
		if (run->filter->raw && (r == 0 || *tc_in_at(&in) != '{'))
			r = run->filter->raw(run->ctx, run, &in, err);
		else
			r = read_lines(run, err);
	}
	tc_in_close(&in);
	run->in = NULL;
	return r;
}

/*
 * What is wrong with one input of several does not keep the others from being
 * read: it is reported here, and the first such failure is the status.
 */
static int
each_input(struct tc_filter_run *run, char **inputs, struct tc_err *err)
{
	size_t i;

	for (i = 0; inputs[i]; i++) {
		if (one_input(run, inputs[i], err) == 0)
			continue;
		run->open_count = 0; /* the failure is said, and is this input's */
		if (!inputs[1] || run->out.sys)
			return -1;
		tc_cli_diag(run->cli, TC_ERROR, tc_err_what(err), NULL, "%s", err->msg);
		if (!run->status)
			run->status = (int)err->code;
	}
	return 0;
}

static int
status_of(const struct tc_filter_run *run, int r, const struct tc_err *err)
{
	if (r)
		return (int)err->code;
	if (run->status || run->filter->ignores)
		return run->status;
	if (run->upstream_cut || run->upstream_broken ||
		(run->filter->heeds && (run->upstream_failed || run->lost_count > 0)))
		return TC_PARTIAL;
	return TC_OK;
}

int
tc_filter_run(const struct tc_filter *filter, void *ctx, struct tc_cli *cli,
	char **inputs, struct tc_err *err)
{
	static char dash[] = "-";
	char *only_stdin[] = { dash, NULL };
	struct tc_filter_run run = { .cli = cli, .filter = filter, .ctx = ctx };
	int r = 0, status;

	/* A file that may not grow any more is a write that fails, like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	tc_out_init(&run.out, STDOUT_FILENO);
	put_tool(&run);
	if (filter->begin)
		r = filter->begin(ctx, &run, err);
	if (r == 0 && !filter->reads_nothing)
		r = each_input(&run, inputs[0] ? inputs : only_stdin, err);
	if (r == 0 && filter->end)
		r = filter->end(ctx, &run, err);
	status = status_of(&run, r, err);
	if (!run.out.sys)
		put_end(&run, status);
	if (tc_out_flush(&run.out, err))
		r = -1;
	tc_out_release(&run.out);
	tc_arena_release(&run.arena);
	tc_json_release(&run.json);
	tc_map_release(&run.lost);
	free(run.open);
	return r ? -1 : status;
}
