/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* The CPU's counters: perf events, read on the CPU where they count. */
#ifndef EBB_COUNTERS_H
#define EBB_COUNTERS_H

#include "overhead.h"

/*
 * Reads a counter, writes what it advanced since the last reading to *delta (when it is not null) and makes the reading
 * the base of the next slice. Sliced: the last reading was the begin of a slice. After a reading that failed
 * there is no base: what the counter counted since is not this slice's alone. No base has enabled 0.
 */
static __always_inline void count(void *map, struct reading *base, __u64 *delta, bool sliced)
{
	struct bpf_perf_event_value v = {};
	bool read = !bpf_perf_event_read_value(map, BPF_F_CURRENT_CPU, &v, sizeof v);

	if (!read || (sliced && !base->enabled)) {
		dropped(DROP_COUNTER_READ);
		if (delta)
			*delta = 0;
	} else {
		if (delta)
			*delta = v.counter - base->count;
		/* An event that is not pinned stands still, and can be read, after its CPU was away. */
		if (sliced && (v.enabled == base->enabled || v.running - base->running != v.enabled - base->enabled))
			dropped(DROP_COUNTER_STOPPED);
	}
	base->count = v.counter;
	base->enabled = v.enabled;
	base->running = v.running;
}

static __always_inline void count_all(struct cpu *c, __u64 *deltas, bool sliced)
{
	if (counters > 0)
		count(&counter0, &c->base[0], deltas ? deltas + 0 : 0, sliced);
	if (counters > 1)
		count(&counter1, &c->base[1], deltas ? deltas + 1 : 0, sliced);
	if (counters > 2)
		count(&counter2, &c->base[2], deltas ? deltas + 2 : 0, sliced);
	if (counters > 3)
		count(&counter3, &c->base[3], deltas ? deltas + 3 : 0, sliced);
	if (counters > 4)
		count(&counter4, &c->base[4], deltas ? deltas + 4 : 0, sliced);
	if (counters > 5)
		count(&counter5, &c->base[5], deltas ? deltas + 5 : 0, sliced);
}

/* The slice had no base: its deltas mean nothing. */
static __always_inline void uncount(__u64 *deltas)
{
#pragma unroll
	for (__u32 i = 0; i < MAX_COUNTERS; i++)
		if (i < counters)
			deltas[i] = 0;
}

#endif
