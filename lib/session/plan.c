/* The commands of each phase. Whatever is put into one is quoted. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "session/priv.h"

#define FOLDER TC_SESSION_FOLDER
#define RUN_FILE TC_REC_RUN_FILE

/* A second start of the same moment finds this there. */
#define LOCK "/data/local/tmp/.last_winscope_tracing_session.lock"

const char *
tc_session_print(struct tc_arena *arena, const char *fmt, ...)
{
	struct tc_str text;
	va_list ap;

	va_start(ap, fmt);
	text = tc_arena_vprint(arena, fmt, ap);
	va_end(ap);
	return text.p;
}

const char *
tc_session_cstr(struct tc_arena *arena, struct tc_str s)
{
	return tc_arena_dup(arena, s.p, s.len);
}

static const char *
quoted(struct tc_arena *arena, struct tc_str s)
{
	return tc_device_quote(arena, tc_session_cstr(arena, s));
}

/* ---- what a target's own commands say ---- */

/* Whether a line is `echo` and one word in quotes, and nothing else. */
static bool
is_echo(const char *line)
{
	const char *end;
	char quote;

	line += strspn(line, " \t");
	if (strncmp(line, "echo ", 5) != 0)
		return false;
	line += 5 + strspn(line + 5, " \t");
	quote = *line++;
	if (quote != '"' && quote != '\'')
		return false;
	end = strchr(line, quote);
	return end && end[1 + strspn(end + 1, " \t\n")] == '\0';
}

static void
trim_end(char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
}

const char *
tc_session_bare(struct tc_arena *arena, struct tc_str command)
{
	char *text = tc_arena_dup(arena, command.p, command.len);
	char *last;

	trim_end(text);
	last = strrchr(text, '\n');
	if (last && is_echo(last + 1))
		*last = '\0';
	trim_end(text);
	return text;
}

const char *
tc_session_option(struct tc_arena *arena, struct tc_str command, const char *name)
{
	const char *text = tc_session_cstr(arena, command), *p = text;
	const char *option = tc_session_print(arena, " --%s", name);
	size_t len = strlen(option), n;

	for (; (p = strstr(p, option)); p += len) {
		if (p[len] != ' ' && p[len] != '=')
			continue;
		n = strcspn(p + len + 1, " \t\n;&|");
		if (n)
			return tc_session_cstr(arena,
				(struct tc_str){ p + len + 1, (uint32_t)n, false });
	}
	return NULL;
}

const char *
tc_session_recorder(struct tc_arena *arena, const struct tc_rec_target *t)
{
	static const char name[] = "screenrecord ";
	const char *text = tc_session_cstr(arena, t->start), *end;
	char *command;

	text += strspn(text, " \t\n");
	end = strchr(text, '&');
	if (strncmp(text, name, sizeof(name) - 1) != 0 || !end || t->files.count != 1)
		return NULL;
	text += sizeof(name) - 1;
	command = tc_arena_dup(arena, text, (size_t)(end - text) + 1);
	command[end - text] = '\0';
	command[strcspn(command, ">")] = '\0';
	trim_end(command);
	return command;
}

/*
 * Its pid is printed, then it is waited for: it records once its file has bytes.
 * What it says is kept beside that until then, for whoever has to know why it does
 * not. Recorders before 1.4 end after three minutes at the latest, so there one
 * follows another, each with a file of its own, until the shell that starts them
 * is told to end. A process that has ended has no command line, and one that becomes
 * another has none for a moment.
 */
