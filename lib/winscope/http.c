/* Requests to the proxy. All of libcurl is here. */
#include <curl/curl.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "err/err.h"
#include "winscope/priv.h"

#define MS INT64_C(1000000)

enum { HEADS_MAX = 64 * 1024, TICK_MS = 100 };

/* So much of a secret tells nothing. */
enum { HARMLESS = 3 };

/* Text that was cut off may end, or begin, in the middle of the token. */
static size_t
cut_at_end(const char *text, size_t len, const char *token)
{
	size_t n = strlen(token);

	for (n = n < len ? n : len; n > HARMLESS; n--)
		if (memcmp(text + len - n, token, n) == 0)
			return n;
	return 0;
}

static size_t
cut_at_start(const char *text, size_t len, const char *token)
{
	size_t all = strlen(token), n;

	for (n = all < len ? all : len; n > HARMLESS; n--)
		if (memcmp(text, token + all - n, n) == 0)
			return n;
	return 0;
}

static size_t
trimmed(const char *text, size_t len)
{
	while (len && strchr(" \r\n", text[len - 1]))
		len--;
	return len;
}

void
tc_winscope_words(const struct tc_winscope_proxy *p, const char *text, size_t len,
	char *words, size_t size)
{
	size_t token = strlen(p->token), i, n = 0;

	len = trimmed(text, len);
	len = trimmed(text, len - cut_at_end(text, len, p->token));
	for (i = cut_at_start(text, len, p->token); i < len && n + 4 < size; i++) {
		if (token && len - i >= token && memcmp(text + i, p->token, token) == 0) {
			memcpy(words + n, "***", 3);
			n += 3;
			i += token - 1;
			continue;
		}
		words[n++] =
			(unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i];
	}
	words[n] = '\0';
}

/* ---- what libcurl calls ---- */

static void
start_library(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

static curl_socket_t
open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *a)
{
	int fd = socket(a->family, a->socktype, a->protocol);

	(void)ctx;
	(void)purpose;
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

static bool
is_header(const char *line, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len > n && strncasecmp(line, name, n) == 0 && line[n] == ':';
}

/* Of an answer that comes after another (100), only the last counts. */
static size_t
take_header(char *line, size_t size, size_t count, void *ctx)
{
	static const char name[] = "Winscope-Proxy-Version";
	struct tc_winscope_call *c = ctx;
	size_t len = size * count, n = 0, i = sizeof(name);

	c->moved_ns = tc_wait_now();
	c->head_bytes += len;
	if (c->head_bytes > HEADS_MAX) {
		tc_err_named(c->why, TC_PROTOCOL, "protocol",
			"%s: the answer's header does not end", c->proxy->url);
		c->is_failed = true;
		return 0;
	}
	if (len > 5 && memcmp(line, "HTTP/", 5) == 0)
		c->version[0] = '\0';
	if (!is_header(line, len, name))
		return len;
	while (i < len && line[i] == ' ')
		i++;
	while (i < len && !strchr(" \r\n", line[i]) && n + 1 < sizeof(c->version))
		c->version[n++] = line[i++];
	c->version[n] = '\0';
	return len;
}

static long
status_of(const struct tc_winscope_call *c)
{
	long status = 0;

	curl_easy_getinfo((CURL *)c->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

/* Of good answers only, as the proxy's own client does. */
static int
check_version(const struct tc_winscope_call *c, struct tc_err *err)
{
	char version[sizeof(c->version) + 4];

	if (tc_winscope_is_version(c->version))
		return 0;
	if (!c->version[0])
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"%s: what answers there is no Winscope proxy", c->proxy->url);
	tc_winscope_words(
		c->proxy, c->version, strlen(c->version), version, sizeof(version));
	return tc_err_named(err, TC_PROTOCOL, "protocol",
		"%s: the proxy has version %s, and 6.0.2 is needed, or a later 6",
		c->proxy->url, version);
}

static size_t
take_body(char *bytes, size_t size, size_t count, void *ctx)
{
	struct tc_winscope_call *c = ctx;
	size_t len = size * count, n;
	int r;

	c->moved_ns = tc_wait_now();
	if (status_of(c) != 200) {
		n = sizeof(c->said) - c->said_len;
		n = n < len ? n : len;
		memcpy(c->said + c->said_len, bytes, n);
		c->said_len += n;
		/* The rest is of no interest, and may have no end. */
		return n == len ? len : 0;
	}
	r = check_version(c, c->why);
	if (r == 0)
		r = c->take(c->ctx, bytes, len, c->why);
	c->is_paused = r == 1;
	c->is_failed = r < 0;
	return r == 0 ? len : r == 1 ? CURL_WRITEFUNC_PAUSE : 0;
}

static int
take_nothing(void *ctx, const char *bytes, size_t len, struct tc_err *err)
{
	(void)ctx;
	(void)bytes;
	(void)len;
	(void)err;
	return 0;
}

/* ---- one request ---- */

static void
set_headers(struct tc_winscope_call *c)
{
	char token[sizeof(c->proxy->token) + 32];
	struct curl_slist *list;

	snprintf(token, sizeof(token), "Winscope-Token: %s", c->proxy->token);
	list = curl_slist_append(NULL, token);
	list = curl_slist_append(list, "Content-Type: application/json;charset=UTF-8");
	/* No question beforehand: the proxy does not know it. */
	list = curl_slist_append(list, "Expect:");
	c->headers = list;
	curl_easy_setopt((CURL *)c->easy, CURLOPT_HTTPHEADER, list);
}

/* The environment's proxies, names of others and passwords are not for this. */
static void
set_options(struct tc_winscope_call *c)
{
	CURL *e = c->easy;

	curl_easy_setopt(e, CURLOPT_URL, c->proxy->url);
	curl_easy_setopt(e, CURLOPT_REQUEST_TARGET, c->path);
	curl_easy_setopt(e, CURLOPT_PROXY, "");
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Who gives up does not wait for a name that nobody knows. */
	curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
#endif
	curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(e, CURLOPT_HEADERDATA, c);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, c);
	set_headers(c);
	if (!c->body)
		return;
	curl_easy_setopt(e, CURLOPT_POSTFIELDS, c->body);
	curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(c->body));
}

