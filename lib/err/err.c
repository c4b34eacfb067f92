#include "err/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
tc_err_set(struct tc_err *err, enum tc_code code, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	err->sys = 0;
	err->name = NULL;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return -1;
}

int
tc_err_sys(struct tc_err *err, enum tc_code code, const char *fmt, ...)
{
	int sys = errno;
	size_t len;
	va_list ap;

	err->code = code;
	err->sys = sys;
	err->name = NULL;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", strerror(sys));
	return -1;
}

int
tc_err_named(
	struct tc_err *err, enum tc_code code, const char *name, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	err->sys = 0;
	err->name = name;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return -1;
}

int
tc_err_add(struct tc_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	size_t len;
	va_list ap;

	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", old);
	return -1;
}

const char *
tc_err_name(enum tc_code code)
{
	switch (code) {
	case TC_OK: return "ok";
	case TC_PARTIAL: return "partial";
	case TC_USAGE: return "usage";
	case TC_DATA: return "malformed";
	case TC_NOINPUT: return "no_input";
	case TC_NOSERVICE: return "not_found";
	case TC_BUG: return "internal";
	case TC_SYSTEM: return "system";
	case TC_IO: return "io";
	case TC_AGAIN: return "try_again";
	case TC_PROTOCOL: return "protocol";
	case TC_DENIED: return "not_permitted";
	case TC_GONE: return "reader_gone";
	}
	return "internal";
}

const char *
tc_err_what(const struct tc_err *err)
{
	return err->name ? err->name : tc_err_name(err->code);
}
