#include "targets/priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err/err.h"

/* No name of a package, group, category or event is longer. */
enum { MAX_NAME = 255 };

static int
show(struct tc_str s)
{
	return s.len < 64 ? (int)s.len : 64;
}

void
tc_targets_list(struct tc_targets_listed *l, const char *name)
{
	int n = snprintf(l->text + l->len, sizeof(l->text) - l->len, "%s%s",
		l->len ? ", " : "", name);

	l->len += (size_t)n;
	if (l->len >= sizeof(l->text))
		l->len = sizeof(l->text) - 1;
}

static int
no_target(struct tc_str name, struct tc_err *err)
{
	const struct tc_targets_target *target;
	struct tc_targets_listed l = { .len = 0 };

	for (target = tc_targets_table; target->name; target++)
		tc_targets_list(&l, target->name);
	return tc_err_set(
		err, TC_USAGE, "no target '%.*s': one of %s", show(name), name.p, l.text);
}

static int
no_option(const struct tc_targets_target *target, struct tc_str key, struct tc_err *err)
{
	const struct tc_targets_option *o;
	struct tc_targets_listed l = { .len = 0 };

	for (o = target->options; o->key; o++)
		tc_targets_list(&l, o->key);
	if (!l.len)
		return tc_err_set(err, TC_USAGE, "%s has no option '%.*s', nor any other",
			target->name, show(key), key.p);
	return tc_err_set(err, TC_USAGE, "%s has no option '%.*s': one of %s",
		target->name, show(key), key.p, l.text);
}

static int
no_word(const struct tc_targets_option *o, struct tc_str word, struct tc_err *err)
{
	const struct tc_targets_word *w;
	struct tc_targets_listed l = { .len = 0 };

	for (w = o->words; w->word; w++)
		tc_targets_list(&l, w->word);
	return tc_err_set(
		err, TC_USAGE, "%s=%.*s: one of %s", o->key, show(word), word.p, l.text);
}

/* What may stand in a here-document and a command without being read by a shell. */
static int
check_free_text(const char *key, struct tc_str s, const char *more, struct tc_err *err)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		if ((s.p[i] >= 'a' && s.p[i] <= 'z') ||
			(s.p[i] >= 'A' && s.p[i] <= 'Z') ||
			(s.p[i] >= '0' && s.p[i] <= '9'))
			continue;
		if (!s.p[i] || !strchr(more, s.p[i]))
			break;
	}
	if (s.len && s.len <= MAX_NAME && i == s.len)
		return 0;
	return tc_err_set(err, TC_USAGE,
		"%s=%.*s: 1 to %d letters, digits and characters of '%s'", key, show(s),
		s.p, MAX_NAME, more);
}

static const char free_text[] = "_.:/*-";

static struct tc_str
part(struct tc_str s, size_t from, size_t to)
{
	return (struct tc_str){ s.p + from, (uint32_t)(to - from), false };
}

/*
 * The id in a description as Winscope makes it of what the device says of its
 * displays: `"Name" 4619827259835644672 (HWC display 0): port=0`, or without name.
 */
static struct tc_str
display_id(struct tc_str s)
{
	const char *quote = NULL;
	size_t from = 0, to;

	if (s.len > 1 && *s.p == '"')
		quote = memchr(s.p + 1, '"', s.len - 1);
	if (quote)
		from = (size_t)(quote - s.p) + 1;
	while (quote && from < s.len && s.p[from] == ' ')
		from++;
	for (to = from; to < s.len && s.p[to] != ' ';)
		to++;
	return to > from ? part(s, from, to) : TC_STR("active");
}