static const char recording[] =
	"f=%s l=%s\n"
	"is() { grep -q screenrecord /proc/$p/cmdline 2>/dev/null; }\n"
	"runs() { is || { sleep 0.1; is; }; }\n"
	"fail() { cat \"$l\" >&2; rm -f \"$l\"; kill $p 2>/dev/null; exit 1; }\n"
	"rm -f \"$f\" \"${f%%.mp4}\".[0-9]*.mp4\n"
	"case $(screenrecord --version 2>/dev/null) in\n"
	"1.[4-9]*|1.[1-9][0-9]*|[2-9]*)\n"
	"screenrecord --time-limit 0 %s >\"$l\" 2>&1 </dev/null & p=$! ;;\n"
	"*)\n"
	"(trap 'kill -2 $p; wait $p; exit' TERM; n=1\n"
	"while screenrecord %s >\"$l\" 2>&1 & p=$!; wait $p\n"
	"do n=$((n + 1)); mv \"$f\" \"${f%%.mp4}.$((n - 1)).mp4\"; done\n"
	") >/dev/null 2>&1 </dev/null & p=$! ;;\n"
	"esac\n"
	"echo $p\n"
	"n=0; until [ -s \"$f\" ] || [ $n -ge 50 ]\n"
	"do runs || fail; sleep 0.1; n=$((n + 1)); done\n"
	"runs || fail\n"
	"rm -f \"$l\"";

static const char *
recording_text(
	struct tc_arena *arena, const struct tc_rec_target *t, const char *recorder)
{
	const struct tc_rec_target_file *file = t->files.items;
	const char *path = tc_session_cstr(arena, file->path);

	return tc_session_print(arena, recording, tc_device_quote(arena, path),
		tc_device_quote(arena, tc_session_print(arena, "%s.log", path)), recorder,
		recorder);
}

const char *
tc_session_start_text(struct tc_arena *arena, const struct tc_rec_target *t)
{
	const char *recorder = tc_session_recorder(arena, t);

	return recorder ? recording_text(arena, t, recorder)
			: tc_session_bare(arena, t->start);
}

/*
 * The number may be another's by now: it is told by its name, which a process that
 * has ended has no more. A recorder takes an interrupt, the shell that starts one
 * after another the usual signal. Then the file is written to its end.
 */
static const char end_recording[] =
	"runs() { grep -q screenrecord /proc/$p/cmdline 2>/dev/null; }\n"
	"runs || { echo 'screenrecord has ended' >&2; exit 3; }\n"
	"case $(cat /proc/$p/comm) in *sh) kill -15 $p ;; *) kill -2 $p ;; esac || exit "
	"1\n"
	"n=0; while runs\n"
	"do [ $n -lt 150 ] || { echo 'screenrecord does not end' >&2; exit 4; }\n"
	"sleep 0.1; n=$((n + 1)); done";

int64_t
tc_session_pid(struct tc_str pids)
{
	size_t at = 0;
	int64_t pid = 0;

	while (at < pids.len && (pids.p[at] == '[' || pids.p[at] == ' '))
		at++;
	for (; at < pids.len && isdigit((unsigned char)pids.p[at]) &&
		pid < INT32_MAX / 10;
		at++)
		pid = pid * 10 + (pids.p[at] - '0');
	return pid > 1 ? pid : 0;
}

const char *
tc_session_stop_text(
	struct tc_arena *arena, const struct tc_rec_target *t, struct tc_str pids)
{
	const char *text = tc_session_bare(arena, t->stop);
	int64_t pid = tc_session_pid(pids);

	if (pid)
		return tc_session_print(
			arena, "p=%lld\n%s", (long long)pid, end_recording);
	return *text ? text : NULL;
}

const char *
tc_session_kept_stop_text(struct tc_arena *arena, const struct tc_rec_target *t)
{
	const char *text;

	if (tc_session_recorder(arena, t))
		return tc_session_print(
			arena, "p=$(head -n 1 \"$TC_STARTED\")\n%s", end_recording);
	text = tc_session_stop_text(arena, t, (struct tc_str){ 0 });
	return text ? text : ":";
}

static const char *
key_of(struct tc_arena *arena, const struct tc_rec_target *t)
{
	return tc_session_option(arena, t->stop, "attach");
}

const char *
tc_session_alive_text(
	struct tc_arena *arena, const struct tc_rec_target *t, struct tc_str pids)
{
	const char *key = key_of(arena, t);
	int64_t pid = tc_session_pid(pids);

	if (pid)
		return tc_session_print(arena,
			"grep -q screenrecord /proc/%lld/cmdline 2>/dev/null; echo $?",
			(long long)pid);
	if (key)
		return tc_session_print(arena,
			"perfetto --is_detached=%s >/dev/null 2>&1; echo $?",
			tc_device_quote(arena, key));
	return NULL;
}

