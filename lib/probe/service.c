/* What the tracing service says of itself. */
#include <query.pb-c.h>
#include <string.h>

#include "probe/priv.h"

/* Winscope calls its session so, and we ours: only one of the two can run. */
static const char our_name[] = "winscope proxy perfetto tracing";

/* "Perfetto v57.2 (N/A)" is v57.2; what has another form is taken as it is. */
static struct tc_str
version_of(struct tc_str s)
{
	struct tc_str rest = s, version;

	if (!s.len)
		return (struct tc_str){ NULL, 0, false };
	if (tc_str_eq(tc_probe_word(&rest), TC_STR("Perfetto"))) {
		version = tc_probe_word(&rest);
		if (version.len)
			return version;
	}
	s = tc_probe_trim(s);
	return s.len ? s : (struct tc_str){ NULL, 0, false };
}

/* ---- names, each once ---- */

struct names {
	struct tc_strtab seen; /* owned */
	bool too_many;
};

static void
add_name(struct names *n, struct tc_str name)
{
	if (!name.len)
		return;
	if (n->seen.count >= TC_PROBE_MAX_ITEMS)
		n->too_many = true;
	else
		tc_strtab_id(&n->seen, name);
}

static struct tc_rec_list
take_names(struct names *n, struct tc_arena *arena)
{
	size_t i, count = n->seen.count;
	struct tc_str *all = tc_arena_alloc(arena, (count + 1) * sizeof(*all));

	for (i = 0; i < count; i++)
		all[i] = tc_arena_str(arena, tc_strtab_str(&n->seen, (uint32_t)i + 1));
	tc_strtab_release(&n->seen);
	return (struct tc_rec_list){ all, count };
}

/* ---- sessions ---- */

struct session {
	int64_t uid; /* -1: not known */
	struct tc_str state, name;
};

/* The service keeps some that are over, and copies that are there to be read. */
static bool
is_under_way(const struct session *one)
{
	return !tc_str_eq(one->state, TC_STR("DISABLED")) &&
		!tc_str_eq(one->state, TC_STR("CLONED_READ_ONLY"));
}

static void
count_session(struct tc_probe_service *s, const struct session *one, int64_t uid)
{
	if (tc_str_eq(one->name, tc_str_of(our_name)))
		s->rec.own_session = 1;
	else if (is_under_way(one) && (uid < 0 || one->uid < 0 || one->uid == uid))
		s->rec.sessions++;
}

/* ---- as a message ---- */

static struct tc_str
text_of(protobuf_c_boolean is_there, ProtobufCBinaryData b)
{
	if (!is_there)
		return (struct tc_str){ NULL, 0, false };
	return (struct tc_str){ (const char *)b.data, (uint32_t)b.len, false };
}

static void
read_sessions(
	const Tc__TracingServiceState *state, int64_t uid, struct tc_probe_service *s)
{
	const Tc__TracingServiceState__TracingSession *from;
	struct session one;
	size_t i;

	if (!state->has_supports_tracing_sessions || !state->supports_tracing_sessions)
		return;
	s->rec.sessions = s->rec.own_session = 0;
	for (i = 0; i < state->n_tracing_sessions; i++) {
		from = state->tracing_sessions[i];
		one.uid = from->has_consumer_uid ? from->consumer_uid : -1;
		one.state = text_of(from->has_state, from->state);
		one.name =
			text_of(from->has_unique_session_name, from->unique_session_name);
		count_session(s, &one, uid);
	}
}

static bool
read_message(struct tc_str out, int64_t uid, struct tc_arena *arena,
	struct tc_probe_service *s, struct names *sources)
{
	Tc__TracingServiceState *state =
		tc__tracing_service_state__unpack(NULL, out.len, (const uint8_t *)out.p);
	const Tc__DataSourceDescriptor *d;
	struct tc_str version;
	size_t i;

	if (!state)
		return false;
	for (i = 0; i < state->n_data_sources; i++) {
		d = state->data_sources[i]->ds_descriptor;
		if (d)
			add_name(sources, text_of(d->has_name, d->name));
	}
	version = version_of(text_of(
		state->has_tracing_service_version, state->tracing_service_version));
	if (version.p)
		s->rec.version = tc_arena_str(arena, version);
	if (state->has_num_sessions && state->num_sessions >= 0)
		s->total = state->num_sessions;
	read_sessions(state, uid, s);
	tc__tracing_service_state__free_unpacked(state, NULL);
	return s->rec.version.p || sources->seen.count;
}

