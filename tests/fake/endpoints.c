/* What the made-up Winscope proxy does. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <zlib.h>

#include "err/err.h"
#include "fake.h"
#include "json/json.h"
#include "proxy.h"

enum { OUTPUT_MAX = 64 << 20, KEEP_MS = 5000, END_MS = 15000, STEP_MS = 20 };

/* ---- commands of the device ---- */

/* One that ends with us, as commands do when their adb does. */
static pid_t
start_shell(const char *command, int in, int out, int err)
{
	pid_t pid = fork();

	if (pid < 0)
		fake_die("fork");
	if (pid)
		return pid;
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGHUP);
#endif
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		fake_die("dup2");
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	if (command)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	else
		execl("/bin/sh", "sh", (char *)NULL);
	fake_die("/bin/sh");
}

/* A file without a name. */
static int
scratch(void)
{
	char name[] = "/tmp/fakeproxy.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0)
		fake_die(name);
	unlink(name);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* Its status; all it printed is in the file. */
static int
run(struct proxy *p, const char *command, int out)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), how;
	pid_t pid = start_shell(command, null, out, out);

	close(null);
	while (waitpid(pid, &how, WNOHANG) == 0) {
		proxy_tick(p);
		poll(NULL, 0, STEP_MS / 4);
	}
	return WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
}

static char *
contents(int fd, size_t *len)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text;

	if (size < 0 || size > OUTPUT_MAX)
		fake_die("output");
	text = malloc((size_t)size + 1);
	lseek(fd, 0, SEEK_SET);
	if (!text || !fake_read(fd, text, (size_t)size))
		fake_die("output");
	text[size] = '\0';
	*len = (size_t)size;
	return text;
}

/* ---- JSON ---- */

static void
say_string(struct proxy_call *c, const char *text, size_t len)
{
	char escape[8];
	size_t i, from = 0;

	proxy_text(c, "\"");
	for (i = 0; i < len; i++) {
		if ((unsigned char)text[i] >= 0x20 && text[i] != '"' && text[i] != '\\')
			continue;
		proxy_say(c, text + from, i - from);
		from = i + 1;
		if (text[i] == '\n')
			snprintf(escape, sizeof(escape), "\\n");
		else
			snprintf(escape, sizeof(escape), "\\u%04x",
				(unsigned)(unsigned char)text[i]);
		proxy_text(c, escape);
	}
	proxy_say(c, text + from, len - from);
	proxy_text(c, "\"");
}

/* A member that is a text, ended by free; or NULL. */
static char *
member(struct proxy_call *c, const char *name)
{
	struct tc_json reader = { 0 };
	struct tc_json_val root;
	struct tc_str s;
	struct tc_err err;
	char *text = NULL;

	if (c->body &&
		tc_json_parse(&reader,
			(struct tc_str){ c->body, (uint32_t)c->body_len, false }, &root,
			&err) == 0 &&
		tc_json_get_str(tc_json_member(root, name), &s)) {
		text = malloc(s.len + 1);
		if (!text)
			fake_die("memory");
		memcpy(text, s.p, s.len);
		text[s.len] = '\0';
	}
	tc_json_release(&reader);
	return text;
}

static bool
is_utf8(const char *text, size_t len)
{
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = tc_str_char(text + i, len - i);
		if (!n)
			return false;
	}
	return true;
}

/* ---- devices ---- */

static const char *
state_of(const struct proxy *p, const char *id)
{
	const char *state = proxy_fault(p, "state");
	size_t i;

	for (i = 0; i < p->device_count; i++)
		if (strcmp(p->devices[i].id, id) == 0)
			return state ? state : p->devices[i].state;
	return NULL;
}

