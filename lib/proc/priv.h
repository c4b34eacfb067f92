#ifndef TC_PROC_PRIV_H
#define TC_PROC_PRIV_H
/* Inside proc: the two tables. */
#include "proc/proc.h"

/* Rows under a number, whoever had it before; valid until the next one is added. */
struct tc_process *tc_procs_add_process(
	struct tc_procs *ps, uint32_t machine, uint32_t pid);
struct tc_thread *tc_procs_add_thread(struct tc_procs *ps, struct tc_thread thread);

/* NULL: no thread of this tid is alive. */
struct tc_thread *tc_procs_find_thread(
	struct tc_procs *ps, uint32_t machine, uint32_t tid);

void tc_procs_name_thread(struct tc_thread *t, uint32_t name, enum tc_proc_source source);

#endif
