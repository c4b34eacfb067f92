/* Objects of a file whose keys are all known, and the kinds of their values. */
#include "rules/keys.h"

#include "err/err.h"
#include "rules/priv.h"

void
tc_rules_list(char *text, size_t size, const char *name)
{
	strncat(text, text[0] ? ", " : "", size - strlen(text) - 1);
	strncat(text, name, size - strlen(text) - 1);
}

/* The names of the keys, as a list to be read. */
static const char *
list_keys(const struct tc_rules_key *keys, char *text, size_t size)
{
	for (text[0] = '\0'; keys->name; keys++)
		tc_rules_list(text, size, keys->name);
	return text;
}

static int
take_members(struct tc_rules *r, const struct tc_rules_kind *kind, struct tc_json_val obj,
	bool *seen, void *to, struct tc_err *err)
{
	struct tc_json_iter it = tc_json_iter(obj);
	struct tc_json_val v;
	struct tc_str name;
	char list[256];
	size_t i;

	while (tc_json_next(&it, &name, &v) > 0) {
		for (i = 0; kind->keys[i].name; i++)
			if (tc_str_eq(name, tc_str_of(kind->keys[i].name)))
				break;
		if (!kind->keys[i].name)
			return tc_err_set(err, TC_DATA,
				"unknown key \"%.*s\"; %s can have %s",
				TC_RULES_SHOWN(name), kind->what,
				list_keys(kind->keys, list, sizeof(list)));
		if (seen[i])
			return tc_err_set(err, TC_DATA, "\"%s\" stands there twice",
				kind->keys[i].name);
		seen[i] = true;
		if (!kind->keys[i].take(r, v, to, err))
			continue;
		return kind->keys[i].names_itself
			? -1
			: tc_err_add(err, "\"%s\"", kind->keys[i].name);
	}
	return 0;
}

int
tc_rules_take_object(struct tc_rules *r, const struct tc_rules_kind *kind,
	struct tc_json_val obj, void *to, struct tc_err *err)
{
	bool seen[TC_RULES_MAX_KEYS] = { false };
	char list[256];
	size_t i;

	if (!tc_json_is_obj(obj))
		return tc_err_set(err, TC_DATA, "%s must be an object with %s",
			kind->what, list_keys(kind->keys, list, sizeof(list)));
	if (take_members(r, kind, obj, seen, to, err))
		return -1;
	for (i = 0; kind->keys[i].name; i++)
		if (kind->keys[i].is_needed && !seen[i])
			return tc_err_set(err, TC_DATA, "%s needs \"%s\"", kind->what,
				kind->keys[i].name);
	return 0;
}

/* A text that C knows the end of, in the arena. */
int
tc_rules_take_text(
	struct tc_rules *r, struct tc_json_val v, const char **to, struct tc_err *err)
{
	struct tc_str s;

	if (!tc_json_get_str(v, &s) || s.len == 0 || s.len > TC_RULES_MAX_TEXT ||
		memchr(s.p, 0, s.len))
		return tc_err_set(err, TC_DATA,
			"must be a text of 1 to %d bytes without NUL", TC_RULES_MAX_TEXT);
	*to = tc_arena_str(&r->arena, s).p;
	return 0;
}

int
tc_rules_take_number(
	struct tc_json_val v, int64_t min, int64_t max, int64_t *to, struct tc_err *err)
{
	if (!tc_json_get_int(v, to) || *to < min || *to > max)
		return tc_err_set(err, TC_DATA,
			"must be a whole number from %lld to %lld", (long long)min,
			(long long)max);
	return 0;
}
