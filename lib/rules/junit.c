/*
 * The verdicts as a JUnit file: a suite for each rule, a case for each part and one for
 * the rule as a whole. A part that failed is a failure where its rule failed; where the
 * policy let it pass, the case says so in its output, so that the file and the exit
 * status agree.
 */
#include "rules/priv.h"

#include <stdio.h>

#include "err/err.h"
#include "io/io.h"
#include "rec/rec.h"

/* What XML 1.0 has no character for, even escaped, or would read as another. */
static bool
put_special(struct tc_out *o, const char *p, size_t n)
{
	unsigned char c = (unsigned char)*p;
	char text[16];

	if (n == 3 && (unsigned char)p[0] == 0xef && (unsigned char)p[1] == 0xbf &&
		(unsigned char)p[2] >= 0xbe) {
		tc_out_lit(o, "\xef\xbf\xbd");
		return true;
	}
	if (n > 1)
		return false;
	switch (c) {
	case '&': tc_out_lit(o, "&amp;"); return true;
	case '<': tc_out_lit(o, "&lt;"); return true;
	case '>': tc_out_lit(o, "&gt;"); return true;
	case '"': tc_out_lit(o, "&quot;"); return true;
	case '\'': tc_out_lit(o, "&apos;"); return true;
	}
	if (c >= 0x20 && c != 0x7f)
		return false;
	if (c == '\t' || c == '\n' || c == '\r' || c == 0x7f) {
		snprintf(text, sizeof(text), "&#%d;", c);
		tc_out_write(o, text, strlen(text));
	} else {
		tc_out_lit(o, "\xef\xbf\xbd");
	}
	return true;
}

/* A text inside an attribute or an element. */
static void
put_text(struct tc_out *o, struct tc_str s)
{
	size_t i, n;

	for (i = 0; i < s.len; i += n) {
		n = tc_str_char(s.p + i, s.len - i);
		if (!n) {
			n = 1;
			tc_out_lit(o, "\xef\xbf\xbd");
		} else if (!put_special(o, s.p + i, n)) {
			tc_out_write(o, s.p + i, n);
		}
	}
}

static void
put_cstr(struct tc_out *o, const char *text)
{
	put_text(o, tc_str_of(text));
}

static void
put_labelled(struct tc_out *o, const char *label, struct tc_str s)
{
	if (!s.p)
		return;
	put_cstr(o, label);
	put_text(o, s);
}

static void
put_int(struct tc_out *o, const char *label, int64_t v, const char *unit)
{
	if (v == TC_NONE)
		return;
	put_cstr(o, label);
	tc_json_put_int(o, v);
	put_cstr(o, unit);
}

static void
put_real(struct tc_out *o, double v)
{
	if (isnan(v))
		tc_out_lit(o, "unknown");
	else
		tc_json_put_real(o, v);
}

static bool
is_red(const struct tc_rules_rule *rule, const struct tc_rules_part *p)
{
	return p->verdict == TC_RULES_FAIL && rule->verdict == TC_RULES_FAIL;
}

struct counts {
	size_t tests, failures, errors, skipped;
};

static void
count(const struct tc_rules *r, const struct tc_rules_rule *rule, struct counts *c)
{
	const struct tc_rules_part *p = r->parts + rule->first, *end = p + rule->parts;

	c->tests += rule->parts + 1;
	c->failures += rule->verdict == TC_RULES_FAIL;
	c->errors += r->lacks_all;
	c->skipped += !r->lacks_all && rule->verdict == TC_RULES_UNKNOWN;
	for (; p < end; p++) {
		c->failures += is_red(rule, p);
		c->skipped += p->verdict == TC_RULES_UNKNOWN;
	}
}

