#ifndef TC_WINSCOPE_PRIV_H
#define TC_WINSCOPE_PRIV_H
/* Inside winscope: one request at a time, and what is in the answers. */
#include "err/err.h"
#include "winscope/winscope.h"

/* ---- answer.c: bytes of answers, in any pieces. All start with zeros. ---- */

/*
 * The text in an answer: a JSON string alone; or, with a key, the only member of an
 * object, which may also be null.
 */
struct tc_winscope_text {
	const char *key;
	enum tc_winscope_text_state {
		TC_WINSCOPE_TEXT_START,
		TC_WINSCOPE_TEXT_OBJECT,
		TC_WINSCOPE_TEXT_KEY,
		TC_WINSCOPE_TEXT_COLON,
		TC_WINSCOPE_TEXT_VALUE,
		TC_WINSCOPE_TEXT_STRING,
		TC_WINSCOPE_TEXT_NULL,
		TC_WINSCOPE_TEXT_CLOSE,
		TC_WINSCOPE_TEXT_END
	} state;
	size_t at;       /* in the key, or in "null" */
	unsigned digits; /* of \u that are still to come */
	bool is_escaped, is_null;
	uint32_t unit, high; /* of UTF-16; high is the first of two */
};

/* What one piece can become longer by. */
enum { TC_WINSCOPE_TEXT_MORE = 16 };

/* *out_len of it at out, which has room for len + TC_WINSCOPE_TEXT_MORE. 0, or -1. */
int tc_winscope_text_feed(struct tc_winscope_text *t, const char *bytes, size_t len,
	char *out, size_t *out_len, struct tc_err *err);
bool tc_winscope_text_is_whole(const struct tc_winscope_text *t);

struct tc_winscope_base64 {
	uint32_t bits;
	unsigned have, pads;
};

/* out has room for len bytes; where it is not base64 -1, without *err. */
int tc_winscope_base64_feed(struct tc_winscope_base64 *b, const char *text, size_t len,
	uint8_t *out, size_t *out_len);
bool tc_winscope_base64_is_whole(const struct tc_winscope_base64 *b);

/* The same, of bytes; ended by free. */
char *tc_winscope_base64_of(const char *bytes, size_t len);

/*
 * What a wrapped command printed. `said` is the end of what stands before the mark,
 * for when there is none.
 */
enum { TC_WINSCOPE_MARK = 32, TC_WINSCOPE_SAID = 256, TC_WINSCOPE_TAIL = 8 };

struct tc_winscope_output {
	char mark[TC_WINSCOPE_MARK];
	enum { TC_WINSCOPE_BEFORE, TC_WINSCOPE_DATA, TC_WINSCOPE_AFTER } state;
	size_t matched; /* of the mark */
	struct tc_winscope_base64 base64;
	uint8_t tail[TC_WINSCOPE_TAIL]; /* the status may begin in it */
	size_t tail_len;
	int status; /* in TC_WINSCOPE_AFTER */
	char said[TC_WINSCOPE_SAID + 1];
	size_t said_len;
};

/* out has room for len + TC_WINSCOPE_TAIL. 0, or -1. */
int tc_winscope_output_feed(struct tc_winscope_output *o, const char *text, size_t len,
	uint8_t *out, size_t *out_len, struct tc_err *err);

/* A command as the proxy is to give it to adb: ended by free. */
char *tc_winscope_wrapped(const char *command, const char *mark);

/* {"NAME":"VALUE",...} of pairs, up to a NULL; ended by free. */
char *tc_winscope_object(const char *const *pairs);

/* The devices in an answer. 0, or -1. */
int tc_winscope_devices(struct tc_str answer, struct tc_arena *arena,
	struct tc_winscope_info **list, size_t *count, struct tc_err *err);

/* The errors in an answer to endtrace, one a line, in the arena. 0, or -1. */
int tc_winscope_errors(struct tc_str answer, struct tc_arena *arena, const char **errors,
	struct tc_err *err);

/* Whether a proxy of this version does what we want. */
bool tc_winscope_is_version(const char *version);

/* A serial number that can be part of a request. */
bool tc_winscope_is_serial(const char *serial);

/* ---- gunzip.c ---- */

struct tc_winscope_gunzip {
	void *z; /* owned */
	bool is_over;
};

void tc_winscope_gunzip_init(struct tc_winscope_gunzip *g);
void tc_winscope_gunzip_release(struct tc_winscope_gunzip *g);

/*
 * Fills out from *bytes, which moves on: how many bytes it made; 0 when it needs more;
 * -1 when that is no gzip data, or some is behind it.
 */
int64_t tc_winscope_gunzip_next(struct tc_winscope_gunzip *g, const uint8_t **bytes,
	size_t *len, uint8_t *out, size_t cap);

