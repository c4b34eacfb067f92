#ifndef TC_ROWS_PRIV_H
#define TC_ROWS_PRIV_H
/* Inside rows: how rows of each kind are taken in, and put in order. */
#include "rows/rows.h"

/* owners.c: places, processes and threads, by what rows say of them. */
uint32_t tc_rows_proc(struct tc_rows *r, uint32_t place, int64_t upid);
uint32_t tc_rows_thread(struct tc_rows *r, uint32_t place, int64_t utid);

/*
 * Who says what somebody is called: a row of theirs, or the record that is about them.
 * A stream need not have the latter.
 */
enum tc_rows_from { TC_ROWS_NOBODY, TC_ROWS_ROW, TC_ROWS_RECORD };

void tc_rows_name_proc(struct tc_rows *r, uint32_t proc, enum tc_rows_from from,
	int64_t pid, struct tc_str name);
void tc_rows_name_thread(struct tc_rows *r, uint32_t thread, enum tc_rows_from from,
	int64_t tid, struct tc_str name, bool is_main, uint32_t proc);

void tc_rows_add_trace(struct tc_rows *r, const void *rec);
void tc_rows_add_process(struct tc_rows *r, const void *rec);
void tc_rows_add_thread(struct tc_rows *r, const void *rec);

/* frames.c */
void tc_rows_add_expected(struct tc_rows *r, const void *rec);
void tc_rows_add_actual(struct tc_rows *r, const void *rec);

/* others.c: the rest */
void tc_rows_add_phase(struct tc_rows *r, const void *rec);
void tc_rows_add_event(struct tc_rows *r, const void *rec);
void tc_rows_add_slice(struct tc_rows *r, const void *rec);
void tc_rows_add_sched(struct tc_rows *r, const void *rec);
void tc_rows_add_input(struct tc_rows *r, const void *rec);
void tc_rows_add_rate(struct tc_rows *r, const void *rec);
void tc_rows_add_marker(struct tc_rows *r, const void *rec);

/* inputs.c: whose the events are that nobody finished. */
void tc_rows_own_inputs(struct tc_rows *r);

/* times.c: sums over the states of each thread, in order. */
void tc_rows_sum_states(struct tc_rows *r);

/* join.c: order and indexes. */
void tc_rows_order_places(struct tc_rows *r);
void tc_rows_sort(struct tc_rows *r);
void tc_rows_join(struct tc_rows *r);

/* choose.c */
int tc_rows_choose(struct tc_rows *r, struct tc_cli *cli, struct tc_err *err);
int tc_rows_find_sf(struct tc_rows *r, struct tc_cli *cli, struct tc_err *err);

#endif
