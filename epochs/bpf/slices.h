/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* How a thread's time on a CPU begins and is cut into slices. */
#ifndef EBB_SLICES_H
#define EBB_SLICES_H

#include "counters.h"
#include "windows.h"

/* Why t runs, from what it did last, and who woke it when. */
static __always_inline __u8 arrive(struct cpu *c, struct thread *t, __s32 *waker, __u64 *woken_at)
{
	__u8 was = t->window == c->window ? t->off : OFF_UNKNOWN;
	__u64 at = t->wake_at;

	/* A waking that no window has seen the end of is an old one. */
	if (hold_off > 1 && at < c->window_end - quantum_ns)
		at = 0;
	t->wake_at = 0;
	t->off = OFF_NOT;
	*waker = NO_THREAD;
	*woken_at = 0;
	if (was == OFF_NEW)
		return CAUSE_STARTED;
	if (was == OFF_PREEMPTED || (was == OFF_UNKNOWN && !at))
		return CAUSE_RESUMED;
	if (at) {
		*waker = t->waker;
		*woken_at = at;
	}
	return CAUSE_WOKEN;
}

/* t comes to the CPU that it has now. */
static __always_inline void came_to(struct thread *t, struct task_struct *task)
{
	t->run_came = t->run;
	t->stopped_at = task->se.sum_exec_runtime;
}

/*
 * How long before from, where its last slice began, the scheduler began to charge t, which stops now; as a record has
 * it. It charges a thread from the moment at which the CPU's clock was read last before the switch. That is the wake-up, where
 * this interrupts who runs: the interrupt takes microseconds, on a virtual machine tens of them, in which the one before
 * does not run any more. That one's charge ends there, and is negative for it. So the times of all threads together are
 * the CPU's.
 */
static __always_inline __s16 charged(struct thread *t, __u64 ran, __u64 from, __u64 now)
{
	__s64 before;

	if (t->run_came == FOUND)
		return 0;
	before = (__s64)(ran - t->stopped_at - (t->run - t->run_came) - (now - from));
	if (before < (__s64)(from - now))
		before = from - now; /* the slices before have more than all its charge */
	before = (before + CHARGED_NS / 2) >> 6;
	if (before * CHARGED_NS < (__s64)(from - now))
		before++; /* rounded to more than the slice */
	if (before > CHARGED_FINE)
		before = CHARGED_FINE + ((before - CHARGED_FINE) >> 8);
	else if (before < -CHARGED_FINE)
		before = -CHARGED_FINE - ((-before - CHARGED_FINE) >> 8);
	if (before > 0x7fff)
		return 0x7fff;
	return before < -0x7fff ? -0x7fff : before;
}

/* A record's charged, in ns. */
static __always_inline __s64 charged_ns(__s16 before)
{
	__s64 units = before;

	if (units > CHARGED_FINE)
		units = CHARGED_FINE + (units - CHARGED_FINE) * CHARGED_COARSE;
	else if (units < -CHARGED_FINE)
		units = -CHARGED_FINE + (units + CHARGED_FINE) * CHARGED_COARSE;
	return units * CHARGED_NS;
}

/*
 * Opens the slice of a thread that is found running: tracing begins, or a window opens, or the kernel did not
 * report its switch (some kernels do not trace the switch from certain system threads). In the last case it came
 * at started, or a little later.
 */
