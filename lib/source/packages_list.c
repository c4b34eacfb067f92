/* android.packages_list: which package an app's uid belongs to. */
#include "source/source.h"

#include "err/err.h"
#include "pb/pb.h"

enum { LIST_PACKAGES = 1 };
enum { PACKAGE_NAME = 1, PACKAGE_UID = 2 };

/* A phone has some hundred, so this stops a trap. */
enum { MAX_PACKAGES = 65536 };

static void
keep_package(struct tc_decode *d, struct tc_str bytes)
{
	struct tc_source_facts *facts = &d->facts;
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_str name = { 0 };
	struct tc_err ignored;
	struct tc_pb_field f;
	int64_t uid = -1;
	int n;

	while ((n = tc_pb_next(&r, &f, &ignored)) > 0) {
		if (f.id == PACKAGE_NAME && tc_pb_is(&f, TC_PB_LEN))
			name = tc_pb_str(&f);
		else if (f.id == PACKAGE_UID && tc_pb_is(&f, TC_PB_VARINT))
			uid = (int64_t)f.num;
	}
	tc_source_nested(d, n);
	if (!name.p || uid < 0 || facts->package_count == MAX_PACKAGES)
		return;
	tc_mem_grow(&facts->packages, &facts->package_cap, facts->package_count + 1,
		sizeof(*facts->packages));
	facts->packages[facts->package_count++] = (struct tc_source_package){ uid,
		tc_strtab_str(&d->names, tc_source_name(d, name)) };
}

static void
keep(struct tc_decode *d, void *state, const struct tc_packet *p)
{
	struct tc_pb r = tc_pb_init(p->data.p, p->data.len);
	struct tc_err ignored;
	struct tc_pb_field f;
	int n;

	(void)state;
	while ((n = tc_pb_next(&r, &f, &ignored)) > 0)
		if (f.id == LIST_PACKAGES && tc_pb_is(&f, TC_PB_LEN))
			keep_package(d, tc_pb_str(&f));
	tc_source_nested(d, n);
}

const struct tc_source tc_source_packages_list = {
	.name = "android.packages_list",
	.help = "which package a process belongs to",
	.field = TC_PACKET_PACKAGES_LIST,
	.keep = keep,
};
