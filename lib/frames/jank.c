#include "frames/frames.h"

#include <string.h>

enum {
	SF_SCHEDULING = 2,
	PREDICTION_ERROR = 4,
	DISPLAY_HAL = 8,
	SF_CPU = 16,
	SF_GPU = 32,
	APP = 64,
	BUFFER_STUFFING = 128,
	UNKNOWN = 256,
	SF_STUFFING = 512,
	DROPPED = 1024,
	NON_ANIMATING = 2048,
	APP_RESYNCED_JITTER = 4096,
	DISPLAY_NOT_ON = 8192,
	MODE_CHANGE = 16384,
	POWER_MODE_CHANGE = 32768,

	DISPLAY_JANK = SF_SCHEDULING | PREDICTION_ERROR | DISPLAY_HAL | SF_CPU | SF_GPU,
	SURFACE_JANK = APP | APP_RESYNCED_JITTER | UNKNOWN,
};

/* In the order in which the text lists them, which is not the bits' order. */
static const struct {
	int32_t bit;
	const char *text;
} bits[] = {
	{ SF_SCHEDULING, "SurfaceFlinger Scheduling" },
	{ PREDICTION_ERROR, "Prediction Error" },
	{ DISPLAY_HAL, "Display HAL" },
	{ SF_CPU, "SurfaceFlinger CPU Deadline Missed" },
	{ SF_GPU, "SurfaceFlinger GPU Deadline Missed" },
	{ APP, "App Deadline Missed" },
	{ APP_RESYNCED_JITTER, "App Resynced Jitter" },
	{ BUFFER_STUFFING, "Buffer Stuffing" },
	{ UNKNOWN, "Unknown Jank" },
	{ SF_STUFFING, "SurfaceFlinger Stuffing" },
	{ DROPPED, "Dropped Frame" },
	{ NON_ANIMATING, "Non Animating" },
	{ DISPLAY_NOT_ON, "Display not ON" },
	{ MODE_CHANGE, "ModeChange in progress" },
	{ POWER_MODE_CHANGE, "PowerModeChange in progress" },
};

struct tc_str
tc_jank_text(int32_t mask, char buf[TC_JANK_TEXT_MAX])
{
	size_t i, len = 0, n;

	if (mask == 0)
		return TC_STR("Unspecified");
	if (mask == 1)
		return TC_STR("None");
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		if (!(mask & bits[i].bit))
			continue;
		if (len) {
			memcpy(buf + len, ", ", 2);
			len += 2;
		}
		n = strlen(bits[i].text);
		memcpy(buf + len, bits[i].text, n);
		len += n;
	}
	return (struct tc_str){ buf, (uint32_t)len, true };
}

static bool
is_imperceptible(int32_t mask)
{
	return mask == NON_ANIMATING || mask == DISPLAY_NOT_ON ||
		mask == POWER_MODE_CHANGE;
}

static struct tc_str
display_tag(int32_t mask)
{
	if (mask == 0)
		return TC_STR("Unspecified");
	if (mask & DISPLAY_JANK)
		return TC_STR("Self Jank");
	if (mask == SF_STUFFING)
		return TC_STR("SurfaceFlinger Stuffing");
	if (mask == DROPPED)
		return TC_STR("Dropped Frame");
	if (is_imperceptible(mask))
		return TC_STR("Non-perceivable Jank");
	return TC_STR("No Jank");
}

static struct tc_str
surface_tag(int32_t mask, uint8_t present)
{
	if (mask == 0)
		return TC_STR("Unspecified");
	if (mask & SURFACE_JANK)
		return TC_STR("Self Jank");
	if (mask & DISPLAY_JANK)
		return TC_STR("Other Jank");
	if (mask == BUFFER_STUFFING)
		return TC_STR("Buffer Stuffing");
	if (mask == SF_STUFFING)
		return TC_STR("SurfaceFlinger Stuffing");
	if (present == TC_PRESENT_DROPPED)
		return TC_STR("Dropped Frame");
	if (is_imperceptible(mask))
		return TC_STR("Non-perceivable Jank");
	return TC_STR("No Jank");
}

struct tc_str
tc_jank_tag(bool is_surface, int32_t mask, uint8_t present)
{
	return is_surface ? surface_tag(mask, present) : display_tag(mask);
}

struct tc_str
tc_present_text(uint8_t present)
{
	switch (present) {
	case 1: return TC_STR("On-time Present");
	case 2: return TC_STR("Late Present");
	case 3: return TC_STR("Early Present");
	case TC_PRESENT_DROPPED: return TC_STR("Dropped Frame");
	case 5: return TC_STR("Unknown Present");
	default: return TC_STR("Unspecified Present");
	}
}

struct tc_str
tc_prediction_text(uint8_t prediction)
{
	switch (prediction) {
	case 1: return TC_STR("Valid Prediction");
	case 2: return TC_STR("Expired Prediction");
	case 3: return TC_STR("Unknown Prediction");
	default: return TC_STR("Unspecified Prediction");
	}
}

/* Before the field existed, a mask of exactly "none" was all there was to say. */
struct tc_str
tc_severity_text(uint8_t severity, int32_t jank_mask)
{
	switch (severity) {
	case 1: return TC_STR("None");
	case 2: return TC_STR("Partial");
	case 3: return TC_STR("Full");
	case TC_FRAME_ABSENT: return jank_mask == 1 ? TC_STR("None") : TC_STR("Unknown");
	default: return TC_STR("Unknown");
	}
}

struct tc_str
tc_fence_text(uint8_t fence)
{
	switch (fence) {
	case 1: return TC_STR("Latched Signaled");
	case 2: return TC_STR("Latched Unsignaled");
	case 3: return TC_STR("Delayed Latch Fence Unsignaled");
	case TC_FRAME_ABSENT: return (struct tc_str){ 0 };
	default: return TC_STR("Unknown");
	}
}
