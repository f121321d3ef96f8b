/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* How long threads ran that are no tenant's: neither ebb's own, nor idle. */
#ifndef EBB_FOREIGN_H
#define EBB_FOREIGN_H

#include "state.h"

struct foreign {
	__u64 ns;
	__u64 from; /* when such a thread began to run here; 0: none runs */
	__u64 unused[6]; /* a CPU's are in a cache line of their own */
};

/* By CPU. Its size is set by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct foreign);
} foreigners SEC(".maps");

/*
 * Counted with several tenants only. The clock is read where such a stretch begins or ends, and not between two threads
 * that are both no tenant's.
 */
static __always_inline void note_foreign(struct task_struct *next)
{
	__u32 key = bpf_get_smp_processor_id();
	struct foreign *f;
	__u64 now;
	bool is;

	if (!many)
		return;
	is = next->pid && next->tgid != own_tgid && !followed(next);
	f = bpf_map_lookup_elem(&foreigners, &key);
	if (!f || is == !!f->from)
		return;
	now = bpf_ktime_get_ns();
	if (!is)
		f->ns += now - f->from;
	f->from = is ? now : 0;
}

#endif
