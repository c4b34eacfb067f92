/* What there is to say about the trace as a whole, or long before it is needed. */
#include "trim/priv.h"

#include "err/err.h"

/* Messages of counters that describe them in field 1, once, in their first packet. */
enum { DESCRIPTOR = 1 };

static bool
has_descriptor(struct tc_str bytes)
{
	struct tc_pb r = tc_pb_init(bytes.p, bytes.len);
	struct tc_err ignored;
	struct tc_pb_field f;

	while (tc_pb_next(&r, &f, &ignored) > 0)
		if (f.id == DESCRIPTOR && tc_pb_is(&f, TC_PB_LEN))
			return true;
	return false;
}

static bool
is_context(const struct tc_pb_field *f)
{
	switch (f->id) {
	case TC_PACKET_PROCESS_TREE:
	case TC_PACKET_TRACE_CONFIG:
	case 34: /* ftrace_stats */
	case 35: /* trace_stats */
	case 36: /* synchronization_marker */
	case 43: /* process_descriptor */
	case 44: /* thread_descriptor */
	case TC_PACKET_SYSTEM_INFO:
	case 46: /* trigger */
	case 47: /* packages_list */
	case 48: /* chrome_benchmark_metadata */
	case 51: /* chrome_metadata */
	case 60: /* track_descriptor */
	case 61: /* module_symbols */
	case 64: /* deobfuscation_mapping */
	case 67: /* cpu_info */
	case 69: /* service_event */
	case 70: /* initial_display_state */
	case 72: /* extension_descriptor */
	case 78: /* ui_state */
	case 82: /* translation_table */
	case TC_PACKET_TRACE_UUID:
	case 97:  /* shell_handler_mappings */
	case 105: /* protolog_viewer_config */
	case 111: /* pixel_modem_token_database */
	case 113: /* clone_snapshot_trigger */
	case 122: /* generic_kernel_process_tree */
	case 123: /* user_list */
	case 124: /* trace_provenance */
	case 125: /* protovms */
	case 126: /* trace_attributes */
	case 128: /* gpu_info */
	case 130: /* interrupt_info */
	case 131: /* art_process_metadata */
	case 138: /* recovered_trace_info */ return true;
	case 40: /* power_rails */
	case 52: /* gpu_counter_event */
	case 77: /* android_energy_estimation_breakdown */
	case 91: /* entity_state_residency */ return has_descriptor(tc_pb_str(f));
	default: return false;
	}
}

bool
tc_trim_is_context(const struct tc_packet *p)
{
	struct tc_pb r = tc_pb_init(p->bytes.p, p->bytes.len);
	struct tc_err ignored;
	struct tc_pb_field f;

	if (p->data_field == TC_PACKET_FTRACE_EVENTS ||
		p->data_field == TC_PACKET_GRAPHICS_FRAME_EVENT ||
		p->data_field == TC_PACKET_FRAME_TIMELINE_EVENT)
		return false;
	while (tc_pb_next(&r, &f, &ignored) > 0)
		if (tc_pb_is(&f, TC_PB_LEN) && is_context(&f))
			return true;
	return false;
}
