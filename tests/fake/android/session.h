#ifndef TC_FAKE_SESSION_H
#define TC_FAKE_SESSION_H
/*
 * session: tracing sessions of the made-up Perfetto service. There is no service:
 * each program reads what is going on from files, holding a lock, and carries out
 * what has become due.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session {
	uint64_t id, buffer_kb, duration_ms;
	int64_t started_ns; /* wall clock */
	unsigned sources, buffers;
	int uid;
	int score; /* above 0: the shell sees it whoever owns it */
	long pid;  /* of the perfetto that waits for it; 0: detached */
	bool is_foreign;
	char state[24], key[128], name[256];
	char out[1024]; /* on the device */
};

struct sessions {
	struct session *all; /* owned; by id */
	size_t count;
};

/* No other program changes sessions until the lock, a descriptor, is closed. */
int sessions_lock(void);

/* Those that go on; others are forgotten. Call it with the lock. */
void sessions_load(struct sessions *s);
void sessions_release(struct sessions *s);

/* Gives it an id, and keeps it. */
void session_add(struct session *s);
void session_remove(const struct session *s);

/*
 * The trace of a session that has ended, to a descriptor: the number of bytes
 * written, which is less than it has when the disk is full (errno is set), or -1.
 */
int64_t session_write(const struct session *s, int fd);

/* The same into its output file, if that is still there; and lets it grow. */
int64_t session_finish(const struct session *s);

/* After a session: .control/file_grows, from a process that stays behind. */
void session_grow(const char *out);

/* Becomes a process that nobody waits for, without files. */
bool session_leave(void);

#endif
