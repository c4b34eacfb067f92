/* From the answers of a device to what is known of it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe/priv.h"

/* Where a capture writes: what it collects in the end, and Perfetto meanwhile. */
#define RUNS "/data/local/tmp"
#define TRACES "/data/misc/perfetto-traces"

static const char *const folders[] = { RUNS, TRACES };

enum { FOLDERS = sizeof(folders) / sizeof(*folders) };

/* The service takes no more of all users together. */
enum { MAX_SESSIONS_IN_ALL = 15 };

/*
 * One line each, so that all go off at once and none waits for another. What is
 * for people is asked for only where there is nothing else.
 */
static const char *const commands[TC_PROBE_QUESTIONS] = {
	[TC_PROBE_PROPS] = "getprop",
	[TC_PROBE_UID] = "id -u",
	[TC_PROBE_SU] = "su root id -u",
	[TC_PROBE_DISPLAYS] = "dumpsys SurfaceFlinger --display-id",
	[TC_PROBE_SCREENRECORD] =
		"screenrecord --version 2>&1 || screenrecord --help 2>&1",
	[TC_PROBE_WAYLAND] = "service check Wayland",
	[TC_PROBE_FREE] = "for p in " RUNS " " TRACES
			  "; do stat -f -c \"%a %S $p\" $p || { echo df $p; df -k $p; }; "
			  "done",
	[TC_PROBE_PERFETTO] = "perfetto --query-raw 2>/dev/null || perfetto --query",
	[TC_PROBE_PROTOLOG] = "cmd protolog_configuration groups list",
};

const char *
tc_probe_command(enum tc_probe_question q)
{
	return commands[q];
}

/* ---- notices ---- */

static void __attribute__((format(printf, 4, 5)))
say(struct tc_probe_learnt *l, const char *level, const char *code, const char *fmt, ...)
{
	struct tc_rec_notice *n;
	char text[512];
	va_list ap;

	if (l->notice_count == TC_PROBE_MAX_NOTICES)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = &l->notices[l->notice_count++];
	tc_rec_init(&tc_rec_notice, n);
	n->device = l->rec.device;
	n->level = tc_str_of(level);
	n->code = tc_str_of(code);
	n->text = tc_str_of(tc_arena_dup(l->arena, text, strlen(text) + 1));
}

/* What a command said, short enough for a message: errors, or else its output. */
static struct tc_str
said(const struct tc_probe_answer *a)
{
	struct tc_str s = tc_probe_trim(a->err), end;

	if (!s.len)
		s = tc_probe_trim(a->out);
	if (!tc_probe_line(&s, &end))
		return TC_STR("it says nothing");
	if (end.len > 160)
		end.len = 160;
	return end;
}

/* As the shell has it of a command that is not there. */
static bool
is_missing(const struct tc_probe_answer *a)
{
	return a->status == 127 &&
		(tc_probe_has(a->err, "not found") || tc_probe_has(a->out, "not found"));
}

/* A fact is not known because its command did not give it. */
static void
say_failed(struct tc_probe_learnt *l, enum tc_probe_question q, const char *what,
	const struct tc_probe_answer *a)
{
	struct tc_str text = a->came ? said(a) : a->text;

	if (!a->came)
		say(l, "warning", a->code.p, "%s not known: %s: %.*s", what, commands[q],
			(int)text.len, text.p);
	else if (is_missing(a))
		say(l, "warning", "no_command", "%s not known: %s: %.*s", what,
			commands[q], (int)text.len, text.p);
	else if (a->status != 0)
		say(l, "warning", "failed", "%s not known: %s: status %d: %.*s", what,
			commands[q], a->status, (int)text.len, text.p);
	else
		say(l, "warning", "unreadable",
			"%s not known: no answer that can be read came of %s: %.*s", what,
			commands[q], (int)text.len, text.p);
}

static bool
succeeded(const struct tc_probe_answer *a)
{
	return a->came && a->status == 0;
}

/* ---- each fact ---- */

static void
learn_props(struct tc_probe_learnt *l, const struct tc_probe_answer *a)
{
	struct tc_str model, sdk;

	if (!succeeded(a)) {
		say_failed(l, TC_PROBE_PROPS, "version and build are", a);
		return;
	}
	model = tc_probe_prop(a->out, "ro.product.model");
	if (model.p)
		l->rec.model = model;
	sdk = tc_probe_prop(a->out, "ro.build.version.sdk");
	if (sdk.p && tc_probe_number(sdk) >= 1)
		l->rec.sdk = tc_probe_number(sdk);
	l->rec.release = tc_probe_prop(a->out, "ro.build.version.release");
	l->rec.build = tc_probe_prop(a->out, "ro.build.fingerprint");
	if (!l->rec.model.p || l->rec.sdk == TC_NONE || !l->rec.release.p ||
		!l->rec.build.p)
		say(l, "warning", "unreadable", "not in what getprop says:%s%s%s%s",
			l->rec.model.p ? "" : " model",
			l->rec.sdk != TC_NONE ? "" : " sdk",
			l->rec.release.p ? "" : " release",
			l->rec.build.p ? "" : " build");
}

/* Who commands run as; -1: not known. */
static int64_t
uid_of(const struct tc_probe_answer *a)
{
	return succeeded(a) ? tc_probe_number(a->out) : -1;
}

