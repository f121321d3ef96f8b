/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Membership in the target's cgroup (version 2) and those below. It is checked when a thread is created or
 * moved, and not at switches, which therefore cost other programs' threads nothing.
 */
#ifndef EBB_CGROUP_H
#define EBB_CGROUP_H

#include "bell.h"

/* Below this depth the hierarchy is not searched. Its own bound is that of path names. */
#define MAX_DEPTH 256

static __always_inline void tell(enum record_kind kind, __s32 tid, __s32 by, __u64 flags)
{
	struct thread_record *r = bpf_ringbuf_reserve(&ring, sizeof *r, 0);

	if (!r) {
		dropped(DROP_RING_FULL);
		return;
	}
	head(&r->r, bpf_ktime_get_ns(), kind);
	r->tid = tid;
	r->by = by;
	bpf_ringbuf_submit(r, flags);
}

/* It reads by helper, as the verifier lets no pointer to a cgroup go through a loop. */
static __noinline bool member(struct task_struct *task)
{
	struct cgroup *c = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	struct cgroup_subsys_state *parent;

	if (task->flags & PF_KTHREAD || task->tgid == own_tgid)
		return false;
	for (int i = 0; i < MAX_DEPTH && c; i++) {
		if (BPF_CORE_READ(c, kn, id) == target_cgroup)
			return true;
		parent = BPF_CORE_READ(c, self.parent);
		if (!parent)
			return false;
		c = BPF_CORE_READ(parent, cgroup);
	}
	return false;
}

/* Follows a thread that has entered the cgroup, and releases one that has left it. */
static __always_inline void settle(struct task_struct *task)
{
	struct thread *t = storage(task);
	bool stays = t && t->left == LEFT_NOT;

	if (member(task) == stays)
		return;
	if (stays) {
		t->left = LEAVING;
		tell(RECORD_EXIT, task->pid, NO_THREAD, BPF_RB_NO_WAKEUP);
	} else if (t && t->left == LEAVING) {
		t->left = LEFT_NOT;
	} else if (follow(task, OFF_UNKNOWN, ~0ULL)) {
		attach_added++;
	}
}

/*
 * When a whole process is moved, task is its first thread. User space looks for the others (settle_all), and makes CPUs
 * switch, without which a thread that keeps its CPU is not found.
 */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_move, struct cgroup *to, const char *path, struct task_struct *task, bool process)
{
	struct record *r;

	if (!target_cgroup || !following)
		return 0;
	if (!member(task) && !followed(task) && !(process && BPF_CORE_READ(task, signal, nr_threads) > 1))
		return 0;
	settle(task);
	__sync_fetch_and_add(&moves, 1);
	/* A bell without a record. */
	r = bpf_ringbuf_reserve(&ring, sizeof *r, 0);
	if (r)
		bpf_ringbuf_discard(r, bell());
	return 0;
}

SEC("iter/task")
int settle_all(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	if (target_cgroup && following)
		settle(task);
	return 0;
}

#endif