bool
tc_session_is_over(struct tc_str pids, long status)
{
	return tc_session_pid(pids) ? status != 0 : status == 2;
}

int64_t
tc_session_duration_ms(const struct tc_rec_target *t)
{
	static const char field[] = "\nduration_ms: ";
	size_t len = sizeof(field) - 1, i;
	int64_t ms = 0;

	for (i = 0; i + len < t->config.len; i++)
		if (memcmp(t->config.p + i, field, len) == 0)
			break;
	for (i += len; i < t->config.len && isdigit((unsigned char)t->config.p[i]) &&
		ms < INT32_MAX;
		i++)
		ms = ms * 10 + (t->config.p[i] - '0');
	return ms;
}

/* ---- settings ---- */

static bool
has_setting(const struct tc_rec_session_setting *list, size_t count,
	const struct tc_rec_session_setting *s)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (tc_str_eq(list[i].space, s->space) && tc_str_eq(list[i].key, s->key))
			return true;
	return false;
}

static struct tc_str
next_word(struct tc_arena *arena, const char **p)
{
	size_t n;
	struct tc_str word;

	*p += strspn(*p, " ");
	n = strcspn(*p, " \n;&|");
	word = tc_str_of(
		tc_session_cstr(arena, (struct tc_str){ *p, (uint32_t)n, false }));
	*p += n;
	return word;
}

static size_t
add_settings(struct tc_arena *arena, struct tc_str command,
	struct tc_rec_session_setting *list, size_t count, size_t max)
{
	static const char put[] = "settings put ";
	const char *p = tc_session_cstr(arena, command);
	struct tc_rec_session_setting s = { 0 };

	while (count < max && (p = strstr(p, put))) {
		p += sizeof(put) - 1;
		s.space = next_word(arena, &p);
		s.key = next_word(arena, &p);
		if (s.space.len && s.key.len && !has_setting(list, count, &s))
			list[count++] = s;
	}
	return count;
}

size_t
tc_session_settings(struct tc_arena *arena, const struct tc_rec_target *t,
	struct tc_rec_session_setting *list, size_t max)
{
	const struct tc_str *setup = t->setup.items;
	size_t count = 0, i;

	for (i = 0; i < t->setup.count; i++)
		count = add_settings(arena, setup[i], list, count, max);
	count = add_settings(arena, t->start, list, count, max);
	return add_settings(arena, t->stop, list, count, max);
}

const char *
tc_session_get_setting(struct tc_arena *arena, const struct tc_rec_session_setting *s)
{
	return tc_session_print(arena, "settings get %s %s", quoted(arena, s->space),
		quoted(arena, s->key));
}

/* As whoever the target changes it as. */
const char *
tc_session_put_setting(struct tc_arena *arena, const struct tc_rec_target *t,
	const struct tc_rec_session_setting *s)
{
	const char *su = strstr(tc_session_cstr(arena, t->stop), "su root settings")
		? "su root "
		: "";
	const char *space = quoted(arena, s->space), *key = quoted(arena, s->key);

	if (tc_str_eq(s->value, TC_STR("null")))
		return tc_session_print(arena, "%ssettings delete %s %s", su, space, key);
	return tc_session_print(arena, "%ssettings put %s %s %s", su, space, key,
		quoted(arena, s->value));
}

/* ---- the folder ---- */

/*
 * All in one command, so that of two starts at once one is told. What was left
 * there by others, of Winscope too, gives way, as it does for Winscope.
 */
