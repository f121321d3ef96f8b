/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Whose a thread is by its cgroup (version 2). That is found out when a thread is created or moved, and not at switches,
 * which therefore cost other programs' threads nothing, and a tenant's no more however many tenants there are.
 */
#ifndef EBB_CGROUP_H
#define EBB_CGROUP_H

#include "bell.h"

/* Below this depth the hierarchy is not searched. Its own bound is that of path names. */
#define MAX_DEPTH 256

/*
 * The tenants' cgroups, by the kernel's number of them, which no other cgroup will have. A thread is of the nearest one
 * that is above it. Its size is set by the loader.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, __u32); /* the tenant */
} tenants SEC(".maps");

static __always_inline void tell(enum record_kind kind, __u16 tenant, __s32 tid, __s32 by)
{
	struct thread_record *r;

	hold();
	r = bpf_ringbuf_reserve(&ring, sizeof *r, 0);
	if (r) {
		head(&r->r, bpf_ktime_get_ns(), kind, tenant);
		r->tid = tid;
		r->by = by;
		bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	}
	release();
	if (!r)
		lost(DROP_RING_FULL);
}

/*
 * The tenant of the nearest cgroup, from this one upwards, that is one's; NOBODY: there is none. It reads through typed
 * pointers alone: a kernel in lockdown (confidentiality) refuses a program that reads by helper.
 */
static __noinline __u32 tenant_above(struct cgroup *c)
{
	struct cgroup_subsys_state *parent;
	__u32 *tenant;
	__u64 id;

	for (int i = 0; i < MAX_DEPTH && c; i++) {
		id = c->kn->id;
		tenant = bpf_map_lookup_elem(&tenants, &id);
		if (tenant)
			return *tenant;
		parent = c->self.parent;
		if (!parent)
			return NOBODY;
		c = parent->cgroup;
	}
	return NOBODY;
}

/* The tenant whose the thread is by its cgroup, or by the process in whose memory it works; NOBODY: none's. */
static __noinline __u32 tenant_of(struct task_struct *task)
{
	struct thread *of;

	if (task->flags & PF_KTHREAD) {
		of = borrowed(task);
		return of ? to_be(of) : NOBODY;
	}
	if (task->tgid == own_tgid)
		return NOBODY;
	return tenant_above(task->cgroups->dfl_cgrp);
}

/* Notes that a thread is to be another's than its process's first one, which can be in another cgroup. */
static __always_inline void note_apart(struct task_struct *task, __u32 tenant)
{
	struct cgroup *first = task->group_leader->cgroups->dfl_cgrp;

	if (first != task->cgroups->dfl_cgrp && tenant_above(first) != tenant)
		apart = true;
}

/* The tenant whose a thread is as it is created. */
static __always_inline __u32 born_to(struct task_struct *child)
{
	__u32 tenant = tenant_of(child);

	if (tenant != NOBODY)
		note_apart(child, tenant);
	return tenant;
}

/* Has a followed thread be a tenant's, or nobody's, once it has stopped. It returns whether that is a change. */
static __always_inline bool hand(struct task_struct *task, struct thread *t, __u16 to)
{
	if (to_be(t) == to)
		return false;
	t->next = to;
	if (t->left == LEAVING)
		return true;
	/* Before: on another CPU it may stop as soon as it leaves, and its last switch is to come after its exit. */
	tell(RECORD_EXIT, t->tenant, t->tid, NO_THREAD);
	barrier();
	if (t->left == LEFT_NOT) /* else it has left meanwhile, handed over by another CPU */
		t->left = LEAVING;
	return true;
}

/*
 * Has a thread be whose it is by its cgroup now. One of a tree of processes stays what it is: the tree is named by a
 * process, which is the narrower name. So does one that is exiting, or has ended. It returns whether that is a change.
 */
static __always_inline bool settle(struct task_struct *task)
{
	struct thread *t = storage(task);
	__u32 tenant;

	if (t && (t->seed || (t->left != LEFT && (t->tree || t->exiting || t->over))))
		return false;
	tenant = tenant_of(task);
	if (is_followed(t))
		return hand(task, t, tenant);
	if (tenant != NOBODY)
		note_apart(task, tenant);
	return tenant != NOBODY && follow(task, tenant, false, OFF_UNKNOWN, ~0ULL);
}

/*
 * Whether a process's other threads may be another's than they were, where its first thread is not, which was moved with
 * them. They were in its cgroup unless one was seen apart, and a walk may have met some of them and not the first. Where
 * the first has ended it stays where it was. For everybody else's moves user space does nothing.
 */
static __always_inline bool others_may(struct cgroup *to, struct task_struct *first)
{
	struct thread *t = followed(first);

	if (first->signal->nr_threads <= 1)
		return false;
	if (apart || walks)
		return true;
	if (t)
		return !t->tree && first->flags & PF_EXITING;
	return first->tgid != own_tgid && tenant_above(to) != NOBODY;
}

/*
 * When a whole process is moved, task is its first thread. User space looks for the others (settle_all), and makes CPUs
 * switch, without which a thread that keeps its CPU is not found. A move in a hierarchy of version 1 is none here.
 */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_move, struct cgroup *to, const char *path, struct task_struct *task, bool process)
{
	bool changed;

	if (!by_cgroup || to->root != task->cgroups->dfl_cgrp->root)
		return 0;
	changed = settle(task);
	if (changed && !process)
		apart = true;
	if (!changed && !(process && others_may(to, task)))
		return 0;
	__sync_fetch_and_add(&moves, 1);
	if (!moves_told) {
		moves_told = 1;
		bell();
	}
	return 0;
}

/*
 * A cgroup that was removed has no thread, and never will: its entry makes room for another one. In another hierarchy a
 * cgroup can have the same number.
 */
SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(on_removal, struct cgroup *gone, const char *path)
{
	__u64 id;

	if (!by_cgroup || gone->root != bpf_get_current_task_btf()->cgroups->dfl_cgrp->root)
		return 0;
	id = gone->kn->id;
	bpf_map_delete_elem(&tenants, &id);
	return 0;
}

/* Has a thread of a tree of processes be whose it is by its cgroup. The process's first one can stay, as one that exits does. */
static __always_inline void uproot(struct task_struct *task, struct thread *t)
{
	struct thread *first = followed_leader(task);

	t->tree = false;
	hand(task, t, tenant_of(task));
	if (first && first->tree)
		apart = true;
}

/*
 * Uproots a thread that has another user's rights by now than its tenant's tree may have. A program that is executed is seen
 * at once (on_exec), a system call that gives rights is not.
 */
static __always_inline bool expel(struct task_struct *task, struct thread *t)
{
	if (!many || !is_followed(t) || !t->tree || t->exiting || t->over || !stranger(task, to_be(t)))
		return false;
	uproot(task, t);
	return true;
}

SEC("iter/task")
int settle_all(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *t;

	if (!task || !by_cgroup)
		return 0;
	t = storage(task);
	if (expel(task, t))
		return 0;
	if (felled && is_followed(t) && t->tree && to_be(t) == felled && !t->exiting && !t->over) {
		felled_threads++;
		uproot(task, t);
		return 0;
	}
	settle(task);
	return 0;
}

#endif
