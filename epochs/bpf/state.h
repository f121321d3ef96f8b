/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* The programs' state: their configuration, the threads and CPUs, and the maps shared with user space. */
#ifndef EBB_STATE_H
#define EBB_STATE_H

#include "events.h"
#include "kernel.h"
#include "names.h"
#include "thread.h"

/* Set by the loader. */
const volatile __u64 quantum_ns;
const volatile __u64 slice_ns;
const volatile __u32 hold_off; /* only the first quantum of each hold_off is traced */
const volatile __u32 counters; /* per CPU, at most MAX_COUNTERS */
const volatile __u64 ring_high; /* bytes in the ring at which the reader is rung */
const volatile __u64 timer_flags; /* BPF_F_TIMER_ABS and BPF_F_TIMER_CPU_PIN, where the kernel knows them */
const volatile __u32 by_cgroup;   /* threads are followed by their cgroups as well (cgroup.h); 0: only trees of processes are */
const volatile __u32 many;        /* there may be several tenants */
const volatile __u32 rests;        /* the reader may rest: see rest.h */
const volatile __u64 births_ns;    /* for so long after the birth of a process no quantum's end is silent; 0: it does not matter */
const volatile __u32 instructions_at; /* the places of these counters; MAX_COUNTERS for one that is not counted */
const volatile __u32 requests_at;
const volatile __s32 own_tgid;    /* ebb's: never of a cgroup's target */
/* Ways of doing without what a kernel has not: see ways.go. */
const volatile __u32 reports_state; /* sched_switch reports the state that a thread leaves in */
const volatile __u32 timers;        /* BPF has timers; 0: user space runs on_tick in their place */
const volatile __u32 loop_cpus;     /* so many CPUs are walked by a bounded loop; 0: by bpf_loop */

/* A followed thread's last event. */
enum off_state {
	OFF_UNKNOWN = 0, /* it was attached to, or the last window had not seen it stop */
	OFF_NEW,         /* nothing yet */
	OFF_FUTEX,
	OFF_OTHER,
	OFF_PREEMPTED,
	OFF_NOT,         /* it runs */
};

/* Slices for which a CPU's timer goes on when no followed thread runs there any more. */
#define LINGER 4

/*
 * A CPU from which followed threads were away for so long may sleep deeply when they leave it again. Its timer is put off,
 * for so long that it hardly fires.
 */
#define LONG_AWAY 1000000ULL
#define PUT_OFF 1000000000ULL

/* The longest time between two ticks of the scheduler on most kernels (HZ is 250 or more). */
#define TICK_NS 4000000ULL

struct reading {
	__u64 count;
	__u64 enabled;
	__u64 running;
};

/* What followed threads did, in closed slices. */
struct work {
	__u64 run;
	__u64 counted; /* the part of run that the counters are of */
	__u64 switches;
	__u64 instructions;
	__u64 requests;
};

struct cpu {
	struct bpf_timer timer;
	struct work work;  /* here */
	__u64 from;        /* when the open slice of the followed thread that runs here began; 0: there is none */
	__u64 left;        /* when the last followed thread left the CPU to another one */
	__u64 away;        /* for how long no followed thread ran here, before the last one came */
	__u64 quantum_end; /* the reader is rung when the timer fires past it */
	__u64 window;      /* the number of the last window opened here, from 1; 0 without hold-off */
	__u64 window_end;
	bool armed;
	__u64 own_from;    /* when ebb began to run here; 0: it does not, or that is not known */
	__u64 runs;        /* of the programs on_switch and on_waking for threads of the target, since one was timed */
	bool own_displaces; /* it runs in the place of a thread of the target */
	bool open;         /* with hold-off: in a window, as far as this CPU has noticed */
	struct reading base[MAX_COUNTERS]; /* at from */
};

/* Sizes are set by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

/* A map for each counter, as the loader's library allows such a map no more entries than there are CPUs. */
struct counter_map {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} counter0 SEC(".maps"), counter1 SEC(".maps"), counter2 SEC(".maps"), counter3 SEC(".maps"), counter4 SEC(".maps"),
	counter5 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 23);
} ring SEC(".maps");

