/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Threads of the target that no fork announces. The kernel makes some for a process: io_uring's that poll and work, and
 * vhost's. They are found at a switch.
 */
#ifndef EBB_ADOPT_H
#define EBB_ADOPT_H

#include "cgroup.h"

/*
 * Whose a thread without a storage is, by its process; NOBODY: no tenant's. *since is when that one was followed; 0: it
 * is not, and the thread is in a tenant's cgroup without its process.
 */
static __always_inline __u16 unannounced(struct task_struct *task, __u64 *since, bool *tree)
{
	struct thread *of;

	if (task->flags & PF_KTHREAD)
		of = borrowed(task);
	else if (task->flags & PF_EXITING && !(task->flags & (PF_IO_WORKER | PF_USER_WORKER)))
		return NOBODY; /* of a launcher, whose first thread executes the program while the others end */
	else
		of = followed_leader(task);
	if (of) {
		*since = of->started_at;
		*tree = of->tree;
		if (!by_cgroup || of->tree || task->flags & PF_KTHREAD)
			return to_be(of);
		return tenant_of(task);
	}
	if (by_cgroup && task->flags & (PF_IO_WORKER | PF_USER_WORKER))
		return tenant_of(task);
	return NOBODY;
}

/*
 * Follows the thread if it is such a one, and returns its storage. One that was created since its process is followed is the target's from its
 * first instruction on: the kernel may not have reported its first switches.
 */
static __always_inline struct thread *adopt(struct task_struct *task)
{
	__u64 since = 0, window = 0;
	bool born, tree = false;
	struct thread *t;
	struct cpu *c;
	__u16 tenant = unannounced(task, &since, &tree);

	if (tenant == NOBODY)
		return 0;
	c = this_cpu();
	if (!c)
		return 0;
	born = since && task->start_time >= since;
	if (hold_off > 1 || !born)
		window = born && c->open ? c->window : ~0ULL;
	t = follow(task, tenant, tree, born ? OFF_NEW : OFF_UNKNOWN, window);
	if (!t || !born)
		return t;
	t->started_at = t->off_at = task->start_time;
	t->run_before = t->switches_before = t->stopped_at = 0;
	tell(RECORD_FORK, tenant, task->pid, NO_THREAD);
	return t;
}

/* Releases a kernel thread that no longer works in the memory of a followed process. It is about to run. */
static __always_inline bool returned(struct task_struct *task, struct thread *t)
{
	if (!(task->flags & PF_KTHREAD) || borrowed(task))
		return false;
	t->left = LEFT;
	tell(RECORD_EXIT, t->tenant, t->tid, NO_THREAD);
	return true;
}

#endif
