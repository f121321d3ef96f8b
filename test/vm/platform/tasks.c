// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Which task runs on a CPU, and what it is like: by the scheduler's tracepoint, and by that of a task's new name. */
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "platform.h"

#define MOST_WAITS 990u

static struct tracepoint *switches, *renames;

static unsigned int waits_of(const char *name)
{
	const char *p = strrchr(name, '@');
	unsigned int n = 0;

	for (p = p ? p + 1 : ""; *p >= '0' && *p <= '9'; p++)
		n = n * 10 + *p - '0';
	return min(n, MOST_WAITS);
}

static void becomes(struct vcpu *v, const char *name)
{
	v->waits = waits_of(name);
	if (physics.seed)
		v->kind = hidden_kind(name);
}

static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	RECKONED(this_cpu_ptr(&vcpus), (pay(_v), becomes(_v, next->comm), _v->busy = !is_idle_task(next)));
}

static void on_rename(void *data, struct task_struct *task, const char *name)
{
	preempt_disable();
	if (task == current)
		RECKONED(this_cpu_ptr(&vcpus), becomes(_v, name));
	preempt_enable();
}

static void find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_switch"))
		switches = tp;
	if (!strcmp(tp->name, "task_rename"))
		renames = tp;
}

int tasks_start(void)
{
	int err;

	for_each_kernel_tracepoint(find, NULL);
	if (!switches || !renames)
		return -ENOENT;
	err = tracepoint_probe_register(switches, on_switch, NULL);
	if (err) {
		switches = NULL;
		return err;
	}
	err = tracepoint_probe_register(renames, on_rename, NULL);
	if (err)
		renames = NULL;
	return err;
}

void tasks_stop(void)
{
	if (switches)
		tracepoint_probe_unregister(switches, on_switch, NULL);
	if (renames)
		tracepoint_probe_unregister(renames, on_rename, NULL);
	tracepoint_synchronize_unregister();
}
