/* A device of a proxy: where it is in requests, and what is said of it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err/err.h"
#include "winscope/priv.h"

char *
tc_winscope_print(const char *fmt, ...)
{
	va_list ap;
	char *text;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = tc_mem_alloc((size_t)len + 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return text;
}

char *
tc_winscope_quoted(const char *text)
{
	char *quoted = tc_mem_alloc(strlen(text) * 4 + 3);

	tc_str_put_word(quoted, text);
	return quoted;
}

/* Only ':' and '/' of a serial number mean something in a path. */
static char *
encoded(const char *serial)
{
	char *text = tc_mem_alloc(strlen(serial) * 3 + 1), *p = text;

	for (; *serial; serial++)
		if (*serial == ':' || *serial == '/')
			p += sprintf(p, "%%%02X", (unsigned)*serial);
		else
			*p++ = *serial;
	*p = '\0';
	return text;
}

struct tc_winscope *
tc_winscope_new(const struct tc_winscope_proxy *p, const char *serial)
{
	struct tc_winscope *d = tc_mem_calloc(1, sizeof(*d));

	d->proxy = *p;
	d->serial = tc_winscope_print("%s", serial);
	d->place = encoded(serial);
	d->is_open = true;
	return d;
}

void
tc_winscope_free(struct tc_winscope *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < d->kept_count; i++)
		free(d->kept[i].id);
	free(d->kept);
	free(d->serial);
	free(d->place);
	free(d);
}

char *
tc_winscope_path(const struct tc_winscope *d, const char *endpoint, const char *rest)
{
	return tc_winscope_print("/%s/%s/%s", endpoint, d->place, rest);
}

int
tc_winscope_refused(struct tc_winscope *d, const char *said, struct tc_err *err)
{
	static const struct {
		const char *part;
		enum tc_code code;
		const char *what, *text;
	} known[] = {
		{ "device offline", TC_NOSERVICE, "offline", "is offline" },
		{ "device unauthorized", TC_DENIED, "unauthorized",
			"is unauthorized: allow USB debugging on its screen" },
		{ "no permissions", TC_DENIED, "no_permission",
			"may not be used: the proxy's adb has no permission" },
		{ "insufficient permissions", TC_DENIED, "no_permission",
			"may not be used: the proxy's adb has no permission" },
		{ "still authorizing", TC_AGAIN, "busy",
			"is busy: it is still authorizing" },
		{ "still connecting", TC_AGAIN, "busy",
			"is busy: it is still connecting" },
	};
	char words[TC_WINSCOPE_SAID + 4];
	size_t i;

	d->is_refused = true;
	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strstr(said, known[i].part) && (!d->is_open || i > 0))
			return tc_err_named(err, known[i].code, known[i].what, "%s %s",
				d->serial, known[i].text);
	tc_winscope_words(&d->proxy, said, strlen(said), words, sizeof(words));
	return tc_err_named(err, TC_NOSERVICE, "gone", "the device was lost%s%s",
		*words ? ": the proxy says: " : "", words);
}
