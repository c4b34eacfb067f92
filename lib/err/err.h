#ifndef TC_ERR_ERR_H
#define TC_ERR_ERR_H
/*
 * err: what went wrong, made where the facts are and printed once.
 *
 * One struct tc_err lives on main's stack and is passed down as the last
 * argument. A function that fails fills it and returns -1; a caller that knows
 * more puts its context in front with tc_err_add. The code is the exit status.
 */

enum tc_code {
	TC_OK = 0,
	TC_PARTIAL = 1,    /* done, but a check failed or a part of the work did */
	TC_USAGE = 2,      /* wrong option or argument */
	TC_DATA = 65,      /* malformed input */
	TC_NOINPUT = 66,   /* input cannot be opened */
	TC_NOSERVICE = 69, /* no such device or service */
	TC_BUG = 70,       /* our own fault */
	TC_SYSTEM = 71,    /* the system refused: memory, fork */
	TC_IO = 74,        /* read or write failed */
	TC_AGAIN = 75,     /* busy, timed out */
	TC_PROTOCOL = 76,  /* the device broke its protocol */
	TC_DENIED = 77,    /* not permitted */
	TC_GONE = 141,     /* the reader of our output is gone: 128 + SIGPIPE */
};

struct tc_err {
	enum tc_code code;
	int sys;          /* errno, 0 when the system was not involved */
	const char *name; /* a literal, more exact than the code's own; or NULL */
	char msg[512];
};

/* Fills *err and returns -1. A message that is too long is cut. */
int tc_err_set(struct tc_err *err, enum tc_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with errno kept and its text added to the message. */
int tc_err_sys(struct tc_err *err, enum tc_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same as tc_err_set, with a name of its own: tc_err_what gives it. */
int tc_err_named(struct tc_err *err, enum tc_code code, const char *name, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

/* Puts "context: " in front of the message and returns -1. */
int tc_err_add(struct tc_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The code as records and diagnostics spell it, "malformed" for TC_DATA. */
const char *tc_err_name(enum tc_code code);

/* What went wrong in one such word: the name it was given, or that of its code. */
const char *tc_err_what(const struct tc_err *err);

#endif
