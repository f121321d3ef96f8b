/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * A program that a launcher starts: a process of ebb's own executable, which does what is to be done before, and then
 * executes the program in its place. The launcher is no part of the target: its process is followed from the second
 * program on that it executes.
 */
#ifndef EBB_LAUNCH_H
#define EBB_LAUNCH_H

#include "slices.h"

enum launcher {
	MAKES_LAUNCHERS = 1, /* a thread of ebb's */
	LAUNCHER,            /* it has yet to execute its own program */
	LAUNCHING,           /* the next program that it executes is the target's */
	LAUNCHED,
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u32); /* an enum launcher */
} launchers SEC(".maps");

static __always_inline __u32 *launcher(struct task_struct *task)
{
	return look_at(task)->bpf_storage ? bpf_task_storage_get(&launchers, task, 0, 0) : 0;
}

static __always_inline bool launches(struct task_struct *task, enum launcher what)
{
	__u32 *l = bpf_task_storage_get(&launchers, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!l)
		return false;
	*l = what;
	return true;
}

/* A thread that is not followed creates another one. */
static __always_inline void created(struct task_struct *parent, struct task_struct *child)
{
	__u32 *l = launcher(parent);

	if (l && *l == MAKES_LAUNCHERS && parent->tgid != child->tgid && !launches(child, LAUNCHER))
		lost(DROP_NO_STORAGE);
}

/*
 * Follows the calling thread from now on. It has run for long, so its first slice begins here; user space takes its
 * being on a CPU from the record of its exec.
 */
static __always_inline void launched(struct task_struct *task, struct cpu *c)
{
	struct thread *t = follow(task, 0, true, OFF_NEW, 0);
	__u64 now, next = 0;

	if (!t)
		return;
	t->off = OFF_NOT;
	tell(RECORD_FORK, 0, task->pid, NO_THREAD);
	now = bpf_ktime_get_ns();
	if (hold_off > 1 && window(c, now, &next) != OPEN) {
		c->from = 0;
		if (!c->armed)
			arm(c, next);
		return;
	}
	t->window = c->window;
	count_all(c, 0, false);
	c->from = now;
	if (!c->armed)
		arm_slice(c, now);
}

/* A thread executes a program. */
static __always_inline void executes(struct task_struct *task)
{
	__u32 *l = launcher(task);
	struct cpu *c;

	if (!l || *l == LAUNCHED)
		return;
	if (++*l != LAUNCHED)
		return;
	c = this_cpu();
	if (!c)
		return;
	launched(task, c);
	if (!timers)
		bell(); /* it may keep its CPU for long, and no timer rings */
}

#endif
