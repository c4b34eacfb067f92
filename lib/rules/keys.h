#ifndef TC_RULES_KEYS_H
#define TC_RULES_KEYS_H
/*
 * Inside rules: how an object of a file is read. Its keys are a table with who takes the
 * value of each; a key that is not in it, stands there twice or is missing is an error
 * that says so. All return 0, or -1 with TC_DATA.
 */
#include "json/json.h"
#include "rules/rules.h"

enum { TC_RULES_MAX_TEXT = 1000, TC_RULES_MAX_SHOWN = 60, TC_RULES_MAX_KEYS = 16 };

/* A text of the file in a message, for %.*s. */
#define TC_RULES_SHOWN(s) \
	(int)((s).len < TC_RULES_MAX_SHOWN ? (s).len : TC_RULES_MAX_SHOWN), (s).p

struct tc_rules_key {
	const char *name; /* NULL ends a table */
	int (*take)(
		struct tc_rules *r, struct tc_json_val v, void *to, struct tc_err *err);
	bool is_needed;
	bool names_itself; /* what is wrong is said with the key, or with an item of it */
};

struct tc_rules_kind {
	const char *what; /* "a rule" */
	const struct tc_rules_key *keys;
};

/* Puts a name behind those of a list to be read, which is empty at first. */
void tc_rules_list(char *text, size_t size, const char *name);

int tc_rules_take_object(struct tc_rules *r, const struct tc_rules_kind *kind,
	struct tc_json_val obj, void *to, struct tc_err *err);

/* A text that C knows the end of, in the arena. */
int tc_rules_take_text(
	struct tc_rules *r, struct tc_json_val v, const char **to, struct tc_err *err);
int tc_rules_take_number(
	struct tc_json_val v, int64_t min, int64_t max, int64_t *to, struct tc_err *err);

#endif