int
tc_winscope_call_begin(struct tc_winscope_call *c, struct tc_err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start_library);
	if (!c->take)
		c->take = take_nothing;
	c->easy = curl_easy_init();
	c->multi = curl_multi_init();
	if (!c->easy || !c->multi) {
		tc_winscope_call_end(c);
		return tc_err_set(err, TC_SYSTEM, "libcurl does not start");
	}
	set_options(c);
	curl_multi_add_handle((CURLM *)c->multi, (CURL *)c->easy);
	c->moved_ns = tc_wait_now();
	return 0;
}

void
tc_winscope_call_end(struct tc_winscope_call *c)
{
	if (c->multi && c->easy)
		curl_multi_remove_handle((CURLM *)c->multi, (CURL *)c->easy);
	curl_easy_cleanup((CURL *)c->easy);
	curl_multi_cleanup((CURLM *)c->multi);
	curl_slist_free_all(c->headers);
	c->easy = c->multi = c->headers = NULL;
}

/* ---- waiting ---- */

static size_t
fds_of(const struct tc_winscope_call *c, struct pollfd *fds)
{
	fd_set in, out, other;
	size_t count = 0;
	int max = -1, fd;

	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&other);
	curl_multi_fdset((CURLM *)c->multi, &in, &out, &other, &max);
	for (fd = 0; fd <= max && count < TC_WAIT_MAX; fd++) {
		if (!FD_ISSET(fd, &in) && !FD_ISSET(fd, &out))
			continue;
		fds[count].fd = fd;
		fds[count].revents = 0;
		fds[count++].events = (short)((FD_ISSET(fd, &in) ? POLLIN : 0) |
			(FD_ISSET(fd, &out) ? POLLOUT : 0));
	}
	return count;
}

int
tc_winscope_call_fd(const struct tc_winscope_call *c)
{
	struct pollfd fds[TC_WAIT_MAX];

	return c->multi && fds_of(c, fds) ? fds[0].fd : -1;
}

static bool
is_past(int64_t until_ns)
{
	return until_ns && tc_wait_now() >= until_ns;
}

/* Until something can be done, or libcurl wants to look at its clocks. */
static int
wait_for(struct tc_winscope_call *c, const struct tc_wait *w, struct tc_err *err)
{
	int64_t quiet_ns = w->quiet_ms ? c->moved_ns + w->quiet_ms * MS : 0;
	struct pollfd fds[TC_WAIT_MAX];
	size_t count = fds_of(c, fds);
	struct tc_wait nap;
	long ms = -1;

	curl_multi_timeout((CURLM *)c->multi, &ms);
	if (!count && (ms < 0 || ms > TICK_MS))
		ms = TICK_MS;
	nap = ms < 0 ? *w : tc_wait_at_most(w, ms);
	nap.quiet_ms = 0;
	if (quiet_ns && (!nap.until_ns || nap.until_ns > quiet_ns))
		nap.until_ns = quiet_ns;
	if (tc_wait_poll(fds, count, &nap, err) == 0)
		return 0;
	if (strcmp(tc_err_what(err), "timed_out") != 0 || is_past(w->until_ns))
		return -1;
	if (is_past(quiet_ns))
		return tc_err_named(err, TC_AGAIN, "timed_out", "no answer for %d.%03d s",
			w->quiet_ms / 1000, w->quiet_ms % 1000);
	*err = (struct tc_err){ 0 };
	return 0;
}

/* ---- what came of it ---- */

