/* What a trace says of itself: its configuration, its uuid, its device. */
#include "source/source.h"

#include "err/err.h"
#include "pb/pb.h"

enum {
	CONFIG_DATA_SOURCES = 2,
	CONFIG_DURATION_MS = 3,
	CONFIG_WRITE_INTO_FILE = 8,
	CONFIG_UUID_MSB = 27,
	CONFIG_UUID_LSB = 28,
};
enum { DATA_SOURCE_CONFIG = 1, SOURCE_CONFIG_NAME = 1 };
enum { UUID_MSB = 1, UUID_LSB = 2 };
enum { SYSTEM_UTSNAME = 1, SYSTEM_BUILD_FINGERPRINT = 2, SYSTEM_SDK = 5 };
enum { UTSNAME_RELEASE = 3 };

/* A config is written once for a trace, so this stops a trap, not a trace. */
enum { MAX_REQUESTED = 256 };

/* The last bytes under a field number, p NULL when there are none. */
static struct tc_str
submessage(struct tc_str bytes, uint32_t id)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_str found = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0)
		if (f.id == id && tc_pb_is(&f, TC_PB_LEN))
			found = tc_pb_str(&f);
	return found;
}

static void
add_requested(struct tc_decode *d, struct tc_str data_source)
{
	struct tc_source_facts *facts = &d->facts;
	struct tc_str name;
	size_t i;

	name = submessage(
		submessage(data_source, DATA_SOURCE_CONFIG), SOURCE_CONFIG_NAME);
	if (!name.p || facts->requested_count == MAX_REQUESTED)
		return;
	for (i = 0; i < facts->requested_count; i++)
		if (tc_str_eq(facts->requested[i], name))
			return;
	tc_mem_grow(&facts->requested, &facts->requested_cap, facts->requested_count + 1,
		sizeof(*facts->requested));
	facts->requested[facts->requested_count++] =
		tc_strtab_str(&d->names, tc_source_name(d, name));
}

static void
keep_config(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_pb r = tc_pb_init(p->data.p, p->data.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	int64_t msb = 0, lsb = 0;
	int n;

	(void)state;
	d->facts.has_config = true;
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == CONFIG_DATA_SOURCES && tc_pb_is(&f, TC_PB_LEN))
			add_requested(d, tc_pb_str(&f));
		else if (f.id == CONFIG_DURATION_MS && tc_pb_is(&f, TC_PB_VARINT))
			d->facts.duration_ms = (int64_t)(uint32_t)f.num;
		else if (f.id == CONFIG_WRITE_INTO_FILE && tc_pb_is(&f, TC_PB_VARINT))
			d->facts.write_into_file = f.num != 0;
		else if (f.id == CONFIG_UUID_MSB && tc_pb_is(&f, TC_PB_VARINT))
			msb = (int64_t)f.num;
		else if (f.id == CONFIG_UUID_LSB && tc_pb_is(&f, TC_PB_VARINT))
			lsb = (int64_t)f.num;
	}
	tc_source_nested(d, n);
	/* A packet of its own, where there is one, is the newer way to say it. */
	if (!d->facts.has_uuid && (msb || lsb)) {
		d->facts.uuid_msb = msb;
		d->facts.uuid_lsb = lsb;
		d->facts.has_uuid = true;
	}
}

static void
keep_uuid(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_pb r = tc_pb_init(p->data.p, p->data.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	(void)state;
	d->facts.has_uuid = true;
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == UUID_MSB && tc_pb_is(&f, TC_PB_VARINT))
			d->facts.uuid_msb = (int64_t)f.num;
		else if (f.id == UUID_LSB && tc_pb_is(&f, TC_PB_VARINT))
			d->facts.uuid_lsb = (int64_t)f.num;
	}
	tc_source_nested(d, n);
}

/* Whether a kernel's release, such as 4.9.111-perf, is before 4.14. */
static bool
is_old_kernel(struct tc_str release)
{
	unsigned number[2] = { 0 };
	uint32_t i;
	int n = 0;

	for (i = 0; i < release.len && n < 2; i++) {
		if (release.p[i] == '.')
			n++;
		else if (release.p[i] < '0' || release.p[i] > '9' || number[n] > 9999)
			break;
		else
			number[n] = number[n] * 10 + (unsigned)(release.p[i] - '0');
	}
	return number[0] && (number[0] < 4 || (number[0] == 4 && number[1] < 14));
}

static void
keep_system_info(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_pb r = tc_pb_init(p->data.p, p->data.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	uint32_t id;
	int n;

	(void)state;
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == SYSTEM_BUILD_FINGERPRINT && tc_pb_is(&f, TC_PB_LEN)) {
			id = tc_source_name(d, tc_pb_str(&f));
			d->facts.build = tc_strtab_str(&d->names, id);
		} else if (f.id == SYSTEM_UTSNAME && tc_pb_is(&f, TC_PB_LEN)) {
			d->facts.has_old_kernel =
				is_old_kernel(submessage(tc_pb_str(&f), UTSNAME_RELEASE));
		} else if (f.id == SYSTEM_SDK && tc_pb_is(&f, TC_PB_VARINT)) {
			d->facts.sdk = (int64_t)f.num;
		}
	}
	tc_source_nested(d, n);
}

const struct tc_source tc_source_trace_config = {
	.help = "what the trace was asked to record",
	.field = TC_PACKET_TRACE_CONFIG,
	.keep = keep_config,
};

const struct tc_source tc_source_trace_uuid = {
	.help = "the trace's identity",
	.field = TC_PACKET_TRACE_UUID,
	.keep = keep_uuid,
};

const struct tc_source tc_source_system_info = {
	.help = "the device and its build",
	.field = TC_PACKET_SYSTEM_INFO,
	.keep = keep_system_info,
};
