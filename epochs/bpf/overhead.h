/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* What the tracer and its reader cost the target: overhead.go says what each number means. */
#ifndef EBB_OVERHEAD_H
#define EBB_OVERHEAD_H

#include "state.h"

/*
 * One run of so many is timed, as reading the clock twice takes a tenth of a run. It is the last of them, because the
 * first of all is unlike the others. The number is odd, because switches and wakes often come in turn.
 */
#define TIMED 17

/* The start of a run that is timed; 0 of one that is not. */
static __always_inline __u64 timed(struct cpu *c)
{
	if (++c->runs < TIMED)
		return 0;
	c->runs = 0;
	return bpf_ktime_get_ns();
}

/* The end of a run that began at start and stands for so many. */
static __always_inline void took(__u64 start, __u64 runs)
{
	if (start)
		__sync_fetch_and_add(&traced_ns, runs * (bpf_ktime_get_ns() - start));
}

/*
 * A thread of ebb, or of a process that it started for itself. A target that it started is followed. t is the thread's
 * storage, here and below.
 */
static __always_inline bool own(struct task_struct *task, const struct thread *t)
{
	if (task->tgid == own_tgid)
		return true;
	return !is_followed(t) && look_at(task)->real_parent->tgid == own_tgid;
}

/*
 * Notes how long threads of ebb run where a thread of the target could. One is held up if it was preempted for ebb, or
 * if ebb gives the CPU to it: then since it was woken, or preempted. Outside the windows of a hold-off nothing notes
 * when a thread could run, so only the preempted ones count.
 */
static __always_inline void note_own(struct cpu *c, struct thread *p, bool is_own, struct thread *t, bool runnable)
{
	__u64 now = bpf_ktime_get_ns(), from;

	if (is_own) {
		c->own_from = now;
		c->own_displaces = runnable && is_followed(p);
		return;
	}
	from = c->own_from;
	c->own_from = 0;
	if (!from)
		return;
	if (!c->own_displaces) {
		if (!is_followed(t) || (hold_off > 1 && !c->open))
			return;
		if (t->off != OFF_PREEMPTED && !t->wake_at)
			return;
		if (t->off == OFF_PREEMPTED && t->off_at > from)
			from = t->off_at;
		else if (t->off != OFF_PREEMPTED && t->wake_at > from)
			from = t->wake_at;
	}
	if (now > from)
		__sync_fetch_and_add(&displaced_ns, now - from);
}

#endif
