/* Answers of the made-up Winscope proxy, and what is to be wrong with them. */
#include "proxy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"

int64_t
proxy_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- faults ---- */

const char *
proxy_fault(const struct proxy *p, const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < p->fault_count; i++)
		if (strncmp(p->faults[i], name, len) == 0 &&
			(p->faults[i][len] == ' ' || !p->faults[i][len]))
			return p->faults[i] + len + (p->faults[i][len] == ' ');
	return NULL;
}

void
proxy_read_faults(struct proxy *p)
{
	FILE *f = p->control ? fopen(p->control, "re") : NULL;

	p->fault_count = 0;
	if (!f)
		return;
	while (p->fault_count < PROXY_FAULTS &&
		fgets(p->faults[p->fault_count], sizeof(p->faults[0]), f)) {
		p->faults[p->fault_count][strcspn(p->faults[p->fault_count], "\n")] =
			'\0';
		p->fault_count++;
	}
	fclose(f);
}

/* ---- answers ---- */

void
proxy_put(struct proxy_call *c, const void *bytes, size_t len)
{
	if (!c->is_cut && !fake_write(c->fd, bytes, len))
		c->is_cut = true;
}

/* "N" or "N PATH", for requests whose path begins so. */
static int64_t
cut_of(const struct proxy_call *c)
{
	const char *cut = proxy_fault(c->p, "cut");
	char *end;
	long long n;

	if (!cut)
		cut = proxy_fault(c->p, "exit");
	if (!cut)
		return -1;
	n = strtoll(cut, &end, 10);
	return *end && strncmp(c->path, end + 1, strlen(end + 1)) != 0 ? -1 : n;
}

void
proxy_begin(struct proxy_call *c, int status, const char *type)
{
	const char *version = proxy_fault(c->p, "version");
	char head[1024];

	c->left = cut_of(c);
	c->is_chunked = proxy_fault(c->p, "chunked") != NULL;
	if (!version)
		version = c->p->version;
	snprintf(head, sizeof(head),
		"HTTP/%s %d Word\r\nServer: fake\r\n"
		"Access-Control-Allow-Origin: *\r\n"
		"Access-Control-Expose-Headers: Winscope-Proxy-Version\r\n"
		"Cache-Control: no-cache, no-store, must-revalidate\r\n"
		"%s%s%s%sContent-type: %s\r\n\r\n",
		c->is_chunked ? "1.1" : "1.0", status,
		*version ? "Winscope-Proxy-Version: " : "", version,
		*version ? "\r\n" : "",
		c->is_chunked ? "Transfer-Encoding: chunked\r\n" : "", type);
	proxy_put(c, head, strlen(head));
}

void
proxy_say(struct proxy_call *c, const void *bytes, size_t len)
{
	char size[24];

	if (c->left >= 0 && (int64_t)len > c->left)
		len = (size_t)c->left;
	if (c->is_chunked && len) {
		snprintf(size, sizeof(size), "%zx\r\n", len);
		proxy_put(c, size, strlen(size));
	}
	proxy_put(c, bytes, len);
	if (c->is_chunked && len)
		proxy_put(c, "\r\n", 2);
	if (c->left >= 0 && (c->left -= (int64_t)len) == 0)
		c->is_cut = true;
}

void
proxy_text(struct proxy_call *c, const char *text)
{
	proxy_say(c, text, strlen(text));
}

void
proxy_answer(struct proxy_call *c, int status, const char *text)
{
	proxy_begin(c, status, status == 200 ? "text/plain" : "text/txt");
	proxy_text(c, text);
}

void
proxy_bad(struct proxy_call *c, const char *reason)
{
	char text[600];

	snprintf(text, sizeof(text), "Bad request!\nThis is Winscope ADB proxy.\n\n%s",
		reason);
	proxy_answer(c, 400, text);
}