/* What adb says of a device that it cannot reach; or NULL. */
static const char *
complaint(const struct proxy *p, const char *id, char *text, size_t size)
{
	const char *state = state_of(p, id);

	if (!state)
		snprintf(text, size, "error: device '%s' not found\n", id);
	else if (strcmp(state, "device") == 0 || strcmp(state, "recovery") == 0)
		return NULL;
	else if (strcmp(state, "unauthorized") == 0)
		snprintf(text, size,
			"error: device unauthorized.\nThis adb server's "
			"$ADB_VENDOR_KEYS is not set\n");
	else if (strncmp(state, "no permissions", 14) == 0)
		snprintf(text, size, "error: insufficient permissions for device\n");
	else if (strcmp(state, "authorizing") == 0 || strcmp(state, "connecting") == 0)
		snprintf(text, size, "error: device still %s\n", state);
	else
		snprintf(text, size, "error: device %s\n", state);
	return text;
}

static void
devices(struct proxy_call *c)
{
	const char *list = proxy_fault(c->p, "list"), *state;
	size_t i;

	proxy_begin(c, 200, "text/json");
	if (list) {
		proxy_text(c, list);
		return;
	}
	proxy_text(c, "[");
	for (i = 0; i < c->p->device_count; i++) {
		state = state_of(c->p, c->p->devices[i].id);
		proxy_text(c, i ? ", {\"id\": " : "{\"id\": ");
		say_string(c, c->p->devices[i].id, strlen(c->p->devices[i].id));
		proxy_text(c, ", \"authorized\": ");
		proxy_text(c, strcmp(state, "unauthorized") == 0 ? "false" : "true");
		proxy_text(c, ", \"model\": ");
		say_string(c, c->p->devices[i].model, strlen(c->p->devices[i].model));
		proxy_text(c, "}");
	}
	proxy_text(c, "]");
}

/* ---- runadbcmd ---- */

static void
say_output(struct proxy_call *c, const char *id, const char *cmd, int status,
	const char *text, size_t len)
{
	size_t size = strlen(cmd) + strlen(id) + len + 200;
	char *all = malloc(size);
	int n = 0;

	if (!all)
		fake_die("memory");
	if (proxy_fault(c->p, "noise"))
		n += snprintf(all, size,
			"* daemon not running; starting now at tcp:5037\n"
			"* daemon started successfully\n");
	if (status)
		n += snprintf(all + n, size - (size_t)n,
			"Error executing adb command: adb -s %s %s: ", id, cmd);
	memcpy(all + n, text, len);
	len += (size_t)n;
	if (is_utf8(all, len)) {
		proxy_begin(c, 200, "text/plain");
		say_string(c, all, len);
	} else
		proxy_answer(c, 500, "'utf-8' codec can't decode byte");
	free(all);
}

static void
run_adb_command(struct proxy_call *c, const char *id)
{
	const char *lose = proxy_fault(c->p, "lose"), *why;
	char *cmd = member(c, "cmd"), *text, words[300];
	int out = scratch(), status;
	size_t len, most;

	if (cmd && strstr(cmd, "sh -c ':' "))
		lose = NULL;
	if (!cmd) {
		proxy_answer(c, 500, "'cmd'");
		close(out);
		return;
	}
	why = complaint(c->p, id, words, sizeof(words));
	if (why)
		say_output(c, id, cmd, 1, why, strlen(why));
	else if (strncmp(cmd, "shell ", 6) != 0)
		say_output(c, id, cmd, 1, "adb: unknown command\n", 21);
	else {
		status = run(c->p, cmd + 6, out);
		text = contents(out, &len);
		most = lose ? strtoul(lose, NULL, 10) : len;
		say_output(c, id, cmd, lose ? 1 : status, text, most < len ? most : len);
		free(text);
	}
	close(out);
	free(cmd);
}

/* ---- fetch ---- */

struct packed {
	struct proxy_call *c;
	uint8_t left[3]; /* until there are three */
	size_t left_len, line;
	char text[1 << 16]; /* until that is full */
	size_t len;
};

static void
flush_text(struct packed *x)
{
	proxy_say(x->c, x->text, x->len);
	x->len = 0;
}

