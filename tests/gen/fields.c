#include "fields.h"

#include <string.h>

static const ProtobufCFieldDescriptor *
find(const ProtobufCMessage *m, const char *name)
{
	return protobuf_c_message_descriptor_get_field_by_name(m->descriptor, name);
}

bool
tc_fields_has(const ProtobufCMessage *m, const char *name)
{
	return find(m, name) != NULL;
}

bool
tc_fields_has_part(const ProtobufCMessage *m, const char *name)
{
	const ProtobufCFieldDescriptor *f = find(m, name);

	return f && f->type == PROTOBUF_C_TYPE_MESSAGE;
}

static void *
member(ProtobufCMessage *m, unsigned offset)
{
	return (char *)m + offset;
}

static ProtobufCMessage *
new_message(struct tc_script *s, const ProtobufCFieldDescriptor *f)
{
	const ProtobufCMessageDescriptor *d = f->descriptor;
	ProtobufCMessage *m = tc_script_alloc(s, d->sizeof_message);

	protobuf_c_message_init(d, m);
	return m;
}

ProtobufCMessage *
tc_fields_sub(struct tc_script *s, ProtobufCMessage *m, const char *name)
{
	const ProtobufCFieldDescriptor *f = find(m, name);
	ProtobufCMessage **at = member(m, f->offset);

	if (!*at)
		*at = new_message(s, f);
	return *at;
}

ProtobufCMessage *
tc_fields_item(
	struct tc_script *s, ProtobufCMessage *m, const char *name, size_t i, size_t max)
{
	const ProtobufCFieldDescriptor *f = find(m, name);
	size_t *n = member(m, f->quantifier_offset);
	ProtobufCMessage ***items = member(m, f->offset);

	if (*n == 0)
		*items = tc_script_alloc(s, max * sizeof(**items));
	while (*n <= i)
		(*items)[(*n)++] = new_message(s, f);
	return (*items)[i];
}

ProtobufCMessage *
tc_fields_add(struct tc_script *s, ProtobufCMessage *m, const char *name, size_t max)
{
	size_t *n = member(m, find(m, name)->quantifier_offset);

	return tc_fields_item(s, m, name, *n, max);
}

static int
set_string(struct tc_script *s, void *at, struct tc_script_text value)
{
	uint8_t *bytes;
	size_t len;

	if (tc_script_bytes(s, value, &bytes, &len) < 0)
		return -1;
	if (memchr(bytes, '\0', len))
		return tc_script_fail(s, "NUL in text that cannot hold it");
	*(char **)at = (char *)bytes;
	return 0;
}

static int
set_bytes(struct tc_script *s, void *at, struct tc_script_text value)
{
	ProtobufCBinaryData *data = at;

	return tc_script_bytes(s, value, &data->data, &data->len);
}

static int
set_float(struct tc_script *s, void *at, struct tc_script_text value)
{
	double real;

	if (tc_script_real(s, value, &real) < 0)
		return -1;
	*(float *)at = (float)real;
	return 0;
}

static int
set_integer(
	struct tc_script *s, void *at, ProtobufCType type, struct tc_script_text value)
{
	bool wide = type == PROTOBUF_C_TYPE_INT64 || type == PROTOBUF_C_TYPE_UINT64;
	uint64_t v;

	if (tc_script_int(s, value, wide ? 64 : 32, &v) < 0)
		return -1;
	if (type == PROTOBUF_C_TYPE_BOOL && v > 1)
		return tc_script_fail(s, "a flag that is neither 0 nor 1");
	if (wide)
		*(uint64_t *)at = v;
	else
		*(uint32_t *)at = (uint32_t)v;
	return 0;
}

static size_t
value_bytes(ProtobufCType type)
{
	if (type == PROTOBUF_C_TYPE_BYTES)
		return sizeof(ProtobufCBinaryData);
	if (type == PROTOBUF_C_TYPE_INT64 || type == PROTOBUF_C_TYPE_UINT64)
		return sizeof(uint64_t);
	return sizeof(uint32_t);
}

/* Room for one more value of a repeated field; what it had moves along. */
static void *
add_value(struct tc_script *s, ProtobufCMessage *m, const ProtobufCFieldDescriptor *f)
{
	size_t *n = member(m, f->quantifier_offset), width = value_bytes(f->type);
	void **values = member(m, f->offset);
	char *grown = tc_script_alloc(s, (*n + 1) * width);

	if (*n > 0)
		memcpy(grown, *values, *n * width);
	*values = grown;
	return grown + (*n)++ * width;
}

int
tc_fields_set(struct tc_script *s, ProtobufCMessage *m, const char *name,
	struct tc_script_text value)
{
	const ProtobufCFieldDescriptor *f = find(m, name);
	bool repeated = f->label == PROTOBUF_C_LABEL_REPEATED;
	void *at = repeated ? add_value(s, m, f) : member(m, f->offset);
	int r;

	if (f->type == PROTOBUF_C_TYPE_STRING)
		return set_string(s, at, value); /* its pointer says that it is present */
	if (f->type == PROTOBUF_C_TYPE_BYTES)
		r = set_bytes(s, at, value);
	else if (f->type == PROTOBUF_C_TYPE_FLOAT)
		r = set_float(s, at, value);
	else
		r = set_integer(s, at, f->type, value);
	if (r == 0 && !repeated)
		*(protobuf_c_boolean *)member(m, f->quantifier_offset) = 1;
	return r;
}

int
tc_fields_set_parts(struct tc_script *s, ProtobufCMessage *m, const char *const *names,
	size_t n_names, size_t n_needed, struct tc_script_text value)
{
	struct tc_script_text part;
	size_t i = 0;

	while (tc_script_part(&value, ':', &part)) {
		if (i == n_names)
			return tc_script_fail(s, "more parts than there are fields");
		if (part.len > 0 && tc_fields_set(s, m, names[i], part) < 0)
			return -1;
		i++;
	}
	if (i < n_needed)
		return tc_script_fail(s, "fewer than %zu parts", n_needed);
	return 0;
}