/* ---- as text, for people ---- */

static const char sources_head[] = "DATA SOURCES REGISTERED:";
static const char sources_columns[] =
	"NAME                                     PRODUCER                     DETAILS";
static const char sessions_head[] = "TRACING SESSIONS:";
static const char sessions_columns[] =
	"ID      UID     STATE      BUF (#) KB   DUR (s)   #DS  STARTED  NAME";

/*
 * Goes on behind a section's head and the two lines over its columns. The text is
 * untouched when there is no such section.
 */
static bool
find_section(struct tc_str *text, const char *head, const char *columns)
{
	struct tc_str rest = *text, line;

	while (tc_probe_line(&rest, &line)) {
		if (!tc_str_eq(line, tc_str_of(head)))
			continue;
		while (tc_probe_line(&rest, &line) && !line.len)
			;
		if (!tc_str_eq(line, tc_str_of(columns)) ||
			!tc_probe_line(&rest, &line) || !line.len || *line.p != '=')
			return false;
		*text = rest;
		return true;
	}
	return false;
}

/* "ID UID STATE (N) KB SECONDS SOURCES STARTED NAME"; a name may have blanks. */
static bool
read_row(struct tc_str line, struct session *one)
{
	struct tc_str buffers;
	int i;

	if (tc_probe_number(tc_probe_word(&line)) < 0)
		return false;
	one->uid = tc_probe_number(tc_probe_word(&line));
	one->state = tc_probe_word(&line);
	buffers = tc_probe_word(&line);
	if (one->uid < 0 || !buffers.len || *buffers.p != '(')
		return false;
	for (i = 0; i < 4; i++)
		if (!tc_probe_word(&line).len)
			return false;
	one->name = tc_probe_trim(line);
	return true;
}

static void
read_rows(struct tc_str text, int64_t uid, struct tc_probe_service *s)
{
	struct tc_str line;
	struct session one;

	if (!find_section(&text, sessions_head, sessions_columns))
		return;
	s->rec.sessions = s->rec.own_session = 0;
	while (tc_probe_line(&text, &line) && line.len)
		if (read_row(line, &one))
			count_session(s, &one, uid);
}

/* "Service: VERSION", "Tracing sessions: N (started: M)" */
static void
read_head(struct tc_str text, struct tc_arena *arena, struct tc_probe_service *s)
{
	struct tc_str line, word, version;

	while (tc_probe_line(&text, &line) && !tc_str_eq(line, tc_str_of(sources_head))) {
		word = tc_probe_word(&line);
		if (tc_str_eq(word, TC_STR("Service:")) && !s->rec.version.p) {
			version = version_of(line);
			if (version.p)
				s->rec.version = tc_arena_str(arena, version);
		}
		if (!tc_str_eq(word, TC_STR("Tracing")) ||
			!tc_str_eq(tc_probe_word(&line), TC_STR("sessions:")))
			continue;
		s->total = tc_probe_number(tc_probe_word(&line));
		if (s->total < 0)
			s->total = TC_NONE;
	}
}

/* Only the first column of the table of data sources counts. */
static bool
read_text(struct tc_str out, int64_t uid, struct tc_arena *arena,
	struct tc_probe_service *s, struct names *sources)
{
	struct tc_str text = out, line;

	if (!find_section(&text, sources_head, sources_columns))
		return false;
	read_head(out, arena, s);
	while (tc_probe_line(&text, &line) && line.len)
		add_name(sources, tc_probe_word(&line));
	read_rows(text, uid, s);
	s->is_for_people = true;
	return true;
}

static void
reset(struct tc_probe_service *s)
{
	*s = (struct tc_probe_service){ .total = TC_NONE };
	s->rec.sessions = s->rec.own_session = TC_NONE;
}

int
tc_probe_service(struct tc_str out, int64_t uid, struct tc_arena *arena,
	struct tc_probe_service *s)
{
	struct names sources = { 0 };
	bool is_read;

	reset(s);
	is_read = read_message(out, uid, arena, s, &sources);
	if (!is_read) {
		reset(s);
		tc_strtab_release(&sources.seen);
		sources = (struct names){ 0 };
		is_read = read_text(out, uid, arena, s, &sources);
	}
	if (!is_read || sources.too_many) {
		tc_strtab_release(&sources.seen);
		return -1;
	}
	s->rec.data_sources = take_names(&sources, arena);
	return 0;
}