static void
say_four(struct packed *x)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits =
		(uint32_t)x->left[0] << 16 | (uint32_t)x->left[1] << 8 | x->left[2];
	char *four = x->text + x->len;

	four[0] = letters[bits >> 18];
	four[1] = letters[bits >> 12 & 63];
	four[2] = x->left_len > 1 ? letters[bits >> 6 & 63] : '=';
	four[3] = x->left_len > 2 ? letters[bits & 63] : '=';
	x->len += 4;
	x->left_len = 0;
	memset(x->left, 0, sizeof(x->left));
	if ((x->line += 4) == 76) {
		memcpy(x->text + x->len, "\\n", 2);
		x->len += 2;
		x->line = 0;
	}
	if (x->len > sizeof(x->text) - 8)
		flush_text(x);
}

static void
say_base64(struct packed *x, const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len && !x->c->is_cut; i++) {
		x->left[x->left_len++] = bytes[i];
		if (x->left_len == 3)
			say_four(x);
	}
}

static void
say_gzip(struct proxy_call *c, int fd)
{
	static uint8_t in[1 << 16], out[3 << 15];
	bool is_bomb = proxy_fault(c->p, "bomb") != NULL;
	static struct packed x;
	z_stream z = { 0 };
	ssize_t n = 1;

	x = (struct packed){ .c = c };
	if (deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		fake_die("deflate");
	while (n > 0 && !c->is_cut) {
		n = is_bomb ? (ssize_t)sizeof(in) : read(fd, in, sizeof(in));
		z.next_in = in;
		z.avail_in = n > 0 ? (unsigned)n : 0;
		do {
			z.next_out = out;
			z.avail_out = sizeof(out);
			deflate(&z, n > 0 ? Z_NO_FLUSH : Z_FINISH);
			if (proxy_fault(c->p, "gzip") && z.avail_out < sizeof(out) - 12)
				out[12] ^= 0x55;
			say_base64(&x, out, sizeof(out) - z.avail_out);
		} while (!z.avail_out);
		if (proxy_fault(c->p, "short"))
			break;
	}
	deflateEnd(&z);
	if (proxy_fault(c->p, "more"))
		say_base64(&x, (const uint8_t *)"more", 4);
	if (x.left_len)
		say_four(&x);
	flush_text(&x);
	if (proxy_fault(c->p, "base64"))
		proxy_text(c, "!!");
	if (x.line)
		proxy_text(c, "\\n");
}

static void
fetch(struct proxy_call *c, const char *id, const char *path)
{
	const char *key = proxy_fault(c->p, "key") ? "/other" : path;
	char command[4096], words[300];
	int out = scratch(), status = 1;

	/* As it comes: what is in it means to the device's shell what it may. */
	snprintf(command, sizeof(command), "cat %s", path);
	if (!complaint(c->p, id, words, sizeof(words)))
		status = run(c->p, command, out);
	lseek(out, 0, SEEK_SET);
	proxy_begin(c, 200, "text/json");
	proxy_text(c, "{");
	say_string(c, key, strlen(key));
	proxy_text(c, ": ");
	if (status || proxy_fault(c->p, "null"))
		proxy_text(c, "null");
	else {
		proxy_text(c, "\"");
		if (proxy_fault(c->p, "plain"))
			proxy_text(c, "aGVsbG8=");
		else
			say_gzip(c, out);
		proxy_text(c, "\"");
	}
	proxy_text(c, "}");
	close(out);
}

/* ---- traces ---- */

static void
status_file(char *path, size_t size, const char *target)
{
	snprintf(path, size, "/data/local/tmp/winscope_status_%s", target);
}

static struct proxy_trace *
find(struct proxy *p, const char *id, const char *target)
{
	size_t i;

	for (i = 0; i < PROXY_TRACES; i++)
		if (p->traces[i].is_known && strcmp(p->traces[i].device, id) == 0 &&
			(!target || strcmp(p->traces[i].target, target) == 0))
			return &p->traces[i];
	return NULL;
}

/* The script that a shell of the device's reads. */
static void
write_script(int fd, const char *target, const char *start, const char *stop)
{
	static const char log[] = "/data/local/tmp/winscope_signal_handler.log";
	char status[300];

	status_file(status, sizeof(status), target);
	dprintf(fd,
		"set -e\n"
		"echo TRACE_START >%s\n"
		"handle() {\n"
		"echo start >%s\n"
		"exec >>%s 2>&1\n"
		"set -x\n"
		"trap - EXIT HUP INT\n"
		"%s\n"
		"echo TRACE_OK >%s\n"
		"}\n"
		"trap handle EXIT HUP INT\n"
		"%s\n"
		"while :; do sleep 0.1; done\n",
		status, log, log, stop, status, start);
}

static void
start_trace(struct proxy_call *c, const char *id)
{
	char *target = member(c, "targetId"), *start = member(c, "startCmd"),
	     *stop = member(c, "stopCmd");
	struct proxy_trace *t = NULL;
	int in = scratch(), out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	size_t i;

	for (i = 0; i < PROXY_TRACES && !t; i++)
		if (!c->p->traces[i].is_known && !c->p->traces[i].is_ending)
			t = &c->p->traces[i];
	if (!target || !start || !stop || !t)
		proxy_answer(c, 500, "'targetId'");
	else if (!state_of(c->p, id))
		proxy_answer(c, 500, "no such device");
	else {
		*t = (struct proxy_trace){ .is_known = true };
		snprintf(t->device, sizeof(t->device), "%s", id);
		snprintf(t->target, sizeof(t->target), "%s", target);
		write_script(in, target, start, stop);
		lseek(in, 0, SEEK_SET);
		t->errors = scratch();
		t->pid = start_shell(NULL, in, out, t->errors);
		t->until_ms = proxy_now_ms() + KEEP_MS;
		proxy_begin(c, 200, "text/json");
	}
	close(in);
	close(out);
	free(target);
	free(start);
	free(stop);
}

static bool
has_ended(struct proxy_trace *t)
{
	int how;

	if (!t->is_over && waitpid(t->pid, &how, WNOHANG) == t->pid)
		t->is_over = true;
	return t->is_over;
}

static void
trace_status(struct proxy_call *c, const char *id, const char *target)
{
	const char *keep = proxy_fault(c->p, "keep");
	struct proxy_trace *t = find(c->p, id, target);

	if (t)
		t->until_ms = proxy_now_ms() + (keep ? strtol(keep, NULL, 10) : KEEP_MS);
	proxy_answer(c, 200, t && !has_ended(t) ? "True" : "False");
}

static bool
has_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size > 0;
}

