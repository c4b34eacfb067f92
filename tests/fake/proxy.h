#ifndef TC_FAKE_PROXY_H
#define TC_FAKE_PROXY_H
/*
 * proxy: the made-up Winscope proxy, in three parts: requests (fakeproxy.c),
 * what its endpoints do (endpoints.c), and answers (proxy.c).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROXY_DEVICES = 8, PROXY_TRACES = 32, PROXY_FAULTS = 8 };

struct proxy_trace {
	char device[128], target[200];
	int errors; /* a file with what it said on its error output */
	pid_t pid;
	bool is_known;  /* endtrace was not called */
	bool is_ending; /* and then the device has some time */
	bool is_over;   /* its shell has ended */
	int64_t until_ms;
};

struct proxy {
	const char *token, *version, *control;
	struct {
		const char *id, *state, *model;
	} devices[PROXY_DEVICES];
	size_t device_count;
	struct proxy_trace traces[PROXY_TRACES];
	char faults[PROXY_FAULTS][16384]; /* "NAME VALUE" */
	size_t fault_count;
};

/* The value of a fault, or NULL: none such. */
const char *proxy_fault(const struct proxy *p, const char *name);

void proxy_read_faults(struct proxy *p);

/* A request, and the answer to it. */
struct proxy_call {
	struct proxy *p;
	int fd;
	const char *method, *path;
	char *body; /* NULL: no Content-Length */
	size_t body_len;
	bool is_chunked, is_cut;
	int64_t left; /* bytes of the answer's body until it is cut off; -1 */
};

void proxy_begin(struct proxy_call *c, int status, const char *type);
void proxy_put(struct proxy_call *c, const void *bytes, size_t len); /* as it is */
void proxy_say(struct proxy_call *c, const void *bytes, size_t len);
void proxy_text(struct proxy_call *c, const char *text);
void proxy_answer(struct proxy_call *c, int status, const char *text);

/* 400, with the proxy's own words around the reason. */
void proxy_bad(struct proxy_call *c, const char *reason);

void proxy_endpoint(struct proxy_call *c);

/* Time has passed: traces that nobody asked for end. */
void proxy_tick(struct proxy *p);
void proxy_end_all(struct proxy *p);
int64_t proxy_now_ms(void);

#endif