static int
check_value(const struct tc_targets_option *o, struct tc_str *s, struct tc_err *err)
{
	const struct tc_targets_word *w;

	switch (o->kind) {
	case TC_TARGETS_FLAG: return 0;
	case TC_TARGETS_CHOICE:
		for (w = o->words; w->word; w++)
			if (tc_str_eq(tc_str_of(w->word), *s))
				return 0;
		return no_word(o, *s, err);
	case TC_TARGETS_LIST:
	case TC_TARGETS_GROUPS: return check_free_text(o->key, *s, free_text, err);
	case TC_TARGETS_DISPLAY:
		*s = display_id(*s);
		return check_free_text(o->key, *s, "_-", err);
	}
	return 0;
}

static int
add_value(struct tc_targets *t, struct tc_targets_request *r,
	const struct tc_targets_option *o, struct tc_str s, bool stacktrace,
	struct tc_err *err)
{
	struct tc_targets_value *v;
	size_t i;

	if (check_value(o, &s, err))
		return -1;
	for (i = 0; i < r->count; i++) {
		v = &r->values[i];
		if (v->option != o)
			continue;
		if (tc_str_eq(v->text, s)) {
			v->stacktrace |= stacktrace;
			return 0;
		}
		if (o->kind == TC_TARGETS_CHOICE)
			return tc_err_set(err, TC_USAGE, "%s has two values of %s",
				r->target->name, o->key);
	}
	if (t->value_count + r->count >= TC_TARGETS_MAX_VALUES)
		return tc_err_set(err, TC_USAGE, "more than %d values in all requests",
			TC_TARGETS_MAX_VALUES);
	tc_mem_grow(&r->values, &r->cap, r->count + 1, sizeof(*r->values));
	s.p = tc_arena_dup(&t->arena, s.p ? s.p : "", s.len);
	r->values[r->count++] = (struct tc_targets_value){ o, s, stacktrace };
	return 0;
}

/* Text may follow a key's first value after a comma; a `+stacktrace` may end it. */
static int
add_text_value(struct tc_targets *t, struct tc_targets_request *r,
	const struct tc_targets_option *o, struct tc_str s, struct tc_err *err)
{
	static const char more[] = "+stacktrace";
	const size_t n = sizeof(more) - 1;
	bool stacktrace = o->kind == TC_TARGETS_GROUPS && s.len > n &&
		memcmp(s.p + s.len - n, more, n) == 0;

	if (stacktrace)
		s.len -= (uint32_t)n;
	return add_value(t, r, o, s, stacktrace, err);
}

/* One of the parts between commas. *under is the list that a bare word goes to. */
static int
add_part(struct tc_targets *t, struct tc_targets_request *r, struct tc_str s,
	const struct tc_targets_option **under, struct tc_err *err)
{
	const char *equals = s.len ? memchr(s.p, '=', s.len) : NULL;
	struct tc_str key = equals ? part(s, 0, (size_t)(equals - s.p)) : s;
	const struct tc_targets_option *o = tc_targets_find_option(r->target, key);

	if (!equals && *under && !(o && o->kind == TC_TARGETS_FLAG))
		return add_text_value(t, r, *under, s, err);
	if (!o)
		return no_option(r->target, key, err);
	if (equals && o->kind == TC_TARGETS_FLAG)
		return tc_err_set(err, TC_USAGE, "%s takes no value", o->key);
	if (!equals && o->kind != TC_TARGETS_FLAG)
		return tc_err_set(
			err, TC_USAGE, "%s needs a value: %s=...", o->key, o->key);
	*under = o->kind == TC_TARGETS_FLAG || o->kind == TC_TARGETS_CHOICE ? NULL : o;
	if (!equals)
		return add_value(t, r, o, (struct tc_str){ 0 }, false, err);
	return add_text_value(t, r, o, part(s, (size_t)(equals - s.p) + 1, s.len), err);
}

/* A request of the same target that a preset made gives way to a person's own. */
static struct tc_targets_request *
place_for(struct tc_targets *t, const struct tc_targets_request *r)
{
	size_t i;

	for (i = 0; !r->is_preset && !r->target->is_ftrace && i < t->request_count; i++)
		if (t->requests[i].is_preset && t->requests[i].target == r->target) {
			t->value_count -= t->requests[i].count;
			free(t->requests[i].values);
			return &t->requests[i];
		}
	tc_mem_grow(&t->requests, &t->request_cap, t->request_count + 1,
		sizeof(*t->requests));
	return &t->requests[t->request_count++];
}

