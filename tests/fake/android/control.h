#ifndef TC_FAKE_CONTROL_H
#define TC_FAKE_CONTROL_H
/*
 * control: what a test has set for the device (files of .control, see ./setup), and
 * where things are. Without a device, or without memory, the program ends.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_PATH = 4096 };

/* The uid that the caller has on the device. */
int fake_uid(void);

/* A path below the device's folder, printf-like, into path[FAKE_PATH]. */
void fake_path(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Where a file of the device is here: /data is a folder of the device's own. */
void fake_device_path(char *path, const char *device);

bool fake_control_has(const char *name);

/* The whole file, ended by 0; NULL when it is not there. Freed by the caller. */
char *fake_control_text(const char *name, size_t *len);

/* Its first line into line[], or "" when it is not there. */
void fake_control_line(const char *name, char *line, size_t size);

/* Bytes that a file may hold before the disk is full. */
uint64_t fake_disk_bytes(void);

/* Milliseconds after which what has this name dies, or -1. */
long fake_dies_ms(const char *name);

/* A whole file or stream, of at most limit bytes, ended by 0; NULL, errno is set. */
char *fake_read(int fd, size_t limit, size_t *len);

int64_t fake_now_ns(void); /* wall clock */
void fake_sleep_ms(long ms);

#endif
