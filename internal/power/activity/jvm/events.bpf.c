//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Counts events of Java machines in threads of the target, and wakes nobody: user space reads the entries when a window
 * ends.
 *
 * The time in an event is a sum of signed stamps, as in activity.bpf.c: a begin subtracts its stamp, an end adds it. The
 * low bits of the sum say how many are open, modulo 2^STAMP_BITS, in the same atomic step; the counts beside it say
 * which multiple.
 *
 * The map of followed threads is the tracer's (epochs/bpf/thread.h), put in by the loader. Without a tracer these
 * programs keep one themselves: a launching thread is a seed, and what it creates is followed.
 */
#include "../../../../epochs/bpf/thread.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define STAMP_BITS 14
#define MAX_STARTED 256 /* processes that began a program since the last look */

struct task_struct {
	int tgid;
} __attribute__((preserve_access_index));

struct count {
	__u64 begun;
	__u64 ended;
	__u64 stamps;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* the loader's */
	__type(key, __u32);
	__type(value, struct count);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_STARTED);
	__type(key, __u32); /* process */
	__type(value, __u32);
} started SEC(".maps");

__u64 unnoticed; /* processes for which started had no room */

static __always_inline bool in_target(void)
{
	return is_followed(bpf_task_storage_get(&threads, (void *)bpf_get_current_task_btf(), 0, 0));
}

/* What a probe says of its event, in the lowest bits of the cookie; the higher ones have the event's number. */
enum side { BEGINS, ENDS, MOMENT };

SEC("uprobe.multi")
int on_probe(void *ctx)
{
	__u64 cookie, stamp;
	struct count *c;
	__u32 event;

	if (!in_target())
		return 0;
	cookie = bpf_get_attach_cookie(ctx);
	event = cookie >> 2;
	c = bpf_map_lookup_elem(&counts, &event);
	if (!c)
		return 0;
	stamp = bpf_ktime_get_ns() << STAMP_BITS | 1;
	/* Atomic: another thread may run on this CPU in between. */
	switch (cookie & 3) {
	case BEGINS:
		__sync_fetch_and_add(&c->begun, 1);
		__sync_fetch_and_add(&c->stamps, -stamp);
		break;
	case ENDS:
		__sync_fetch_and_add(&c->ended, 1);
		__sync_fetch_and_add(&c->stamps, stamp);
		break;
	default: /* it is never open */
		__sync_fetch_and_add(&c->begun, 1);
		__sync_fetch_and_add(&c->ended, 1);
	}
	return 0;
}

/* A program that was started may have a JVM, or get one later. */
SEC("tp_btf/sched_process_exec")
int on_exec(void *ctx)
{
	__u32 process = bpf_get_current_pid_tgid() >> 32, one = 1;

	if (in_target() && bpf_map_update_elem(&started, &process, &one, BPF_ANY))
		__sync_fetch_and_add(&unnoticed, 1);
	return 0;
}

static __always_inline struct thread *storage(struct task_struct *task)
{
	return bpf_task_storage_get(&threads, (void *)task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* Makes the calling thread a seed. It answers 1 if there is no memory. */
SEC("syscall")
int seed(void *ctx)
{
	struct thread *t = storage(bpf_get_current_task_btf());

	if (!t)
		return 1;
	t->seed = true;
	return 0;
}

SEC("syscall")
int unseed(void *ctx)
{
	bpf_task_storage_delete(&threads, (void *)bpf_get_current_task_btf());
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct thread *p = bpf_task_storage_get(&threads, (void *)parent, 0, 0);

	/* A seed's own threads are not its target. */
	if (p && !(p->seed && parent->tgid == child->tgid))
		storage(child);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
