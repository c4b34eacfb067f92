#ifndef TC_GEN_FIELDS_H
#define TC_GEN_FIELDS_H
/*
 * fields: the fields of a protobuf-c message, reached by name.
 *
 * Messages and their parts live in the script's memory, hence as long as its
 * current line. Except with tc_fields_has*, a name that the message does not have
 * is a bug of the caller. What fails returns -1 and leaves the script's err.
 */
#include <stdbool.h>
#include <stddef.h>

#include <protobuf-c/protobuf-c.h>

#include "script.h"

bool tc_fields_has(const ProtobufCMessage *m, const char *name);

/* Whether it is there and holds a message, not a value. */
bool tc_fields_has_part(const ProtobufCMessage *m, const char *name);

/* The sub-message in that field, made when it is not there yet. */
ProtobufCMessage *tc_fields_sub(
	struct tc_script *s, ProtobufCMessage *m, const char *name);

/*
 * Item i of a repeated message field, made together with those before it; the
 * item after the last. At its first use a field gets room for max items.
 */
ProtobufCMessage *tc_fields_item(
	struct tc_script *s, ProtobufCMessage *m, const char *name, size_t i, size_t max);
ProtobufCMessage *tc_fields_add(
	struct tc_script *s, ProtobufCMessage *m, const char *name, size_t max);

/* One value more where the field is repeated, but not one of text. */
int tc_fields_set(struct tc_script *s, ProtobufCMessage *m, const char *name,
	struct tc_script_text value);

/*
 * The parts of "A:B:C" into those fields, in order; at least n_needed parts. An
 * empty part leaves its field out.
 */
int tc_fields_set_parts(struct tc_script *s, ProtobufCMessage *m,
	const char *const *names, size_t n_names, size_t n_needed,
	struct tc_script_text value);

#endif
