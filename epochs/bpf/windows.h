/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* The timer that ends slices and quanta, and the windows of a hold-off. */
#ifndef EBB_WINDOWS_H
#define EBB_WINDOWS_H

#include "bell.h"

static __always_inline void arm(struct cpu *c, __u64 at)
{
	if (!timers)
		return;
	if (start_timer(&c->timer, at)) {
		dropped(DROP_TIMER_START);
		return;
	}
	c->armed = true;
}

/* Arms the timer for the next end of a slice, which is at latest the end of the quantum. */
static __always_inline void arm_slice(struct cpu *c, __u64 now)
{
	__u64 end = now - now % slice_ns + slice_ns;

	c->quantum_end = now - now % quantum_ns + quantum_ns;
	arm(c, end < c->quantum_end ? end : c->quantum_end);
}

/*
 * Has the timer of a CPU that becomes idle not fire soon, as an interrupt would wake it from its sleep: who is to be rung
 * is, when a followed thread runs again. It costs two settings of a timer, so it is only for CPUs that were idle for long
 * before. To cancel the timer here could wait for a lock that this CPU has. A timer that is not pinned could move to a CPU
 * that works.
 */
static __always_inline void put_off(struct cpu *c, __u64 now)
{
	if (!timers || !(timer_flags & TIMER_PINNED) || hold_off > 1 || !c->armed || c->away < LONG_AWAY)
		return;
	if (!start_timer(&c->timer, now + PUT_OFF))
		c->armed = false;
}

enum window_state { CLOSED, OPEN, CLOSING };

/*
 * Notices that a window opened or ended. CLOSING is the first call after the end: a slice that is open has to be
 * closed. *next is the start of the next window.
 */
static __always_inline enum window_state window(struct cpu *c, __u64 now, __u64 *next)
{
	__u64 period = quantum_ns * hold_off;
	__u64 number, start;
	bool was_open = c->open;

	if (was_open && now < c->window_end)
		return OPEN;
	number = now / period;
	start = number * period;
	*next = start + period;
	if (now - start < quantum_ns) {
		c->open = true;
		c->window = number + 1;
		c->window_end = start + quantum_ns;
		open_window = number + 1;
		return OPEN;
	}
	c->open = false;
	/* A CPU that is a period late must not end another's window. */
	if (open_window == c->window)
		open_window = 0;
	return was_open ? CLOSING : CLOSED;
}

#endif