/* Takes the request over, or frees it: as complete, new, or not. */
static int
finish(struct tc_targets *t, struct tc_targets_request *r, int failed, struct tc_err *err)
{
	bool has_apps = t->app_count > 0 &&
		tc_targets_find_option(r->target, TC_STR("apps")) != NULL;
	size_t i;

	if (!failed && r->target->needs && !r->count && !has_apps)
		failed = tc_err_set(
			err, TC_USAGE, "%s needs %s", r->target->name, r->target->needs);
	for (i = 0; !failed && i < t->request_count; i++)
		if (tc_targets_is_same(&t->requests[i], r, true))
			break;
	if (!failed && i == TC_TARGETS_MAX_REQUESTS)
		failed = tc_err_set(
			err, TC_USAGE, "more than %d requests", TC_TARGETS_MAX_REQUESTS);
	if (failed || i < t->request_count) {
		free(r->values);
	} else {
		t->value_count += r->count;
		*place_for(t, r) = *r;
	}
	return failed;
}

int
tc_targets_add(struct tc_targets *t, const char *text, bool is_preset, struct tc_err *err)
{
	const struct tc_targets_option *under = NULL;
	struct tc_targets_request r = { .is_preset = is_preset };
	size_t len = strcspn(text, ",");
	struct tc_str name = { text, (uint32_t)len, false };
	int failed = 0;

	r.target = tc_targets_find(name);
	if (!r.target)
		return no_target(name, err);
	while (!failed && text[len] == ',') {
		text += len + 1;
		len = strcspn(text, ",");
		failed = add_part(t, &r, (struct tc_str){ text, (uint32_t)len, false },
			&under, err);
	}
	return finish(t, &r, failed, err);
}

int
tc_targets_add_text(struct tc_targets *t, const char *text, struct tc_err *err)
{
	return tc_targets_add(t, text, false, err);
}

int
tc_targets_add_app(struct tc_targets *t, const char *app, struct tc_err *err)
{
	if (check_free_text("app", tc_str_of(app), free_text, err))
		return -1;
	tc_mem_grow(&t->apps, &t->app_cap, t->app_count + 1, sizeof(*t->apps));
	t->apps[t->app_count++] = tc_arena_str(&t->arena, tc_str_of(app));
	return 0;
}

static int
no_text(const struct tc_targets_option *o, const char *wanted, struct tc_err *err)
{
	return tc_err_set(err, TC_USAGE, "%s: %s is wanted", o->key, wanted);
}

/* An object with the name of a group, and whether stack traces are wanted. */
static int
add_group(struct tc_targets *t, struct tc_targets_request *r,
	const struct tc_targets_option *o, struct tc_json_val v, struct tc_err *err)
{
	struct tc_json_iter it = tc_json_iter(v);
	struct tc_str key, name = { 0 };
	bool stacktrace = false, known;

	if (!tc_json_is_obj(v))
		return no_text(o, "a list of objects with name and stacktrace", err);
	while (tc_json_next(&it, &key, &v)) {
		if (tc_str_eq(key, TC_STR("name")))
			known = tc_json_get_str(v, &name);
		else
			known = tc_str_eq(key, TC_STR("stacktrace")) &&
				tc_json_get_bool(v, &stacktrace);
		if (!known)
			return no_text(
				o, "a list of objects with name and stacktrace", err);
	}
	return add_value(t, r, o, name, stacktrace, err);
}

