/*
 * Fuzz target of probe: one answer of a device, of which the first byte says to
 * which question and the second with what status. The rest is what was printed, up
 * to the first byte 0xfe, and then the errors.
 *
 * Whatever it is, what is not known of it has its notice, and all that is known can
 * be written.
 */
#include "fuzz.h"

#include <string.h>

#include "io/io.h"
#include "probe/priv.h"

static void
answer(struct tc_probe_answer *a, int status, const char *text, size_t len)
{
	const char *cut = memchr(text, 0xfe, len);
	size_t n = cut ? (size_t)(cut - text) : len;

	a->came = true;
	a->status = status;
	a->out = (struct tc_str){ text, (uint32_t)n, false };
	if (cut)
		a->err = (struct tc_str){ cut + 1, (uint32_t)(len - n - 1), false };
}

/* Of eight facts seven have no answer, so that each has a notice at least. */
static void
check(const struct tc_probe_learnt *l)
{
	const struct tc_rec_device *d = &l->rec;
	size_t known = 0;

	known += d->model.p && d->sdk != TC_NONE && d->release.p && d->build.p;
	known += d->root.p != NULL;
	known += d->displays.items != NULL;
	known += d->screenrecord.p != NULL;
	known += d->wayland != TC_NONE;
	known += d->free.items && d->free.count == 2;
	known += d->perfetto != NULL;
	known += d->protolog_groups.items != NULL;
	FUZZ_DEMAND(known <= 1);
	FUZZ_DEMAND(l->notice_count + known >= 8);
	FUZZ_DEMAND(l->notice_count < TC_PROBE_MAX_NOTICES);
}

static void
write_all(const struct tc_probe_learnt *l)
{
	static char buf[8 << 20];
	struct tc_out o = { .fd = -1, .buf = buf, .cap = sizeof(buf) };
	size_t i;

	tc_rec_put(&o, &tc_rec_device, &l->rec);
	for (i = 0; i < l->notice_count; i++)
		tc_rec_put(&o, &tc_rec_notice, &l->notices[i]);
	FUZZ_DEMAND(!o.sys && o.len > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct tc_probe_answer answers[TC_PROBE_QUESTIONS];
	struct tc_arena arena = { 0 };
	struct tc_probe_learnt l = { .arena = &arena };
	size_t q;

	if (len < 2 || len - 2 > TC_PROBE_ANSWER_MAX)
		return 0;
	for (q = 0; q < TC_PROBE_QUESTIONS; q++)
		answers[q] = (struct tc_probe_answer){ .out = TC_STR(""),
			.err = TC_STR(""),
			.code = TC_STR("timed_out"),
			.text = TC_STR("it does not end") };
	answer(&answers[bytes[0] % TC_PROBE_QUESTIONS], bytes[1], (const char *)bytes + 2,
		len - 2);
	tc_rec_init(&tc_rec_device, &l.rec);
	l.rec.device = TC_STR("adb:x");
	tc_probe_learn(&l, answers);
	check(&l);
	write_all(&l);
	tc_arena_release(&arena);
	return 0;
}