/* The reason stands behind the proxy's name of itself and an empty line. */
static int
refused(const struct tc_winscope_call *c, struct tc_err *err)
{
	const char *text = c->said, *url = c->proxy->url, *reason;
	long status = status_of(c);
	size_t len = c->said_len;
	char words[200];

	if (status == 403)
		return tc_err_named(err, TC_DENIED, "unauthorized",
			"%s is unauthorized: the proxy does not take the token of %s "
			"(it has to be the one that the proxy shows)",
			url, c->proxy->from);
	reason = memmem(text, len, "proxy.\n\n", 8);
	if (reason) {
		len -= (size_t)(reason + 8 - text);
		text = reason + 8;
	}
	tc_winscope_words(c->proxy, text, len, words, sizeof(words));
	if (status == 400 && strstr(words, "trace in progress"))
		return tc_err_named(err, TC_NOSERVICE, "not_found", "%s: %s", url, words);
	if (status == 400)
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"%s: the proxy does not understand: %s", url, words);
	if (status == 500)
		return tc_err_named(err, TC_NOSERVICE, "failed",
			"%s: the proxy could not do it: %s", url, words);
	return tc_err_named(err, TC_PROTOCOL, "protocol",
		"%s: the proxy has status %ld: %s", url, status, words);
}

/* Every other result of libcurl's is about what the proxy says. */
static int
lost(const struct tc_winscope_call *c, CURLcode code, struct tc_err *err)
{
	const char *url = c->proxy->url;
	/* Nothing of ours has a time of libcurl's but its connecting. */
	bool is_absent = code == CURLE_COULDNT_CONNECT ||
		code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_OPERATION_TIMEDOUT;

	if (is_absent && c->is_open)
		return tc_err_named(
			err, TC_NOSERVICE, "gone", "%s: the proxy was lost", url);
	if (is_absent)
		return tc_err_named(err, TC_NOSERVICE, "no_server",
			"%s: no Winscope proxy is there: start winscope_proxy.py", url);
	if (code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR ||
		code == CURLE_SEND_ERROR || code == CURLE_PARTIAL_FILE)
		return tc_err_named(err, TC_NOSERVICE, "gone",
			"%s: the proxy was lost in the middle of its answer", url);
	if (code == CURLE_FAILED_INIT || code == CURLE_OUT_OF_MEMORY)
		return tc_err_set(
			err, TC_SYSTEM, "%s: libcurl: %s", url, curl_easy_strerror(code));
	return tc_err_named(err, TC_PROTOCOL, "protocol",
		"%s: what the proxy sent is no answer: %s", url,
		curl_easy_strerror(code));
}

static int
result_of(struct tc_winscope_call *c, CURLcode code, struct tc_err *err)
{
	long status = status_of(c);

	if (c->is_failed)
		return -1;
	if (status && status != 200 &&
		(code == CURLE_OK || code == CURLE_WRITE_ERROR || c->said_len))
		return refused(c, err);
	if (code != CURLE_OK)
		return lost(c, code, err);
	return check_version(c, err) < 0 ? -1 : 1;
}

/* Whoever still has a part of the answer to look at asks again. */
static int
finish(struct tc_winscope_call *c, CURLcode code, struct tc_err *err)
{
	int r = result_of(c, code, err);

	c->is_over = true;
	if (r < 0)
		c->failure = *err;
	return r;
}

int
tc_winscope_call_step(
	struct tc_winscope_call *c, const struct tc_wait *w, struct tc_err *err)
{
	int running = 1, left;
	CURLMsg *m;

	if (c->is_over && c->failure.code) {
		*err = c->failure;
		return -1;
	}
	if (c->is_over)
		return 1;
	c->why = err;
	if (c->is_paused) {
		c->is_paused = false;
		curl_easy_pause((CURL *)c->easy, CURLPAUSE_CONT);
	}
	curl_multi_perform((CURLM *)c->multi, &running);
	m = curl_multi_info_read((CURLM *)c->multi, &left);
	if (m)
		return finish(c, m->data.result, err);
	if (tc_wait_check(w, err) < 0)
		return -1;
	return c->is_paused ? 0 : wait_for(c, w, err);
}

int
tc_winscope_call(struct tc_winscope_call *c, const struct tc_wait *w, struct tc_err *err)
{
	int r = tc_winscope_call_begin(c, err);

	if (r < 0)
		return -1;
	while ((r = tc_winscope_call_step(c, w, err)) == 0)
		;
	tc_winscope_call_end(c);
	return r < 0 ? -1 : 0;
}

/* ---- whole answers ---- */

struct whole {
	char *bytes; /* owned */
	size_t len, cap, max;
};

static int
take_whole(void *ctx, const char *bytes, size_t len, struct tc_err *err)
{
	struct whole *a = ctx;

	if (len > a->max - a->len)
		return tc_err_named(err, TC_PROTOCOL, "protocol",
			"the proxy's answer has more than %zu bytes", a->max);
	tc_mem_grow(&a->bytes, &a->cap, a->len + len, 1);
	memcpy(a->bytes + a->len, bytes, len);
	a->len += len;
	return 0;
}

int
tc_winscope_ask(struct tc_winscope_call *c, size_t max, struct tc_arena *arena,
	const struct tc_wait *w, struct tc_str *answer, struct tc_err *err)
{
	struct whole a = { .max = max };
	int r;

	c->take = take_whole;
	c->ctx = &a;
	r = tc_winscope_call(c, w, err);
	if (r == 0)
		*answer =
			(struct tc_str){ tc_arena_dup(arena, a.len ? a.bytes : "", a.len),
				(uint32_t)a.len, false };
	free(a.bytes);
	return r;
}
