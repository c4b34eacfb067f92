#include "choose/choose.h"

#include <string.h>

#include "choose/priv.h"
#include "err/err.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *
tc_choose_digits(const char *text, int64_t *number)
{
	uint64_t n = 0;
	uint32_t count = tc_str_digits(tc_str_of(text), 10, INT64_MAX, &n);

	*number = (int64_t)n;
	return count ? text + count : NULL;
}

/* ".25" of a unit, to the nanosecond; returns where it ends. */
static const char *
fraction(const char *p, int64_t unit, int64_t *ns)
{
	*ns = 0;
	if (*p != '.' || !is_digit(p[1]))
		return p;
	for (p++; is_digit(*p); p++) {
		unit /= 10;
		*ns += (*p - '0') * unit;
	}
	return p;
}

/* Nanoseconds in the unit at the end of "+1.5ms", 0 when it is none. */
static int64_t
unit_of(const char *text)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 },
		{ "ns", 1 } };
	size_t i, skip = strspn(text, "0123456789.");

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(text + skip, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

static int
read_after(struct tc_choose_time *t, const char *text, struct tc_err *err)
{
	int64_t unit = unit_of(text + 1), whole, part;
	const char *p = tc_choose_digits(text + 1, &whole);

	if (!p || !unit)
		return tc_err_set(err, TC_USAGE,
			"%s: a time after the start is like +2s, +500ms, +10us or +5ns",
			text);
	p = fraction(p, unit, &part);
	if (is_digit(*p) || *p == '.')
		return tc_err_set(err, TC_USAGE, "%s: not a number", text);
	if (__builtin_mul_overflow(whole, unit, &t->ns) ||
		__builtin_add_overflow(t->ns, part, &t->ns))
		return tc_err_set(err, TC_USAGE, "%s: too long", text);
	t->kind = TC_CHOOSE_AFTER;
	return 0;
}

static int
read_time(struct tc_choose_time *t, const char *text, struct tc_err *err)
{
	const char *end;

	if (*text == '+')
		return read_after(t, text, err);
	if (!*text)
		return tc_err_set(err, TC_USAGE, "an empty time");
	if (!is_digit(*text)) {
		*t = (struct tc_choose_time){ .kind = TC_CHOOSE_MARKER, .marker = text };
		return 0;
	}
	end = tc_choose_digits(text, &t->ns);
	if (!end || *end)
		return tc_err_set(err, TC_USAGE,
			"%s: trace time is nanoseconds without a unit; a time after the "
			"start begins with +",
			text);
	t->kind = TC_CHOOSE_AT;
	return 0;
}

int
tc_choose_set_from(struct tc_choose *c, const char *text, struct tc_err *err)
{
	return read_time(&c->from, text, err);
}

int
tc_choose_set_to(struct tc_choose *c, const char *text, struct tc_err *err)
{
	return read_time(&c->to, text, err);
}

int
tc_choose_check(const struct tc_choose *c, struct tc_err *err)
{
	bool is_same_kind = c->from.kind == c->to.kind &&
		(c->from.kind == TC_CHOOSE_AT || c->from.kind == TC_CHOOSE_AFTER);

	if (is_same_kind && c->from.ns >= c->to.ns)
		return tc_err_set(err, TC_USAGE, "--to has to be later than --from");
	return 0;
}

static bool
is_named(const struct tc_choose_time *t, struct tc_str name)
{
	return t->kind == TC_CHOOSE_MARKER && name.p && strlen(t->marker) == name.len &&
		memcmp(t->marker, name.p, name.len) == 0;
}

bool
tc_choose_is_marker(const struct tc_choose *c, struct tc_str name)
{
	return is_named(&c->from, name) || is_named(&c->to, name);
}

void
tc_choose_mark(const struct tc_choose *c, struct tc_choose_window *w, struct tc_str name,
	int64_t ts, int64_t dur)
{
	if (is_named(&c->from, name) && (!w->has_from || ts < w->from_marker)) {
		w->has_from = true;
		w->from_marker = ts;
	}
	if (is_named(&c->to, name) && (!w->has_to || ts < w->to_marker)) {
		w->has_to = true;
		w->to_marker = ts;
		w->to_marker_dur = dur;
	}
}

/* When something that began at ts is over. */
static int64_t
end_of(int64_t ts, int64_t dur)
{
	return dur < 0 || dur > INT64_MAX - ts ? INT64_MAX : ts + dur;
}

static int
missing(const char *marker, struct tc_err *err)
{
	return tc_err_set(err, TC_DATA, "no slice is named '%s'", marker);
}

/* A time that is not a marker's, or `otherwise` where there is none. */
static int64_t
plain_time(const struct tc_choose_time *t, int64_t start_ts, int64_t otherwise)
{
	int64_t ts;

	if (t->kind == TC_CHOOSE_AT)
		return t->ns;
	if (t->kind != TC_CHOOSE_AFTER)
		return otherwise;
	return __builtin_add_overflow(start_ts, t->ns, &ts) ? INT64_MAX : ts;
}

int
tc_choose_resolve(const struct tc_choose *c, int64_t start_ts, int64_t end_ts,
	struct tc_choose_window *w, struct tc_err *err)
{
	bool has_times = start_ts <= end_ts;

	start_ts = has_times ? start_ts : 0;
	w->end = has_times ? end_of(end_ts, 1) : INT64_MAX;
	w->from = plain_time(&c->from, start_ts, INT64_MIN);
	w->to = plain_time(&c->to, start_ts, INT64_MAX);
	if (c->from.kind == TC_CHOOSE_MARKER) {
		if (!w->has_from)
			return missing(c->from.marker, err);
		w->from = w->from_marker;
	}
	if (c->to.kind == TC_CHOOSE_MARKER) {
		if (!w->has_to)
			return missing(c->to.marker, err);
		/* A moment is in the window that it ends. */
		w->to = end_of(w->to_marker, w->to_marker_dur ? w->to_marker_dur : 1);
	}
	if (w->from >= w->to && w->to != INT64_MAX)
		return tc_err_set(err, TC_DATA,
			"--to comes at %lld, which is not after --from at %lld",
			(long long)w->to, (long long)w->from);
	return 0;
}

unsigned
tc_choose_place(const struct tc_choose_window *w, int64_t ts, int64_t dur)
{
	int64_t end = dur < 0 ? (w->end > ts ? w->end : ts) : end_of(ts, dur);
	unsigned place = TC_CHOOSE_INSIDE;

	if (ts >= w->to && w->to != INT64_MAX)
		return TC_CHOOSE_OUTSIDE;
	if (ts < w->from && end <= w->from)
		return TC_CHOOSE_OUTSIDE;
	if (ts < w->from)
		place |= TC_CHOOSE_CROSSES_FROM;
	if (end > w->to)
		place |= TC_CHOOSE_CROSSES_TO;
	return place;
}
