// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Makes tasks really slower: every pace_us an interrupt on each CPU takes from the task what it is ahead of the model, and
 * so does a switch to another task, which would pay for it otherwise. The scheduler and the task see nothing but less work done in the
 * time.
 */
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/version.h>

#include "platform.h"

static unsigned int pace_us = 1000;	/* 0: time goes by as it likes */
module_param(pace_us, uint, 0444);

#define MOST_AT_ONCE (20 * NSEC_PER_MSEC)

static DEFINE_PER_CPU(struct hrtimer, timers);
static int state; /* of CPU hotplug */

void pay(struct vcpu *v)
{
	u64 from, end;

	reckon(v);
	if (!pace_us || !v->busy || v->owed <= 0)
		return;
	from = v->at;
	end = from + min(stretched(v, v->owed), (u64)MOST_AT_ONCE);
	raw_spin_unlock(&v->lock);
	while (ktime_get_ns() < end)
		cpu_relax();
	raw_spin_lock(&v->lock);
	reckon(v); /* it went on falling behind meanwhile */
	v->owed -= v->at - from;
}

static enum hrtimer_restart fire(struct hrtimer *timer)
{
	struct vcpu *v = this_cpu_ptr(&vcpus);

	raw_spin_lock(&v->lock);
	pay(v);
	raw_spin_unlock(&v->lock);
	active_tick();
	if (smp_processor_id() == 0) {
		throttle_tick();
		if (physics.seed)
			meter_update();
	}
	hrtimer_forward_now(timer, ns_to_ktime((u64)pace_us * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int arm(unsigned int cpu)
{
	struct hrtimer *t = this_cpu_ptr(&timers);

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(t, fire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(t, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	t->function = fire;
#endif
	hrtimer_start(t, ns_to_ktime((u64)pace_us * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static int disarm(unsigned int cpu)
{
	hrtimer_cancel(this_cpu_ptr(&timers));
	return 0;
}

/* On each CPU, and on one that comes back later. */
int pace_start(void)
{
	if (pace_us)
		state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "ebb/platform:online", arm, disarm);
	return min(state, 0);
}

void pace_stop(void)
{
	if (state > 0)
		cpuhp_remove_state(state);
}