const char *
tc_session_prepare_text(struct tc_arena *arena, const struct tc_session_prepare *p)
{
	const char *text = "n=0; until mkdir '" LOCK "'\n"
			   "do [ ! -d '" LOCK
			   "' ] || exit 8; [ $n -lt 3 ] || exit 1; n=$((n + 1)); done\n"
			   "trap 'rmdir " LOCK "' EXIT; trap 'exit 1' HUP INT TERM";
	const char *key;
	size_t i;

	if (p->discard)
		text = tc_session_print(arena, "rmdir '" LOCK "' 2>/dev/null; %s", text);
	else
		text = tc_session_print(arena,
			"%s\n"
			"if [ -s '%s' ] &&\n"
			"! grep -Eq '\"progress\":\"(pulled|recovered)\"' '%s'\n"
			"then cat '%s'; exit 9; fi",
			text, RUN_FILE, RUN_FILE, RUN_FILE);
	if (p->key) {
		key = tc_device_quote(arena, p->key);
		text = tc_session_print(arena,
			"%s\n"
			"perfetto --is_detached=%s >/dev/null 2>&1 && "
			"perfetto --attach=%s --stop >/dev/null 2>&1",
			text, key, key);
	}
	for (i = 0; i < p->conf_count; i++)
		text = tc_session_print(arena, "%s\nrm -f %s || exit 1", text,
			tc_device_quote(arena, p->confs[i]));
	return tc_session_print(arena,
		"%s\n"
		"rm -rf '%s' 2>/dev/null || su root rm -rf '%s' || exit 1\n"
		"mkdir '%s' && cat >'%s' && id -u",
		text, FOLDER, FOLDER, FOLDER, RUN_FILE);
}

const char tc_session_read_text[] = "[ ! -e '" RUN_FILE "' ] || cat '" RUN_FILE "'";
const char tc_session_write_text[] =
	"cat >'" RUN_FILE ".new' && mv '" RUN_FILE ".new' '" RUN_FILE "'";
const char tc_session_list_text[] =
	"[ ! -e '" FOLDER "' ] || "
	"find '" FOLDER "' -type f -exec stat -c '%s %n' {} \\;";
const char tc_session_root_text[] = "su root id -u";

/* ---- files ---- */

const char *
tc_session_find_recording_text(struct tc_arena *arena, struct tc_str path)
{
	const char *text = tc_session_cstr(arena, path), *name = strrchr(text, '/');
	const char *dot = strrchr(text, '.');

	if (!name || !dot || dot < name || strpbrk(name, "*?[\\"))
		return tc_session_find_text(arena, false, path, NULL);
	name++;
	return tc_session_print(arena, "find %s -name %s -o -name %s",
		quoted(arena, (struct tc_str){ text, (uint32_t)(name - text), false }),
		tc_device_quote(arena, name),
		tc_device_quote(arena,
			tc_session_print(
				arena, "%.*s.[0-9]*%s", (int)(dot - name), name, dot)));
}

const char *
tc_session_find_text(
	struct tc_arena *arena, bool su, struct tc_str path, const struct tc_str *pattern)
{
	const char *find = tc_session_print(
		arena, "%sfind %s", su ? "su root " : "", quoted(arena, path));

	if (!pattern)
		return find;
	return tc_session_print(arena, "%s -name %s", find, quoted(arena, *pattern));
}

/* Root's copy keeps root's permissions; who pulls it is not root. */
const char *
tc_session_copy_text(struct tc_arena *arena, bool su, const char *from, const char *to)
{
	const char *root = su ? "su root " : "";

	from = tc_device_quote(arena, from);
	to = tc_device_quote(arena, to);
	return tc_session_print(arena, "%scp -p %s %s && %s%s%sstat -c %%s %s %s", root,
		from, to, su ? "su root chmod 644 " : "", su ? to : "",
		su ? " && su root " : "", from, to);
}

const char *
tc_session_remove_text(struct tc_arena *arena, bool su, const char *path)
{
	return tc_session_print(
		arena, "%srm -f %s", su ? "su root " : "", tc_device_quote(arena, path));
}

const char *
tc_session_dest(struct tc_arena *arena, struct tc_str dest, unsigned n)
{
	const char *text = tc_session_cstr(arena, dest), *dot = strrchr(text, '.');

	if (n < 2)
		return text;
	if (!dot || dot == text)
		return tc_session_print(arena, "%s-%u", text, n);
	return tc_session_print(arena, "%.*s-%u%s", (int)(dot - text), text, n, dot);
}
