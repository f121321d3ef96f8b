/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * The data that the BPF programs pass to user space: records of the ring buffer and lines of the task iterator.
 * decode.go reads the same layout; a test compares the two.
 */
#ifndef EBB_EVENTS_H
#define EBB_EVENTS_H

#include <linux/types.h>

/* The most counters a CPU can have; epochs.MaxCounters. */
#define MAX_COUNTERS 6

/* No thread of the target; epochs.NoThread. */
#define NO_THREAD (-1)

/* The tenants have the numbers from 1 up to this one; 0 is the tenant where there is only one. MaxTenants in Go. */
#define MAX_TENANTS 4096

/*
 * The unit of a record's charged, up to CHARGED_FINE of them. Each that a record has beyond stands for CHARGED_COARSE:
 * while the kernel works for somebody on a CPU, a thread that was woken there can wait for milliseconds.
 */
#define CHARGED_NS 64
#define CHARGED_FINE 0x4000
#define CHARGED_COARSE 256

enum record_kind {
	RECORD_SWITCH = 1, /* a context switch from, to or between threads of the target */
	RECORD_SLICE,      /* a thread's slice was closed; it runs on */
	RECORD_FORK,
	RECORD_EXEC,
	RECORD_EXIT,
	RECORD_TOTALS, /* a thread's last switch: what it did in all */
	RECORD_PHASE,  /* the runtime's garbage collector begins or ends its work */
};

/* The numbers of epochs.Cause. */
enum cause {
	CAUSE_NONE = 0,
	CAUSE_WOKEN,
	CAUSE_STARTED,
	CAUSE_RESUMED,
	CAUSE_SEEN,
	CAUSE_FUTEX_SLEEP,
	CAUSE_OTHER_SLEEP,
	CAUSE_PREEMPTED,
	CAUSE_EXITED,
	CAUSE_COLLECTION_BEGINS,
	CAUSE_COLLECTION_ENDS,
	CAUSE_THROTTLED,
};

/* Every record begins with it. */
struct record {
	__u64 at; /* CLOCK_MONOTONIC, ns */
	__u8 kind;
	__u8 off;      /* RECORD_SWITCH: why prev stopped */
	__u8 on;       /* RECORD_SWITCH: why next runs; RECORD_PHASE: which phase begins */
	__u8 counters; /* how many follow a RECORD_SWITCH or RECORD_SLICE */
	__u16 cpu;
	union {
		__u16 tenant;  /* whose the thread is */
		__s16 charged; /* RECORD_SWITCH: how long before its slice the scheduler began to charge prev */
	};
};

/* prev and next are NO_THREAD where no thread of the target is concerned. */
struct switch_record {
	struct record r;
	__s32 prev;
	__s32 next;
	__s32 waker;
	__u16 prev_tenant;
	__u16 next_tenant;
	__u64 from;     /* when prev's slice began */
	__u64 woken_at; /* when next was woken; 0: not known */
	/* __u64 counters[r.counters]: what they advanced since from */
};

struct slice_record {
	struct record r;
	__s32 tid;
	__u32 unused;
	__u64 from;
	/* __u64 counters[r.counters] */
};

/* RECORD_FORK (by: the creator), RECORD_EXEC (by: the id before), RECORD_EXIT, RECORD_PHASE. */
struct thread_record {
	struct record r;
	__s32 tid;
	__s32 by;
};

struct totals {
	__s32 tid;
	__s32 tgid;
	char comm[16];
	__u64 started_at;      /* when it was created, or attached to */
	__u64 kernel_run;      /* ns since started_at, by the scheduler's account */
	__u64 kernel_switches; /* since started_at, by the scheduler's account, less the last one of a dead thread */
	__u64 run;             /* ns that were traced */
	__u64 switches;        /* that were traced, less the last one of a dead thread */
	__u64 futex_sleeps;    /* that were traced */
	__u64 created_at;      /* by the kernel's account */
	__s32 inner_tid;       /* in its own PID namespace; 0: that is the first one, or not known */
	__s32 unused;
};

struct totals_record {
	struct record r;
	struct totals totals;
};

/* Every way in which the programs can lose or spoil something. drops.go has the same order. */
enum drop {
	DROP_RING_FULL,        /* a record found no room in the ring */
	DROP_NO_STORAGE,       /* no memory for a new thread's state: it is not traced */
	DROP_COUNTER_READ,     /* a counter could not be read: its delta is 0 */
	DROP_COUNTER_STOPPED,  /* a counter did not count for the whole of a slice: its delta is too small */
	DROP_TIMER_START,      /* a CPU's timer could not be armed: a slice grows too long, a quantum's end is not announced */
	DROP_TIMER_MOVED,      /* a CPU's timer fired on another CPU, as when its own went offline */
	DROP_SWITCH_UNTOLD,    /* the kernel did not tell of a switch to a thread: its start is taken from the scheduler's account */
	DROP_STATE_LATE,       /* a thread's state was read where sched_switch reports none, and another CPU woke it already */
	DROPS
};

#endif
