/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * The state of a followed thread in the kernel. The tracer (epochs.bpf.c) makes the map and writes it. The programs that
 * sample stacks (stacks) and count bytes (network) only read it: their loaders put the tracer's map in place of theirs.
 */
#ifndef EBB_THREAD_H
#define EBB_THREAD_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* A moved thread is released when it next stops or runs, as another CPU may be at work on it during the move. */
enum left { LEFT_NOT = 0, LEAVING, LEFT };

/* In the place of a thread's run when it came to its CPU. */
#define FOUND (~0ULL)

/* No tenant. */
#define NOBODY 0xffff

/* The first 56 bytes share a cache line: all that a switch to the thread needs. */
struct thread {
	__u64 wake_at; /* of the last waking that no switch has consumed; 0: none */
	__s32 waker;
	__u8 off;
	bool seed;     /* not followed itself; its children are */
	__u8 left;     /* its tenant: an enum left */
	bool exiting;  /* it has reported its end, and switches for the last time yet */
	__u16 tenant;  /* whose it is */
	__u16 next;    /* LEAVING: whose it is then, or NOBODY */
	bool over;     /* it has switched for the last time; its process may not know yet */
	bool tree;     /* it is followed as one of a tree of processes, whatever its cgroup is */
	__u64 window;  /* of off */
	__u64 run;      /* that its records have, charged time in the place of traced time */
	__u64 run_came; /* of run, when it came to the CPU that it has; FOUND: its coming was not seen */
	__u64 stopped_at; /* by the scheduler's account of its run time: what it had run when it stopped last, or came */
	__u64 switches;
	__u64 off_at;     /* when it stopped last */
	__u64 futex_sleeps;
	__u64 started_at;
	/* The scheduler's counts at started_at. */
	__u64 run_before;
	__u64 switches_before;
	__s32 inner_tid; /* in its own PID namespace (names.h) */
	__s32 tid;       /* by which its records call it */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

/* Whether a thread with this storage, 0 for none, is followed itself and has not left. */
static __always_inline bool is_followed(const struct thread *t)
{
	return t && !t->seed && t->left != LEFT;
}

#endif