/* Whether the stop command came to its end. */
static bool
is_done(const struct proxy_trace *t)
{
	char path[300], text[32] = "";
	FILE *f;

	status_file(path, sizeof(path), t->target);
	f = fopen(path, "re");
	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	return strcmp(text, "TRACE_OK\n") == 0;
}

/* The adb that ran it is no more, and the device's shell hears of it. */
static void
hang_up(struct proxy_trace *t)
{
	if (!has_ended(t))
		kill(t->pid, SIGHUP);
	t->is_known = false;
	t->is_ending = true;
	t->until_ms = proxy_now_ms() + END_MS;
}

/* Once the device has stopped it, or has had the time: its shell goes. */
static bool
is_ended(struct proxy_trace *t)
{
	char path[300];
	int how;

	if (!is_done(t) && proxy_now_ms() < t->until_ms)
		return false;
	if (!has_ended(t)) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, &how, 0);
	}
	status_file(path, sizeof(path), t->target);
	unlink(path);
	t->is_ending = false;
	return true;
}

void
proxy_tick(struct proxy *p)
{
	struct proxy_trace *t;
	size_t i;

	for (i = 0; i < PROXY_TRACES; i++) {
		t = &p->traces[i];
		if (t->is_known && !has_ended(t) && proxy_now_ms() >= t->until_ms)
			hang_up(t);
		if (t->is_ending && is_ended(t))
			close(t->errors);
	}
}