/* Read by user space through its mapping. */
__u64 drops[DROPS];

/*
 * How often the reader was rung. It counts after the record and before the bell sounds, so that a reader that has read the
 * number and then the ring needs no bell up to that number.
 */
__u64 bells;

/* Written by user space: the last of the bells that the reader has heard, and after what time without hearing it has
 * stalled; 0: that is not watched. */
__u64 heard;
__u64 stall_ns;

/* The end of a quantum for which the reader was rung last, to ring for one that an idle target missed. */
__u64 rung_for;

/* The number of the window that is open; 0 when off. Without hold-off it is not used. */
__u64 open_window;

/* Of the program init_timers: the next CPU; out of it, an enum init, and the error of a helper that refused. */
__u32 init_cpu;
__u32 init_answer;
__s32 init_error;

/* What ebb costs the target; see overhead.go. */
__u64 displaced_ns;
__u64 traced_ns;
__u64 timer_runs;

/* How often threads were moved into or out of tenants' cgroups. One walk over all threads serves all tenants. */
__u64 moves;

/* The reader was rung for a move. User space clears it before it reads their number: one bell serves all until then. */
__u32 moves_told;

/* Written by user space: how many walks there are now that look whose threads are. */
__u64 walks;

/* A thread has been another's than its process's first thread by its cgroup, since the programs were loaded. */
bool apart;

/*
 * Threads that are exiting, by tenant. A parent may know of the end of a process before its last thread has switched.
 */
__u64 exiting[MAX_TENANTS + 1];

/* Input and output of the program attach: the process, whose it is to be, and what it found. */
__s32 attach_tgid;
__u32 attach_tenant;
__u32 attach_other;   /* threads of it that are in the tree of another tenant */
__u32 attach_found;   /* threads of it */
__u32 attach_kernel;  /* it is a kernel thread */
__u32 attach_added;   /* threads that were not followed before */

__u32 attach_owned;   /* it is taken from no other tenant, neither by its cgroup */

/* The tenant whose tree of processes the program settle_all ends, 0 for none, and how many threads of it there were. */
__u32 felled;
__u32 felled_threads;

/*
 * Whose processes a tenant's tree may have, by tenant: a user's number and 1; 0: anybody's. A tree that was asked for by a
 * user has none of another's: neither a program with its owner's rights nor what that starts.
 */
__u64 users[MAX_TENANTS + 1];

#define barrier() asm volatile("" ::: "memory")

static __always_inline void dropped(enum drop how)
{
	__sync_fetch_and_add(&drops[how], 1);
}

static __noinline void lost(enum drop how); /* bell.h */

/* The pointer in the task distinguishes nearly all other threads from ours without the cost of a helper. */
static __always_inline struct thread *storage(struct task_struct *task)
{
	if (!look_at(task)->bpf_storage)
		return 0;
	return bpf_task_storage_get(&threads, task, 0, 0);
}

static __always_inline struct thread *followed(struct task_struct *task)
{
	struct thread *t = storage(task);

	return is_followed(t) ? t : 0;
}

/*
 * The storage of the first thread of a process, whose threads have it in a pointer. Of a pointer that was read through
 * look_at no storage can be asked for, and nearly all have none: then the process is not looked for.
 */
static __always_inline struct thread *followed_process(struct task_struct *first)
{
	struct task_struct *task;
	struct thread *t;

	if (!first || !first->bpf_storage)
		return 0;
	task = bpf_task_from_pid(first->pid);
	if (!task)
		return 0;
	t = followed(task);
	bpf_task_release(task);
	return t;
}

/*
 * The storage of the process in whose memory a kernel thread works; 0 unless that process is followed. Before Linux 6.4
 * vhost's threads are such ones.
 */
static __always_inline struct thread *borrowed(struct task_struct *kthread)
{
	struct mm_struct *mm = 0;
	struct task_struct *owner;

	if (!bpf_core_field_exists(mm->owner))
		return 0;
	if (bpf_rdonly_cast && bpf_task_from_pid) {
		mm = look_at(kthread)->mm;
		return mm ? followed_process(mm->owner) : 0;
	}
	mm = kthread->mm;
	if (!mm)
		return 0;
	owner = mm->owner;
	return owner ? followed(owner) : 0;
}

