/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* How the reader is rung, and who hears when it does not answer. */
#ifndef EBB_BELL_H
#define EBB_BELL_H

#include "hold.h"
#include "rest.h"

/* How often, of the time in which a reader is to hear, it is looked whether it has. */
#define STALL_LOOKS 4

/*
 * The timer runs while there are bells that the reader has not heard, so an idle target costs no interrupt. A record in
 * this ring says that the reader has stalled; whoever waits for it is another process.
 */
struct stall {
	struct bpf_timer timer;
	__u64 heard; /* at the last check */
	__u32 looks; /* in a row that found nothing new */
	bool armed;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stall);
} stalls SEC(".maps");

/* Their size is set by the loader: a page. */
struct ring_page {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 12);
} alarm SEC(".maps"), doorbell SEC(".maps");

static __always_inline void arm_stall(struct stall *s)
{
	__u64 at = bpf_ktime_get_ns() + stall_ns / STALL_LOOKS;

	if (start_timer(&s->timer, at)) {
		dropped(DROP_TIMER_START);
		return;
	}
	s->armed = true;
}

/*
 * Wakes the reader, which waits for this ring alone: a bell needs no room among the records, and no record. What is written
 * here says nothing, and the reader throws it away before it counts bells. Where there is no room it has not done so since
 * the last bells, and is awake.
 */
static __always_inline void sound(void)
{
	void *b;

	hold();
	b = bpf_ringbuf_reserve(&doorbell, 8, 0);
	if (b)
		bpf_ringbuf_discard(b, BPF_RB_FORCE_WAKEUP);
	release();
}

/*
 * A machine that stood still, as one that a hypervisor stopped, comes to one look late and not to all: the reader then has
 * the time of the others to hear.
 */
static int on_stall(void *map, __u32 *key, struct stall *s)
{
	__u64 now = bpf_ktime_get_ns();

	s->armed = false;
	if (!stall_ns || heard == bells)
		return 0; /* the next bell arms it */
	if (heard != s->heard) {
		s->heard = heard;
		s->looks = 0;
	} else if (++s->looks == STALL_LOOKS) {
		bpf_ringbuf_output(&alarm, &now, sizeof now, BPF_RB_FORCE_WAKEUP);
		return 0; /* once is enough, and a bell may arm it again */
	} else {
		sound(); /* again, should the bell have been lost */
	}
	arm_stall(s);
	return 0;
}

/* Rings the reader. What it is to find is in the ring, or in a counter, before. */
static __always_inline void bell(void)
{
	__u32 key = 0;
	struct stall *s;

	__sync_fetch_and_add(&bells, 1);
	sound();
	if (timers && stall_ns) {
		s = bpf_map_lookup_elem(&stalls, &key);
		if (s && !s->armed) {
			s->heard = heard;
			s->looks = 0;
			arm_stall(s);
		}
	}
}

/*
 * A record or a thread is lost, which a count says and no record. It rings unless a bell is on its way: a ring that stays
 * full until the next timer, and one after which no timer comes, are to be read.
 */
static __noinline void lost(enum drop how)
{
	dropped(how);
	if (heard == bells)
		bell();
}

/*
 * Rings where a timer is to, after its record. The first CPU to reach a quantum's end rings; with counters every CPU
 * does, as the reader needs all slices. None rings while it rests (rest.h), nor where the reader's own clock ends quanta.
 * The ring's fill is checked only here: at each switch it would cost too much.
 */
static __always_inline void bell_at(__u64 now, __u64 quantum_end)
{
	if (timers && now >= quantum_end && !silent(quantum_end) && (counters || rung_for < quantum_end)) {
		rung_for = quantum_end;
		bell();
	} else if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= ring_high) {
		bell();
	}
}

#endif