void
proxy_end_all(struct proxy *p)
{
	size_t i;

	for (i = 0; i < PROXY_TRACES; i++)
		if (p->traces[i].is_known && !p->traces[i].is_over)
			kill(p->traces[i].pid, SIGHUP);
}

static void
end_one(struct proxy_call *c, struct proxy_trace *t)
{
	bool is_deaf = proxy_fault(c->p, "deaf") != NULL, was_done;
	char text[300] = "";

	hang_up(t);
	do {
		poll(NULL, 0, STEP_MS);
		was_done = is_done(t) && !is_deaf;
	} while (!is_ended(t) && !is_deaf);
	proxy_begin(c, 200, "text/plain");
	if (!was_done)
		snprintf(text, sizeof(text), "Trace %.100s timed out during cleanup",
			t->target);
	else if (has_size(t->errors) && strcmp(t->target, "PerfettoTrace") != 0)
		snprintf(text, sizeof(text),
			"Error ending trace %.100s on the device: b'...\\n'", t->target);
	proxy_text(c, "[");
	if (*text)
		say_string(c, text, strlen(text));
	proxy_text(c, "]");
	if (!t->is_ending)
		close(t->errors);
}

static void
end_trace(struct proxy_call *c, const char *id)
{
	char *target = member(c, "targetId"), reason[500];
	struct proxy_trace *t = target ? find(c->p, id, target) : NULL;

	if (!target)
		proxy_answer(c, 500, "'targetId'");
	else if (t)
		end_one(c, t);
	else {
		snprintf(reason, sizeof(reason), "No %s%strace in progress for %s",
			find(c->p, id, NULL) ? target : "",
			find(c->p, id, NULL) ? " " : "", id);
		proxy_bad(c, reason);
	}
	free(target);
}

/* ---- which one ---- */

static int
digit(char c)
{
	return c >= '0' && c <= '9'                    ? c - '0'
		: ((c | 32) >= 'a' && (c | 32) <= 'f') ? (c | 32) - 'a' + 10
						       : -1;
}

/* The part of the path up to the next slash, with what %XX stands for; false: bad. */
static bool
take_id(const char **path, char *id, size_t size)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789._:/-";
	const char *p = *path;
	size_t n = 0;

	while (*p && *p != '/' && n + 1 < size) {
		if (*p == '%' && digit(p[1]) >= 0 && digit(p[2]) >= 0) {
			id[n++] = (char)(digit(p[1]) << 4 | digit(p[2]));
			p += 3;
		} else
			id[n++] = *p++;
	}
	id[n] = '\0';
	*path = *p ? p + 1 : p;
	return n && strspn(id, allowed) == n;
}

void
proxy_endpoint(struct proxy_call *c)
{
	const char *rest = c->path + strspn(c->path, "/"), *name = rest;
	size_t len = strcspn(rest, "/");
	bool is_post = strcmp(c->method, "POST") == 0;
	char id[128];

	rest += len + (rest[len] == '/');
	if (!is_post && len == 7 && memcmp(name, "devices", 7) == 0) {
		devices(c);
		return;
	}
	if (!take_id(&rest, id, sizeof(id)))
		proxy_bad(c, "Device id not specified");
	else if (is_post && len == 9 && memcmp(name, "runadbcmd", 9) == 0)
		run_adb_command(c, id);
	else if (is_post && len == 10 && memcmp(name, "starttrace", 10) == 0)
		start_trace(c, id);
	else if (is_post && len == 8 && memcmp(name, "endtrace", 8) == 0)
		end_trace(c, id);
	else if (!is_post && len == 6 && memcmp(name, "status", 6) == 0)
		trace_status(c, id, rest);
	else if (!is_post && len == 5 && memcmp(name, "fetch", 5) == 0)
		fetch(c, id, rest);
	else
		proxy_bad(c, "Unknown endpoint");
}
