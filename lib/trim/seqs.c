#include "trim/priv.h"

#include <stdlib.h>

enum { STATE_CLEARED = 1 }; /* bit of sequence_flags */

struct tc_trim_place
tc_trim_seqs_enter(struct tc_trim_seqs *s, const struct tc_packet *p)
{
	bool cleared = p->is_cleared || (p->flags & STATE_CLEARED), made;
	uint64_t *i = tc_map_put(&s->index, p->machine, p->seq, &made);

	if (made) {
		tc_mem_grow(
			&s->generation, &s->cap, s->count + 1, sizeof(*s->generation));
		*i = ++s->count;
	}
	if (made || cleared)
		s->generation[*i - 1] = s->generations++;
	return (struct tc_trim_place){ (uint32_t)(*i - 1), s->generation[*i - 1], made };
}

void
tc_trim_seqs_release(struct tc_trim_seqs *s)
{
	free(s->generation);
	tc_map_release(&s->index);
	*s = (struct tc_trim_seqs){ 0 };
}