static __always_inline void find(struct cpu *c, struct thread *t, __u64 now, __u64 started)
{
	struct switch_record *e = bpf_ringbuf_reserve(&ring, sizeof *e, 0);
	__s32 waker = NO_THREAD;
	__u64 woken_at = 0;
	__u8 on = CAUSE_SEEN;

	t->run_came = FOUND;
	if (t->window == c->window && t->off != OFF_NOT && t->off != OFF_UNKNOWN) {
		on = arrive(c, t, &waker, &woken_at);
		dropped(DROP_SWITCH_UNTOLD);
		if (started < t->off_at)
			started = t->off_at;
		if (started < woken_at)
			started = woken_at;
		c->from = started;
	} else {
		t->off = OFF_NOT;
		t->wake_at = 0;
		c->from = now;
	}
	if (!e) {
		lost(DROP_RING_FULL);
		return;
	}
	head(&e->r, c->from, RECORD_SWITCH, 0);
	e->r.on = on;
	e->prev = NO_THREAD;
	e->next = t->tid;
	e->waker = waker;
	e->prev_tenant = 0;
	e->next_tenant = t->tenant;
	e->from = 0;
	e->woken_at = woken_at;
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

/* Closes the slice of the thread that runs here; returns the time. */
static __always_inline __u64 slice(struct cpu *c, struct thread *t)
{
	struct slice_record *s = bpf_ringbuf_reserve(&ring, sizeof *s + 8 * counters, 0);
	__u64 now = bpf_ktime_get_ns();

	t->run += now - c->from;
	if (!s) {
		lost(DROP_RING_FULL);
		count_all(c, 0, false);
		return now;
	}
	head(&s->r, now, RECORD_SLICE, t->tenant);
	s->r.counters = counters;
	s->tid = t->tid;
	s->unused = 0;
	s->from = c->from;
	count_all(c, (__u64 *)(s + 1), true);
	did(c, now - c->from, (__u64 *)(s + 1));
	c->from = now;
	bpf_ringbuf_submit(s, BPF_RB_NO_WAKEUP);
	bell_at(now, c->quantum_end);
	return now;
}

/*
 * Keeps the timer for a short time after the last followed thread has left, as the kernel may not report its return
 * (see find). Not on an idle CPU: the switch from the idle task is reported, and each interrupt would wake the CPU from
 * its sleep.
 */
static __always_inline void linger(struct cpu *c, struct task_struct *current)
{
	__u64 now = bpf_ktime_get_ns();

	if (current->pid && now - c->left < LINGER * slice_ns)
		arm_slice(c, now);
}

/*
 * When t came to this CPU, whose switch was not reported: not before the last followed thread left, as others may have
 * run since. The scheduler's account of a thread that runs is up to a tick old.
 */
static __always_inline __u64 came(struct cpu *c, struct task_struct *task, struct thread *t, __u64 now)
{
	__u64 started = now - (task->se.sum_exec_runtime - t->stopped_at) - TICK_NS;

	if (!c->left)
		return now;
	return started > c->left ? started : c->left;
}

/* The timer fired while the followed thread t ran. */
static __always_inline void fired(struct cpu *c, struct task_struct *task, struct thread *t)
{
	enum window_state state = OPEN;
	__u64 now, next = 0;

	if (hold_off > 1) {
		state = window(c, bpf_ktime_get_ns(), &next);
		if (state == CLOSED || (state == CLOSING && !c->from)) {
			c->from = 0;
			arm(c, next);
			return;
		}
	}
	if (c->from) {
		now = slice(c, t);
		c->from = now;
	} else {
		now = bpf_ktime_get_ns();
		find(c, t, now, came(c, task, t, now));
		bell_at(now, c->quantum_end);
		count_all(c, 0, false);
	}
	if (state == CLOSING) {
		c->from = 0;
		arm(c, next);
		return;
	}
	arm_slice(c, now);
}

static int on_timer(void *map, __u32 *key, struct cpu *c)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t;
	__u64 start;

	c->armed = false;
	if (*key != bpf_get_smp_processor_id()) {
		dropped(DROP_TIMER_MOVED);
		return 0;
	}
	t = followed(task);
	if (!t) {
		linger(c, task);
		return 0;
	}
	start = bpf_ktime_get_ns();
	fired(c, task, t);
	__sync_fetch_and_add(&timer_runs, 1);
	took(start, 1);
	return 0;
}

/*
 * Stands in for the timer of the CPU where it runs: BPF has none on PREEMPT_RT. User space runs it on each CPU when a
 * quantum has ended. It answers whether a followed thread runs there.
 */
SEC("raw_tp")
int on_tick(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = followed(task);
	struct cpu *c = this_cpu();
	__u64 start = bpf_ktime_get_ns();

	if (!t || !c)
		return 0;
	rung_for = start - start % quantum_ns; /* user space comes again: who begins to run meanwhile need not ring */
	fired(c, task, t);
	__sync_fetch_and_add(&timer_runs, 1);
	took(start, 1);
	return 1;
}

#endif