static void
put_counts(struct tc_out *o, const struct counts *c)
{
	char text[128];

	snprintf(text, sizeof(text),
		"\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		c->tests, c->failures, c->errors, c->skipped);
	tc_out_write(o, text, strlen(text));
}

static void
open_case(struct tc_out *o, const struct tc_rules_rule *rule)
{
	tc_out_lit(o, "    <testcase classname=\"");
	put_cstr(o, rule->name);
	tc_out_lit(o, "\" name=\"");
}

/* Where the part is to be found in this run, whatever it is called. */
static void
put_whereabouts(struct tc_out *o, const struct tc_rules *r, const struct tc_rules_part *p)
{
	put_labelled(o, "; layer ", r->texts[p->layer]);
	put_labelled(o, "; device ", r->texts[p->device]);
	put_labelled(o, "; path ", r->texts[p->path]);
	put_int(o, "; trace ", p->trace, "");
	put_int(o, "; machine ", p->machine, "");
	put_int(o, "; from ", p->ts, " ns");
	put_int(o, "; upid ", p->upid, "");
}

static void
put_finding(struct tc_out *o, const struct tc_rules *r, const struct tc_rules_rule *rule,
	const struct tc_rules_part *p)
{
	put_cstr(o, rule->metric);
	tc_out_lit(o, " ");
	put_cstr(o, rule->statistic);
	tc_out_lit(o, " is ");
	put_real(o, p->value);
	put_labelled(o, " ", r->texts[p->unit]);
	tc_out_lit(o, ", to be ");
	put_cstr(o, rule->op);
	tc_out_lit(o, " ");
	put_real(o, p->limit);
	put_int(o, "; samples ", p->samples, "");
}

static void
put_part(struct tc_rules_names *n, const struct tc_rules_part *p, struct tc_out *o)
{
	const struct tc_rules_rule *rule = &n->r->rules[p->rule];

	open_case(o, rule);
	put_text(o, tc_rules_name(n, p));
	tc_out_lit(o, "\">");
	if (p->verdict == TC_RULES_UNKNOWN) {
		tc_out_lit(o, "<skipped message=\"");
		put_cstr(o, p->reason);
		tc_out_lit(o, ": ");
		put_finding(o, n->r, rule, p);
		tc_out_lit(o, "\"/>");
	} else if (is_red(rule, p)) {
		tc_out_lit(o, "<failure type=\"fail\" message=\"");
		put_finding(o, n->r, rule, p);
		tc_out_lit(o, "\"/>");
	}
	tc_out_lit(o, "<system-out>");
	put_cstr(o, tc_rules_verdict_name(p->verdict));
	tc_out_lit(o, ": ");
	put_finding(o, n->r, rule, p);
	put_whereabouts(o, n->r, p);
	tc_out_lit(o, "</system-out></testcase>\n");
}

static void
put_whole(const struct tc_rules *r, const struct tc_rules_rule *rule, struct tc_out *o)
{
	char policy[64], text[256];

	tc_rules_policy_text(&rule->policy, policy, sizeof(policy));
	snprintf(text, sizeof(text),
		"policy %s: %zu parts, of which %zu were judged and %zu failed", policy,
		rule->parts, rule->judged, rule->failed);
	open_case(o, rule);
	tc_out_lit(o, "all parts\">");
	if (rule->verdict == TC_RULES_FAIL) {
		tc_out_lit(o, "<failure type=\"fail\" message=\"");
		put_cstr(o, text);
		tc_out_lit(o, "\"/></testcase>\n");
	} else if (rule->verdict == TC_RULES_UNKNOWN) {
		if (r->lacks_all)
			tc_out_lit(o, "<error type=\"no_trace\" message=\"");
		else
			tc_out_lit(o, "<skipped message=\"");
		put_cstr(o, rule->reason);
		tc_out_lit(o, ": ");
		put_cstr(o, text);
		tc_out_lit(o, "\"/></testcase>\n");
	} else {
		tc_out_lit(o, "<system-out>");
		put_cstr(o, text);
		tc_out_lit(o, "</system-out></testcase>\n");
	}
}

static void
put_suite(
	struct tc_rules_names *names, const struct tc_rules_rule *rule, struct tc_out *o)
{
	const struct tc_rules *r = names->r;
	struct counts c = { 0 };
	size_t i;

	tc_rules_names_reset(names);
	count(r, rule, &c);
	tc_out_lit(o, "  <testsuite name=\"");
	put_cstr(o, rule->name);
	put_counts(o, &c);
	for (i = 0; i < rule->parts && !o->sys; i++)
		put_part(names, &r->parts[rule->first + i], o);
	put_whole(r, rule, o);
	tc_out_lit(o, "  </testsuite>\n");
}

static void
put_all(const struct tc_rules *r, struct tc_out *o)
{
	struct tc_rules_names names;
	struct counts c = { 0 };
	size_t i;

	tc_rules_names_init(&names, r);
	for (i = 0; i < r->count; i++)
		count(r, &r->rules[i], &c);
	tc_out_lit(o,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"tc-jank rules");
	put_counts(o, &c);
	for (i = 0; i < r->count && !o->sys; i++)
		put_suite(&names, &r->rules[i], o);
	tc_rules_names_release(&names);
	tc_out_lit(o, "</testsuites>\n");
}

int
tc_rules_put_junit(const struct tc_rules *r, const char *path, struct tc_err *err)
{
	struct tc_out_file file;
	struct tc_out out;
	int c;

	if (tc_out_create_at(&out, &file, path, err))
		return -1;
	put_all(r, &out);
	c = tc_out_commit(&out, &file, err);
	tc_out_release(&out);
	return c;
}
