/* A device, whichever way it is reached. */
#include <stdlib.h>
#include <string.h>

#include "adb/priv.h"
#include "err/err.h"

void
tc_adb_close(struct tc_adb *a)
{
	if (!a)
		return;
	if (a->sync)
		tc_adb_stream_close(a->sync);
	free(a->state);
	free(a->model);
	free(a->product);
	free(a->features);
	a->ops->release(a);
}

static bool
word_is(const char *p, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(p, word, len) == 0;
}

bool
tc_adb_has(const struct tc_adb *a, const char *feature)
{
	const char *p = a->features;
	size_t len;

	while (p && *p) {
		len = strcspn(p, ",");
		if (word_is(p, len, feature))
			return true;
		p += len + (p[len] == ',');
	}
	return false;
}

const char *
tc_adb_state(const struct tc_adb *a)
{
	return a->state ? a->state : "";
}

const char *
tc_adb_model(const struct tc_adb *a)
{
	return a->model ? a->model : "";
}

const char *
tc_adb_product(const struct tc_adb *a)
{
	return a->product ? a->product : "";
}

static void
keep(char **text, const char *p, size_t len)
{
	free(*text);
	*text = tc_mem_alloc(len + 1);
	memcpy(*text, p, len);
	(*text)[len] = '\0';
}

static void
take_property(struct tc_adb *a, const char *p, size_t len)
{
	const char *value = memchr(p, '=', len);
	size_t key = value ? (size_t)(value - p) : 0;

	if (!value)
		return;
	value++;
	len -= key + 1;
	if (word_is(p, key, "features"))
		keep(&a->features, value, len);
	else if (word_is(p, key, "ro.product.model"))
		keep(&a->model, value, len);
	else if (word_is(p, key, "ro.product.name"))
		keep(&a->product, value, len);
}

/* Values may contain colons, and some peers end it with a NUL. */
void
tc_adb_banner(struct tc_adb *a, const char *bytes, size_t len)
{
	const char *end, *colon = len ? memchr(bytes, '\0', len) : NULL;
	size_t n;

	if (colon)
		len = (size_t)(colon - bytes);
	end = bytes + len;
	colon = len ? memchr(bytes, ':', len) : NULL;
	keep(&a->state, bytes, colon ? (size_t)(colon - bytes) : len);
	if (colon)
		colon = memchr(colon + 1, ':', (size_t)(end - colon - 1));
	if (!colon)
		return;
	for (bytes = colon + 1; bytes < end; bytes += n) {
		colon = memchr(bytes, ';', (size_t)(end - bytes));
		n = (size_t)((colon ? colon : end) - bytes);
		take_property(a, bytes, n);
		n += colon != NULL;
	}
}

/* ---- streams ---- */

int
tc_adb_stream_open(struct tc_adb *a, const char *service, const struct tc_wait *w,
	struct tc_adb_stream **s, struct tc_err *err)
{
	return a->ops->open(a, service, w, s, err);
}

int64_t
tc_adb_stream_peek(struct tc_adb_stream *s, const struct tc_wait *w,
	const uint8_t **bytes, struct tc_err *err)
{
	return s->a->ops->peek(s, w, bytes, err);
}

void
tc_adb_stream_eat(struct tc_adb_stream *s, size_t n)
{
	s->a->ops->eat(s, n);
}

int
tc_adb_stream_write(struct tc_adb_stream *s, const void *bytes, size_t len,
	const struct tc_wait *w, struct tc_err *err)
{
	return s->a->ops->write(s, bytes, len, w, err);
}

int
tc_adb_stream_fd(const struct tc_adb_stream *s)
{
	return s->a->ops->fd(s);
}

void
tc_adb_stream_close(struct tc_adb_stream *s)
{
	if (s)
		s->a->ops->close(s);
}

/* ---- buffers ---- */

void
tc_adb_buf_put(struct tc_adb_buf *b, const void *bytes, size_t len)
{
	if (!len)
		return;
	if (b->pos && b->cap - b->len < len) {
		memmove(b->p, b->p + b->pos, b->len - b->pos);
		b->len -= b->pos;
		b->pos = 0;
	}
	tc_mem_grow(&b->p, &b->cap, b->len + len, 1);
	memcpy(b->p + b->len, bytes, len);
	b->len += len;
}

void
tc_adb_buf_eat(struct tc_adb_buf *b, size_t n)
{
	b->pos += n;
	if (b->pos == b->len)
		b->pos = b->len = 0;
}