/* The storage of the first thread of a thread's process. */
static __always_inline struct thread *followed_leader(struct task_struct *task)
{
	if (bpf_rdonly_cast && bpf_task_from_pid)
		return followed_process(look_at(task)->group_leader);
	return followed(task->group_leader);
}

/* Whose a followed thread is, or is about to be: it may have to stop first. */
static __always_inline __u16 to_be(const struct thread *t)
{
	return t->left == LEAVING ? t->next : t->tenant;
}

/* Whether a thread is another user's than a tenant's tree of processes may have. Root may have anybody's. */
static __always_inline bool stranger(struct task_struct *task, __u16 tenant)
{
	const struct cred *cred = look_at(task)->real_cred; /* not one that it works with for a moment */
	__u64 user = tenant <= MAX_TENANTS ? users[tenant] : 0;

	if (user <= 1)
		return false;
	return cred->uid.val + 1ULL != user || cred->euid.val + 1ULL != user || cred->suid.val + 1ULL != user;
}

/* Begins a thread's stay with a tenant. */
static __always_inline void stay(struct task_struct *task, struct thread *t, __u16 tenant)
{
	t->tenant = tenant;
	t->run = t->switches = t->futex_sleeps = 0;
	t->run_came = FOUND;
	t->waker = NO_THREAD;
	t->started_at = bpf_ktime_get_ns();
	t->stopped_at = t->run_before = task->se.sum_exec_runtime;
	t->switches_before = task->nvcsw + task->nivcsw;
	barrier();
	t->left = LEFT_NOT;
}

static __always_inline struct thread *follow(struct task_struct *task, __u16 tenant, bool tree, enum off_state off,
					     __u64 window)
{
	struct thread *t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t) {
		/* Of two CPUs that follow a thread at one time the kernel refuses the second. */
		if (!storage(task))
			lost(DROP_NO_STORAGE);
		return 0;
	}
	/* It may have been followed before. */
	t->seed = false;
	t->tree = tree;
	t->over = false;
	t->wake_at = 0;
	t->off = off;
	t->window = window;
	stay(task, t, tenant);
	t->off_at = t->started_at;
	t->inner_tid = inner_id(task);
	t->tid = task->pid;
	remember(task);
	return t;
}

#define TIMER_ABS 1 /* BPF_F_TIMER_ABS in linux/bpf.h, Linux 6.4 */
#define TIMER_PINNED 2 /* BPF_F_TIMER_CPU_PIN, Linux 6.7 */

/*
 * Starts a timer for a time of the clock. Where the kernel takes only what is left until then, the clock goes on a little
 * before the kernel adds it: the timer then fires that much later, and never early.
 */
static __always_inline long start_timer(struct bpf_timer *timer, __u64 at)
{
	__u64 now;

	if (timer_flags & TIMER_ABS)
		return bpf_timer_start(timer, at, timer_flags);
	now = bpf_ktime_get_ns();
	return bpf_timer_start(timer, at > now ? at - now : 0, timer_flags);
}

static __always_inline struct cpu *this_cpu(void)
{
	__u32 key = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &key);
}

static __always_inline void head(struct record *r, __u64 at, enum record_kind kind, __u16 tenant)
{
	r->at = at;
	r->kind = kind;
	r->off = 0;
	r->on = 0;
	r->counters = 0;
	r->cpu = bpf_get_smp_processor_id();
	r->tenant = tenant;
}

static __always_inline void totals(struct totals *out, struct task_struct *task, struct thread *t)
{
	out->tid = t->tid;
	out->tgid = task->tgid;
	__builtin_memcpy(out->comm, task->comm, sizeof out->comm);
	out->started_at = t->started_at;
	out->kernel_run = task->se.sum_exec_runtime - t->run_before;
	out->kernel_switches = task->nvcsw + task->nivcsw - t->switches_before;
	out->run = t->run;
	out->switches = t->switches;
	out->futex_sleeps = t->futex_sleeps;
	out->created_at = task->start_time;
	out->inner_tid = t->inner_tid;
}

#endif