/* The file in an answer to fetch, in any pieces. */
struct tc_winscope_file {
	struct tc_winscope_text text;
	struct tc_winscope_base64 base64;
	struct tc_winscope_gunzip gunzip;
};

/* Gets each piece of the file; 0, or -1. */
typedef int tc_winscope_put_fn(
	void *ctx, const uint8_t *bytes, size_t len, struct tc_err *err);

/* At most TC_WINSCOPE_PIECE bytes at a time. */
enum { TC_WINSCOPE_PIECE = 16 * 1024 };
int tc_winscope_file_feed(struct tc_winscope_file *f, const char *bytes, size_t len,
	tc_winscope_put_fn *put, void *ctx, struct tc_err *err);

/* At the end of the answer: 1 when the file is whole, 0 when there is none, or -1. */
int tc_winscope_file_end(const struct tc_winscope_file *f, struct tc_err *err);

/* ---- files.c ---- */

/*
 * What a command says of a directory, with a NUL behind it: "MODE SIZE MTIME", a
 * newline, the name and a NUL, again and again. 0, or -1.
 */
int tc_winscope_entries(const char *text, size_t len, const char *path,
	tc_winscope_entry_fn *entry, void *ctx, struct tc_err *err);

/* ---- http.c ---- */

/* One request and its answer. Set the first part, the rest to zeros. */
struct tc_winscope_call {
	const struct tc_winscope_proxy *proxy;
	const char *path; /* as it goes out: nothing in it that does not belong there */
	const char *body; /* NULL: nothing is posted */
	bool is_open;     /* a proxy that does not listen is gone, then */

	/* Takes what a good answer says: 0; 1 not now, offer it again; or -1. */
	int (*take)(void *ctx, const char *bytes, size_t len, struct tc_err *err);
	void *ctx;

	void *easy, *multi, *headers; /* owned */
	struct tc_err *why;           /* of take, while something is under way */
	char said[512];               /* how an answer that is no good begins */
	size_t said_len, head_bytes;
	char version[24];
	int64_t moved_ns; /* when a byte came, or went */
	bool is_paused, is_failed, is_over;
	struct tc_err failure; /* once it is over; its code 0: it was good */
};

int tc_winscope_call_begin(struct tc_winscope_call *c, struct tc_err *err);

/* 1: the answer is over, and was good; 0: something happened; or -1. */
int tc_winscope_call_step(
	struct tc_winscope_call *c, const struct tc_wait *w, struct tc_err *err);

/* To be polled; -1 when it does not wait for the proxy. */
int tc_winscope_call_fd(const struct tc_winscope_call *c);
void tc_winscope_call_end(struct tc_winscope_call *c);

/* All of it: 0, or -1. */
int tc_winscope_call(
	struct tc_winscope_call *c, const struct tc_wait *w, struct tc_err *err);

/* A whole answer, of at most `max` bytes, in the arena. 0, or -1. */
int tc_winscope_ask(struct tc_winscope_call *c, size_t max, struct tc_arena *arena,
	const struct tc_wait *w, struct tc_str *answer, struct tc_err *err);

/* Text of the proxy's as it can be shown, in one line. */
void tc_winscope_words(const struct tc_winscope_proxy *p, const char *text, size_t len,
	char *words, size_t size);

/* ---- device.c ---- */

enum { TC_WINSCOPE_KEPT_MAX = 256 };

struct tc_winscope {
	struct tc_winscope_proxy proxy;
	char *serial; /* owned */
	char *place;  /* owned: the serial number as a part of a path */
	struct tc_winscope_kept {
		char *id; /* owned */
		int64_t asked_ns;
	} * kept; /* owned */
	size_t kept_count, kept_cap;
	bool is_open;    /* it was looked at: what fails now is lost */
	bool is_refused; /* adb did not reach it */
};

/* "/NAME/SERIAL/REST"; ended by free. */
char *tc_winscope_path(
	const struct tc_winscope *d, const char *endpoint, const char *rest);

/* What it means when adb says this instead of running a command. Returns -1. */
int tc_winscope_refused(struct tc_winscope *d, const char *said, struct tc_err *err);

/* A command's whole output, with a NUL behind it: ended by free. 0, or -1. */
int tc_winscope_run(struct tc_winscope *d, const char *command, const struct tc_wait *w,
	char **out, size_t *len, int *status, struct tc_err *err);

/* In one word of a command line: ended by free. */
char *tc_winscope_quoted(const char *text);

/* Text made as by printf: ended by free. */
char *tc_winscope_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Before something else is asked: those that were not for a second. */
void tc_winscope_keep(struct tc_winscope *d, const struct tc_wait *w);

#endif
