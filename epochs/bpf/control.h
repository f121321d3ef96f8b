/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* Programs that user space runs: to begin, and to ask. */
#ifndef EBB_CONTROL_H
#define EBB_CONTROL_H

#include "launch.h"

/* Makes the calling thread a seed. */
SEC("syscall")
int seed(void *ctx)
{
	struct thread *t = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t)
		return 1;
	t->seed = t->tree = true;
	return 0;
}

SEC("syscall")
int unseed(void *ctx)
{
	return bpf_task_storage_delete(&threads, bpf_get_current_task_btf()) != 0;
}

/* Makes the next processes of the calling thread launchers. */
SEC("syscall")
int seed_launcher(void *ctx)
{
	return !launches(bpf_get_current_task_btf(), MAKES_LAUNCHERS);
}

SEC("syscall")
int unseed_launcher(void *ctx)
{
	return bpf_task_storage_delete(&launchers, bpf_get_current_task_btf()) != 0;
}

enum init { INIT_NOT_RUN, INIT_DONE, INIT_REFUSED, INIT_FLAGS };

#define EBUSY 16

/* User space tries again where there was no memory: a timer may be there from the time before. */
static __always_inline bool refused(long error)
{
	if (!error || error == -EBUSY)
		return false;
	init_error = error;
	return true;
}

static __always_inline enum init init_timer(struct cpu *c)
{
	if (refused(bpf_timer_init(&c->timer, &cpus, CLOCK_MONOTONIC)) ||
	    refused(bpf_timer_set_callback(&c->timer, on_timer)))
		return INIT_REFUSED;
	/* Once armed, to learn whether the kernel knows the flags. */
	if (start_timer(&c->timer, ~0ULL >> 2))
		return INIT_FLAGS;
	bpf_timer_cancel(&c->timer);
	bpf_timer_set_callback(&c->timer, on_timer); /* the cancelling removed it */
	return INIT_NOT_RUN;
}

static __always_inline long init_stall(void)
{
	__u32 key = 0;
	struct stall *s = bpf_map_lookup_elem(&stalls, &key);

	return !s || refused(bpf_timer_init(&s->timer, &stalls, CLOCK_MONOTONIC)) ||
	       refused(bpf_timer_set_callback(&s->timer, on_stall));
}

/*
 * Prepares the timer for a reader that stalls, and for each task that it is called for another CPU's. It is an iterator
 * over tasks for the sake of its type only: a program that user space can run at once, and that may have a callback which
 * reads counters. User space runs it until there is an answer. A loop over the CPUs would have the verifier go through the
 * callback for each of them.
 */
SEC("iter/task")
int init_timers(struct bpf_iter__task *ctx)
{
	__u32 cpu = init_cpu;
	struct cpu *c;

	if (init_answer != INIT_NOT_RUN)
		return 0;
	if (!timers) {
		init_answer = INIT_DONE;
		return 0;
	}
	if (!cpu && init_stall()) {
		init_answer = INIT_REFUSED;
		return 0;
	}
	c = bpf_map_lookup_elem(&cpus, &cpu);
	init_answer = c ? init_timer(c) : INIT_DONE;
	init_cpu = cpu + 1;
	return 0;
}

/* Whether a thread is, or is about to be, of a tenant's tree of processes. */
static __always_inline bool of_tree(struct task_struct *task, __u16 tenant)
{
	struct thread *t = followed(task);

	return t && t->tree && to_be(t) == tenant;
}

/* Whether a thread is another tenant's than attach_tenant, which does not take it. */
static __always_inline bool of_other(const struct thread *t)
{
	__u16 tenant;

	if (!is_followed(t) || !(t->tree || attach_owned))
		return false;
	tenant = to_be(t);
	return tenant != NOBODY && tenant != (__u16)attach_tenant;
}

/*
 * Follows the threads of process attach_tgid and of its descendants, as those of attach_tenant. Threads in its cgroup are
 * taken over, unless attach_owned; those of another tree of processes, and another user's, stay what they are.
 */
SEC("iter/task")
int attach(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task, *parent;
	struct thread *t;

	if (!task)
		return 0;
	t = storage(task);
	expel(task, t);
	if (own_process(task) == attach_tgid) {
		attach_found++;
		if (task->flags & PF_KTHREAD) {
			attach_kernel = 1;
			return 0;
		}
		if (of_other(t) || stranger(task, attach_tenant)) {
			attach_other++;
			return 0;
		}
	} else {
		parent = task->real_parent;
		if (!parent || !of_tree(parent, attach_tenant) || of_other(t) || stranger(task, attach_tenant))
			return 0;
	}
	if (is_followed(t)) {
		if (!t->tree && !t->exiting && !t->over) {
			/* A child that it forks meanwhile is found by the next walk. */
			hand(task, t, attach_tenant);
			t->tree = true;
			attach_added++;
		}
		return 0;
	}
	if (t && t->seed)
		return 0;
	if (follow(task, attach_tenant, true, OFF_UNKNOWN, ~0ULL))
		attach_added++;
	return 0;
}

/* Writes a struct totals_record for each followed thread that lives. */
SEC("iter/task")
int dump(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct totals_record out = {};
	struct thread *t;

	if (!task)
		return 0;
	t = followed(task);
	if (!t || t->over)
		return 0;
	head(&out.r, 0, RECORD_TOTALS, t->tenant);
	totals(&out.totals, task, t);
	bpf_seq_write(ctx->meta->seq, &out, sizeof out);
	return 0;
}

#endif
