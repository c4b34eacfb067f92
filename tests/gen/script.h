#ifndef TC_GEN_SCRIPT_H
#define TC_GEN_SCRIPT_H
/*
 * script: reader of mktrace's input, one `KIND key=value key=value ...` a line.
 *
 * A '#' at the start of a word begins a comment, so one inside a layer name does
 * not. Values are handed out as they stand in the line, quotes included, because
 * a separator inside quotes does not separate; tc_script_part and the functions
 * after it take them apart. Texts, and memory from tc_script_alloc, are valid
 * until the next line.
 *
 * What fails returns -1 and leaves a message that names the line in `err`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct tc_script_block;

struct tc_script_text {
	const char *pos;
	size_t len;
};

struct tc_script_arg {
	struct tc_script_text key, value;
	bool has_value; /* a '=' was there */
};

struct tc_script {
	FILE *in;
	bool read_failed; /* err is about reading, not about the script */
	size_t number;    /* of the line */
	struct tc_script_text kind;
	struct tc_script_arg *args; /* owned */
	size_t n_args, max_args;
	char *line; /* owned */
	size_t line_cap;
	struct tc_script_block *blocks; /* owned */
	char err[256];
};

void tc_script_init(struct tc_script *s, FILE *in);
void tc_script_release(struct tc_script *s);

/* 1: kind and args are of the next line that has any; 0: end; -1: see err. */
int tc_script_next(struct tc_script *s);

/* Zeroed memory that lasts as long as the line. */
void *tc_script_alloc(struct tc_script *s, size_t len);

/* Sets err to "line N: ..." and returns -1. */
int tc_script_fail(struct tc_script *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

bool tc_script_is(struct tc_script_text t, const char *word);

/* Cuts the part before the next unquoted sep off *rest; false when there is none left. */
bool tc_script_part(struct tc_script_text *rest, char sep, struct tc_script_text *part);

/* The value of t: quotes resolved; hex digits; an integer of that many bits; a number. */
int tc_script_bytes(
	struct tc_script *s, struct tc_script_text t, uint8_t **bytes, size_t *len);
int tc_script_hex(
	struct tc_script *s, struct tc_script_text t, uint8_t **bytes, size_t *len);
int tc_script_int(
	struct tc_script *s, struct tc_script_text t, unsigned bits, uint64_t *value);
int tc_script_real(struct tc_script *s, struct tc_script_text t, double *value);

#endif
