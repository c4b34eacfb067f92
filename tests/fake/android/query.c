#include "query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control.h"
#include "pb/pb.h"

enum { MAX_SOURCES = 256, NAME = 128 };

struct producer {
	char name[NAME];
	unsigned pid;
	int uid;
};

struct source {
	char name[NAME];
	unsigned producer; /* index */
};

struct service {
	char version[64];
	struct producer producers[MAX_SOURCES];
	struct source sources[MAX_SOURCES];
	unsigned producer_count, source_count;
};

/* Producers are numbered as they appear; pid and uid are those of .control/processes. */
static unsigned
producer_of(struct service *v, const char *name, const char *processes)
{
	struct producer *p = v->producers;
	unsigned i, pid;
	char found[NAME];
	int uid;

	for (i = 0; i < v->producer_count; i++)
		if (strcmp(p[i].name, name) == 0)
			return i;
	snprintf(p[i].name, NAME, "%s", name);
	while (processes && sscanf(processes, "%u %d %127s", &pid, &uid, found) == 3) {
		if (strcmp(found, name) == 0) {
			p[i].pid = pid;
			p[i].uid = uid;
		}
		processes = strchr(processes, '\n');
		processes = processes ? processes + 1 : NULL;
	}
	v->producer_count++;
	return i;
}

