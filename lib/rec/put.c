#include "rec/priv.h"

/* Back from the output: whatever is left of a record has room again. */
static inline char *
go_on(struct tc_out *o)
{
	return tc_out_room(o, TC_OUT_ROOM);
}

char *
tc_rec_put_large_str(struct tc_out *o, char *p, struct tc_str s)
{
	tc_out_used(o, p);
	tc_out_quoted(o, s);
	return go_on(o);
}

char *
tc_rec_put_json(struct tc_out *o, char *p, struct tc_str s)
{
	tc_out_used(o, p);
	tc_out_write(o, s.p, s.len);
	return go_on(o);
}

char *
tc_rec_put_real(struct tc_out *o, char *p, double v)
{
	tc_out_used(o, p);
	tc_json_put_real(o, v);
	return go_on(o);
}

char *
tc_rec_put_float(struct tc_out *o, char *p, float v)
{
	tc_out_used(o, p);
	tc_json_put_float(o, v);
	return go_on(o);
}

bool
tc_rec_strs_fit(struct tc_rec_list list)
{
	const struct tc_str *s = list.items, *end = s + list.count;
	size_t len = 2;

	for (; s < end; s++) {
		if (!s->is_plain)
			return false;
		len += s->len + 3;
	}
	return len <= TC_REC_ROOM_STRS;
}

char *
tc_rec_put_strs(struct tc_out *o, char *p, struct tc_rec_list list)
{
	const struct tc_str *s = list.items, *end = s + list.count;
	bool has_room = tc_rec_strs_fit(list);

	*p++ = '[';
	for (; s < end; s++) {
		if (!has_room) {
			tc_out_used(o, p);
			p = go_on(o);
		}
		p = tc_rec_put_str(o, p, *s);
		*p++ = ',';
	}
	/* The last comma was one too many. */
	p -= list.count > 0;
	*p++ = ']';
	if (has_room)
		return p;
	tc_out_used(o, p);
	return go_on(o);
}

char *
tc_rec_put_obj(struct tc_out *o, char *p, const struct tc_rec_type *sub, const void *rec)
{
	tc_out_used(o, p);
	p = sub->put(o, tc_out_room(o, sub->room), rec);
	tc_out_used(o, p);
	return go_on(o);
}

char *
tc_rec_put_list(
	struct tc_out *o, char *p, const struct tc_rec_type *sub, struct tc_rec_list list)
{
	const char *item = list.items, *end = item + list.count * sub->size;

	*p++ = '[';
	for (; item < end; item += sub->size) {
		p = tc_rec_put_obj(o, p, sub, item);
		*p++ = ',';
	}
	p -= list.count > 0;
	*p++ = ']';
	return p;
}

void
tc_rec_put(struct tc_out *o, const struct tc_rec_type *type, const void *rec)
{
	char *p = type->put(o, tc_out_room(o, type->room), rec);

	*p++ = '\n';
	tc_out_used(o, p);
	o->records++;
}

struct tc_str
tc_rec_text(const struct tc_rec_type *type, const void *rec, struct tc_arena *arena)
{
	struct tc_out o;
	size_t cap = TC_OUT_ROOM;

	do {
		cap *= 2;
		o = (struct tc_out){ .fd = -1, .cap = cap };
		o.buf = tc_arena_alloc(arena, cap);
		tc_rec_put(&o, type, rec);
	} while (o.sys);
	o.buf[--o.len] = '\0';
	return (struct tc_str){ o.buf, (uint32_t)o.len, false };
}
