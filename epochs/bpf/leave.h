/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* How a thread's stay with a tenant ends, and how the next one's begins. */
#ifndef EBB_LEAVE_H
#define EBB_LEAVE_H

#include "cgroup.h"

/* The last record of a thread's stay with a tenant. It is switched away from, or to. */
static __always_inline void ended(struct task_struct *task, struct thread *t, bool stops)
{
	struct totals_record *r = bpf_ringbuf_reserve(&ring, sizeof *r, 0);

	if (r) {
		head(&r->r, bpf_ktime_get_ns(), RECORD_TOTALS, t->tenant);
		totals(&r->totals, task, t);
		if (stops)
			r->totals.kernel_switches--;
		bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	} else {
		lost(DROP_RING_FULL);
	}
	/* After the record: who sees that none is exiting finds it in the ring. */
	if (t->exiting) {
		t->exiting = false;
		if (t->tenant <= MAX_TENANTS)
			__sync_fetch_and_sub(&exiting[t->tenant], 1);
	}
}

/* Whether a thread's stay ends where it stops or is about to run. One that is exiting stays until its end. */
static __always_inline bool leaves(const struct thread *t)
{
	return by_cgroup && t->left && !t->exiting;
}

/*
 * Ends the stay of a thread that leaves. Where it goes to another tenant, that one's begins: with it goes since when and
 * why the thread does not run, but not who woke it, as that one is another tenant's. Returns 0 where it goes to nobody.
 */
static __always_inline struct thread *leave(struct task_struct *task, struct thread *t, bool stops)
{
	__u16 next = t->next;

	t->left = LEFT;
	ended(task, t, stops);
	if (next == NOBODY)
		return 0;
	stay(task, t, next);
	tell(RECORD_FORK, next, t->tid, NO_THREAD);
	return t;
}

/*
 * A thread executes a program, under the id of its process: where another than the first executes one, that one has ended,
 * and the two have exchanged their ids. Before the kernel reports the program the thread may stop, and the first one may
 * have yet to stop for the last time: that one's records have the id that it had.
 */
static __noinline void renamed(struct task_struct *task, struct thread *t)
{
	tell(RECORD_EXEC, t->tenant, task->pid, t->tid);
	t->tid = task->pid;
}

static __always_inline void died(struct task_struct *task, struct thread *t)
{
	t->over = true;
	ended(task, t, true);
}

#endif
