#ifndef TC_FAKE_CONFIG_H
#define TC_FAKE_CONFIG_H
/*
 * config: what the made-up perfetto obeys of a trace config in text form. All other
 * fields are read over: whether they exist is not checked.
 */
#include <stdbool.h>
#include <stdint.h>

struct config {
	char name[256]; /* unique_session_name */
	uint64_t duration_ms, buffer_kb;
	unsigned buffers;
	unsigned sources; /* those that the device has */
	bool write_into_file;
};

/* 0, or the line where it is no such text; then why[] says what is wrong. */
unsigned config_parse(struct config *c, const char *text, char why[128]);

#endif