static void
load(struct service *v)
{
	char *processes = fake_control_text("processes", NULL);
	char *text = fake_control_text("data_sources", NULL), *line = text;
	struct source *s;
	char producer[NAME];

	memset(v, 0, sizeof(*v));
	fake_control_line("perfetto", v->version, sizeof(v->version));
	while (line && *line && v->source_count < MAX_SOURCES) {
		s = &v->sources[v->source_count];
		if (sscanf(line, "%127s %127s", s->name, producer) == 2) {
			s->producer = producer_of(v, producer, processes);
			v->source_count++;
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	free(text);
	free(processes);
}

/* The service's own daemon calls itself so. */
static const char *
producer_name(const struct producer *p)
{
	return strcmp(p->name, "traced_probes") == 0 ? "perfetto.traced_probes" : p->name;
}

static bool
sees(const struct session *s, int uid)
{
	return uid == 0 || s->uid == uid || (uid == 2000 && s->score > 0);
}

static unsigned
count_started(const struct sessions *s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->count; i++)
		n += strcmp(s->all[i].state, "STARTED") == 0;
	return n;
}

static void
print_producers(const struct service *v)
{
	printf("\n\nPRODUCER PROCESSES CONNECTED:\n\n"
	       "ID     PID      UID      FLAGS  NAME                                     "
	       "  SDK\n"
	       "==     ===      ===      =====  ====                                     "
	       "  ===\n");
	for (unsigned i = 0; i < v->producer_count; i++)
		printf("%-6u %-8u %-8d %-6s %-42s %s\n", i + 1, v->producers[i].pid,
			v->producers[i].uid, "", producer_name(&v->producers[i]),
			v->version);
	printf("\n\nDATA SOURCES REGISTERED:\n\n"
	       "NAME                                     PRODUCER                     "
	       "DETAILS\n"
	       "===                                      ========                     "
	       "========\n");
	for (unsigned i = 0; i < v->source_count; i++) {
		char producer[NAME + 16];

		snprintf(producer, sizeof(producer), "%s (%u)",
			producer_name(&v->producers[v->sources[i].producer]),
			v->sources[i].producer + 1);
		printf("%-40s %-28s \n", v->sources[i].name, producer);
	}
}

static void
print_session(const struct session *s)
{
	unsigned of_day = (unsigned)(s->started_ns / 1000000000 % 86400);

	printf("%-7llu %-7d %-10s (%u) %-8llu %-9llu %-4u %02u:%02u:%02u %s\n",
		(unsigned long long)s->id, s->uid, s->state, s->buffers,
		(unsigned long long)s->buffer_kb,
		(unsigned long long)s->duration_ms / 1000, s->sources, of_day / 3600,
		of_day / 60 % 60, of_day % 60, s->name);
}

void
query_text(const struct sessions *s, int uid)
{
	static struct service v;
	size_t listed = 0;

	load(&v);
	printf("\x1b[31mNot meant for machine consumption. Use --query-raw for "
	       "scripts.\x1b[0m\n\n"
	       "Service: %s\nTracing sessions: %zu (started: %u)\n",
		v.version, s->count, count_started(s));
	print_producers(&v);
	printf("\n\nTRACING SESSIONS:\n\n"
	       "ID      UID     STATE      BUF (#) KB   DUR (s)   #DS  STARTED  NAME\n"
	       "===     ===     =====      ==========   =======   ===  =======  ====\n");
	for (size_t i = 0; i < s->count; i++) {
		if (!sees(&s->all[i], uid))
			continue;
		print_session(&s->all[i]);
		listed++;
	}
	if (listed != s->count && uid != 0)
		printf("\nNOTE: Some tracing sessions are not reported in the list "
		       "above.\n"
		       "This is likely because they are owned by a different UID.\n"
		       "If you want to list all session, run again this command as "
		       "root.\n");
}

static void
put_text(struct tc_pb_buf *b, uint32_t field, const char *text)
{
	tc_pb_put_bytes(b, field, text, strlen(text));
}

static void
put_producer(struct tc_pb_buf *b, const struct service *v, unsigned i)
{
	struct tc_pb_buf one = { 0 };

	tc_pb_put_number(&one, 1, i + 1);
	put_text(&one, 2, producer_name(&v->producers[i]));
	tc_pb_put_number(&one, 5, v->producers[i].pid);
	tc_pb_put_number(&one, 3, (uint64_t)v->producers[i].uid);
	put_text(&one, 4, v->version);
	tc_pb_put_bytes(b, 1, one.bytes, one.len);
	tc_pb_buf_release(&one);
}

static void
put_source(struct tc_pb_buf *b, const struct source *s)
{
	struct tc_pb_buf one = { 0 }, descriptor = { 0 };

	put_text(&descriptor, 1, s->name);
	tc_pb_put_number(&descriptor, 2, 1);
	tc_pb_put_number(&descriptor, 3, 1);
	tc_pb_put_bytes(&one, 1, descriptor.bytes, descriptor.len);
	tc_pb_put_number(&one, 2, s->producer + 1);
	tc_pb_put_bytes(b, 2, one.bytes, one.len);
	tc_pb_buf_release(&descriptor);
	tc_pb_buf_release(&one);
}

static void
put_session(struct tc_pb_buf *b, const struct session *s)
{
	struct tc_pb_buf one = { 0 };

	tc_pb_put_number(&one, 1, s->id);
	tc_pb_put_number(&one, 2, (uint64_t)s->uid);
	put_text(&one, 3, s->state);
	put_text(&one, 4, s->name);
	tc_pb_put_number(&one, 5, s->buffer_kb);
	tc_pb_put_number(&one, 6, s->duration_ms);
	tc_pb_put_number(&one, 7, s->sources);
	tc_pb_put_number(&one, 8, (uint64_t)s->started_ns);
	if (s->score)
		tc_pb_put_number(&one, 9, (uint64_t)s->score);
	tc_pb_put_number(&one, 11, strcmp(s->state, "STARTED") == 0);
	tc_pb_put_bytes(b, 6, one.bytes, one.len);
	tc_pb_buf_release(&one);
}

void
query_raw(const struct sessions *s, int uid)
{
	static struct service v;
	struct tc_pb_buf b = { 0 };

	load(&v);
	for (unsigned i = 0; i < v.producer_count; i++)
		put_producer(&b, &v, i);
	for (unsigned i = 0; i < v.source_count; i++)
		put_source(&b, &v.sources[i]);
	for (size_t i = 0; i < s->count; i++)
		if (sees(&s->all[i], uid))
			put_session(&b, &s->all[i]);
	tc_pb_put_number(&b, 7, 1);
	tc_pb_put_number(&b, 3, s->count);
	tc_pb_put_number(&b, 4, count_started(s));
	put_text(&b, 5, v.version);
	fwrite(b.bytes, 1, b.len, stdout);
	tc_pb_buf_release(&b);
}