/* Only su's own word makes it root; nothing at all is no 0. */
static void
learn_root(struct tc_probe_learnt *l, const struct tc_probe_answer *uid,
	const struct tc_probe_answer *su)
{
	struct tc_str why;

	if (uid_of(uid) == 0)
		l->rec.root = TC_STR("adbd");
	else if (uid_of(su) == 0)
		l->rec.root = TC_STR("su");
	else if (uid_of(uid) < 0)
		say_failed(l, TC_PROBE_UID, "root is", uid);
	else if (!su->came)
		say_failed(l, TC_PROBE_SU, "root is", su);
	else {
		l->rec.root = TC_STR("none");
		why = said(su);
		if (is_missing(su))
			say(l, "info", "no_su", "no root: the device has no su");
		else
			say(l, "info", "su_denied", "no root: %s: status %d: %.*s",
				commands[TC_PROBE_SU], su->status, (int)why.len, why.p);
	}
}

static void
learn_displays(struct tc_probe_learnt *l, const struct tc_probe_answer *a)
{
	if (!succeeded(a) || tc_probe_displays(a->out, l->arena, &l->rec.displays))
		say_failed(l, TC_PROBE_DISPLAYS, "displays are", a);
}

static void
learn_screenrecord(struct tc_probe_learnt *l, const struct tc_probe_answer *a)
{
	if (a->came && !is_missing(a))
		l->rec.screenrecord = tc_probe_screenrecord(a->out);
	if (!l->rec.screenrecord.p)
		say_failed(l, TC_PROBE_SCREENRECORD, "screenrecord's version is", a);
}

static void
learn_wayland(struct tc_probe_learnt *l, const struct tc_probe_answer *a)
{
	int found = succeeded(a) ? tc_probe_service_found(a->out) : -1;

	if (found >= 0)
		l->rec.wayland = found;
	else
		say_failed(l, TC_PROBE_WAYLAND, "whether there is Wayland is", a);
}

/* What failed for one folder may have been said for the other. */
static void
learn_free(struct tc_probe_learnt *l, const struct tc_probe_answer *a)
{
	struct tc_rec_device_free *all = tc_arena_alloc(l->arena, FOLDERS * sizeof(*all));
	struct tc_str why = said(a);
	size_t i, n = 0;

	for (i = 0; i < FOLDERS; i++) {
		all[n].path = tc_str_of(folders[i]);
		all[n].bytes = tc_probe_free(a->out, folders[i]);
		if (all[n].bytes >= 0)
			n++;
		else if (a->came)
			say(l, "warning", "unreadable",
				"what is free in %s is not known: %.*s", folders[i],
				(int)why.len, why.p);
	}
	if (!a->came && n < FOLDERS)
		say_failed(l, TC_PROBE_FREE, "all that is free is", a);
	if (n)
		l->rec.free = (struct tc_rec_list){ all, n };
}

static void
say_sessions(struct tc_probe_learnt *l, const struct tc_probe_service *s)
{
	if (s->rec.sessions == TC_NONE)
		say(l, "warning", "no_sessions",
			"the tracing service does not tell its sessions");
	if (s->rec.own_session == 1)
		say(l, "warning", "leftover_session",
			"a Perfetto session of the name of ours is there already: no "
			"other can be started until it is stopped");
	if (s->total != TC_NONE && s->total >= MAX_SESSIONS_IN_ALL)
		say(l, "warning", "session_limit",
			"the tracing service has %" PRId64
			" sessions, and takes no more than %d",
			s->total, MAX_SESSIONS_IN_ALL);
}

static void
learn_perfetto(struct tc_probe_learnt *l, const struct tc_probe_answer *a, int64_t uid)
{
	struct tc_probe_service *s = tc_arena_alloc(l->arena, sizeof(*s));

	if (a->came && is_missing(a))
		say(l, "warning", "no_perfetto", "the device has no perfetto");
	else if (a->came && a->status != 0 &&
		(tc_probe_has(a->err, "Could not connect") ||
			tc_probe_has(a->out, "Could not connect")))
		say(l, "warning", "no_traced",
			"the device has perfetto, but no tracing service answers it");
	else if (!succeeded(a) || tc_probe_service(a->out, uid, l->arena, s))
		say_failed(l, TC_PROBE_PERFETTO, "what Perfetto can do is", a);
	else {
		l->rec.perfetto = &s->rec;
		if (s->is_for_people)
			say(l, "info", "query_text",
				"perfetto has no --query-raw: what --query prints for "
				"people was read");
		if (!s->rec.version.p)
			say(l, "warning", "unreadable", "Perfetto tells no version");
		say_sessions(l, s);
	}
}

/* Before Android 15 there is no such service, which is as good as no groups. */
static void
learn_protolog(struct tc_probe_learnt *l, const struct tc_probe_answer *a)
{
	if (a->came &&
		(tc_probe_has(a->err, "Can't find service") ||
			tc_probe_has(a->out, "Can't find service")))
		say(l, "info", "no_protolog",
			"no groups of ProtoLog: the device has no service for them");
	else if (!succeeded(a) ||
		tc_probe_protolog(a->out, l->arena, &l->rec.protolog_groups))
		say_failed(l, TC_PROBE_PROTOLOG, "groups of ProtoLog are", a);
}

void
tc_probe_learn(struct tc_probe_learnt *l,
	const struct tc_probe_answer answers[TC_PROBE_QUESTIONS])
{
	const struct tc_probe_answer *a = answers;

	learn_props(l, &a[TC_PROBE_PROPS]);
	learn_root(l, &a[TC_PROBE_UID], &a[TC_PROBE_SU]);
	learn_displays(l, &a[TC_PROBE_DISPLAYS]);
	learn_screenrecord(l, &a[TC_PROBE_SCREENRECORD]);
	learn_wayland(l, &a[TC_PROBE_WAYLAND]);
	learn_free(l, &a[TC_PROBE_FREE]);
	learn_perfetto(l, &a[TC_PROBE_PERFETTO], uid_of(&a[TC_PROBE_UID]));
	learn_protolog(l, &a[TC_PROBE_PROTOLOG]);
}