static int
add_list(struct tc_targets *t, struct tc_targets_request *r,
	const struct tc_targets_option *o, struct tc_json_val v, struct tc_err *err)
{
	struct tc_json_iter it = tc_json_iter(v);
	struct tc_str key, s;
	int failed = 0;

	while (!failed && tc_json_next(&it, &key, &v)) {
		if (o->kind == TC_TARGETS_GROUPS)
			failed = add_group(t, r, o, v, err);
		else if (tc_json_get_str(v, &s))
			failed = add_value(t, r, o, s, false, err);
		else
			failed = no_text(o, "a text or a list of texts", err);
	}
	return failed;
}

static int
add_member(struct tc_targets *t, struct tc_targets_request *r, struct tc_str key,
	struct tc_json_val v, struct tc_err *err)
{
	const struct tc_targets_option *o = tc_targets_find_option(r->target, key);
	struct tc_str s = { 0 };
	bool is_set = false;

	if (!o)
		return no_option(r->target, key, err);
	if (o->kind == TC_TARGETS_FLAG)
		return tc_json_get_bool(v, &is_set) && is_set
			? add_value(t, r, o, s, false, err)
			: no_text(o, "true, or that the key is left out,", err);
	if (tc_json_is_arr(v) && o->kind != TC_TARGETS_CHOICE)
		return add_list(t, r, o, v, err);
	if (o->kind == TC_TARGETS_GROUPS)
		return no_text(o, "a list of objects with name and stacktrace", err);
	if (!tc_json_get_str(v, &s))
		return no_text(o, "a text", err);
	return add_value(t, r, o, s, false, err);
}

int
tc_targets_add_request(
	struct tc_targets *t, const struct tc_rec_request *rec, struct tc_err *err)
{
	struct tc_targets_request r = { .target = tc_targets_find(rec->target) };
	struct tc_json_val config = { NULL }, v;
	struct tc_json_iter it;
	struct tc_str key;
	int failed = 0;

	if (!rec->target.p)
		failed = tc_err_set(err, TC_USAGE, "no target");
	else if (!r.target)
		failed = no_target(rec->target, err);
	else if (rec->config.p)
		failed = tc_json_parse(&t->json, rec->config, &config, err);
	if (!failed && config.v && !tc_json_is_obj(config))
		failed = tc_err_set(err, TC_USAGE, "config is not an object");
	if (!failed && config.v) {
		it = tc_json_iter(config);
		while (!failed && tc_json_next(&it, &key, &v))
			failed = add_member(t, &r, key, v, err);
	}
	if (r.target)
		failed = finish(t, &r, failed, err);
	if (failed)
		err->code = TC_DATA;
	return failed;
}

bool
tc_targets_has_flag(const struct tc_targets_request *r, const struct tc_targets_option *o)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if (r->values[i].option == o)
			return true;
	return false;
}

struct tc_str
tc_targets_choice(const struct tc_targets_request *r, const struct tc_targets_option *o)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if (r->values[i].option == o)
			return r->values[i].text;
	return tc_str_of(o->standard);
}

/* Whether b has this value too. */
static bool
has_value(const struct tc_targets_request *b, const struct tc_targets_value *v)
{
	size_t i;

	if (v->option->kind == TC_TARGETS_CHOICE)
		return tc_str_eq(tc_targets_choice(b, v->option), v->text);
	for (i = 0; i < b->count; i++)
		if (b->values[i].option == v->option &&
			b->values[i].stacktrace == v->stacktrace &&
			tc_str_eq(b->values[i].text, v->text))
			return true;
	return false;
}

static bool
is_within(const struct tc_targets_request *a, const struct tc_targets_request *b,
	bool with_displays)
{
	size_t i;

	for (i = 0; i < a->count; i++)
		if ((with_displays || a->values[i].option->kind != TC_TARGETS_DISPLAY) &&
			!has_value(b, &a->values[i]))
			return false;
	return true;
}

bool
tc_targets_is_same(const struct tc_targets_request *a, const struct tc_targets_request *b,
	bool with_displays)
{
	return a->target == b->target && is_within(a, b, with_displays) &&
		is_within(b, a, with_displays);
}
