//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Traces the scheduling of one tree of processes.
 *
 * A thread is followed if it has a task-local storage (map threads); a child of a followed thread gets one at fork.
 * One ring-buffer record is written for each context switch that concerns a followed thread, whatever it says: who
 * stopped and why, what the CPU's counters advanced, who runs and why, and who woke it.
 *
 * No program hooks a system call, so a target that does not sleep pays nothing: a voluntary switch whose saved
 * registers carry the number of a futex call is a futex sleep.
 *
 * Each CPU has a timer, armed while a followed thread runs there and only then. It closes slices and rings the
 * reader at the end of each quantum; an idle target costs no wake-up.
 *
 * A record's time is taken after its place in the ring: whoever reads the clock, then the ring's end, and then reads
 * up to that end, has every record up to that time.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <stdbool.h>

#include "events.h"

/* The kernel's types, as far as they are used. The loader relocates the accesses. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct bpf_local_storage;
struct linux_binprm;
struct pt_regs {
	unsigned long orig_ax;
};
struct sched_entity {
	__u64 sum_exec_runtime;
};
struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	char comm[16];
	unsigned long nvcsw;
	unsigned long nivcsw;
	struct sched_entity se;
	struct task_struct *real_parent;
	struct bpf_local_storage *bpf_storage;
};
struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 seq_num;
};
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
#pragma clang attribute pop

#define TASK_DEAD 0x80       /* include/linux/sched.h */
#define PF_KTHREAD 0x200000  /* include/linux/sched.h */
#define CLOCK_MONOTONIC 1

/* System calls, x86-64. */
enum {
	NR_EXIT = 60,
	NR_FUTEX = 202,
	NR_EXIT_GROUP = 231,
	NR_FUTEX_WAITV = 449,
	NR_FUTEX_WAKE = 454,
	NR_FUTEX_WAIT = 455,
	NR_FUTEX_REQUEUE = 456,
};

/* Set by the loader. */
const volatile __u64 quantum_ns;
const volatile __u64 slice_ns;
const volatile __u32 hold_off; /* only the first quantum of each hold_off is traced */
const volatile __u32 counters; /* per CPU, at most MAX_COUNTERS */
const volatile __u64 ring_high; /* bytes in the ring at which the reader is rung */
const volatile __u64 timer_flags; /* BPF_F_TIMER_ABS, and BPF_F_TIMER_CPU_PIN where the kernel knows it */

/* What a followed thread did last. */
enum off_state {
	OFF_UNKNOWN = 0, /* it was attached to, or the last window had not seen it stop */
	OFF_NEW,         /* nothing yet */
	OFF_FUTEX,
	OFF_OTHER,
	OFF_PREEMPTED,
	OFF_NOT,         /* it runs */
};

struct thread {
	__u64 wake_at; /* of the last waking that no switch has consumed; 0: none */
	__s32 waker;
	__u8 off;
	bool seed;     /* not followed itself; its children are */
	__u16 unused;
	__u64 window;  /* of off */
	__u64 run;
	__u64 switches;
	__u64 futex_sleeps;
	__u64 off_at;      /* when it stopped last */
	__u64 stopped_at;  /* by the scheduler's account of its run time: what it had run when it stopped last */
	__u64 started_at;
	/* The scheduler's counts at started_at. */
	__u64 run_before;
	__u64 switches_before;
};

struct reading {
	__u64 count;
	__u64 enabled;
	__u64 running;
};

struct cpu {
	struct bpf_timer timer;
	__u64 from;        /* when the open slice of the followed thread that runs here began; 0: there is none */
	__u64 left;        /* when the last followed thread left the CPU to another one */
	__u64 quantum_end; /* the reader is rung when the timer fires past it */
	__u64 window;      /* the number of the last window opened here, from 1; 0 without hold-off */
	__u64 window_end;
	bool armed;
	bool open;         /* with hold-off: in a window, as far as this CPU has noticed */
	struct reading base[MAX_COUNTERS]; /* at from */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

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
 * How often the reader was rung. It counts before the bell sounds, so that a reader that has read the number and then
 * the ring needs no bell up to that number.
 */
__u64 bells;

/* The end of a quantum for which the reader was rung last, to ring for one that an idle target missed. */
__u64 rung_for;

/* The number of the window that is open; 0 when off. Without hold-off it is not used. */
__u64 open_window;

/* Out of the program init_timers: an enum init. */
__u32 init_answer;

/* In and out of the program attach: which process, and what was found of it. */
__s32 attach_tgid;
__u32 attach_found;   /* threads of it */
__u32 attach_kernel;  /* it is a kernel thread */
__u32 attach_added;   /* threads that were not followed before */

static __always_inline void dropped(enum drop how)
{
	__sync_fetch_and_add(&drops[how], 1);
}

/* The pointer in the task tells nearly all threads of others from ours without the cost of a helper. */
static __always_inline struct thread *storage(struct task_struct *task)
{
	if (!task->bpf_storage)
		return 0;
	return bpf_task_storage_get(&threads, task, 0, 0);
}

static __always_inline struct thread *followed(struct task_struct *task)
{
	struct thread *t = storage(task);

	return t && !t->seed ? t : 0;
}

static __always_inline struct thread *follow(struct task_struct *task, enum off_state off, __u64 window)
{
	struct thread *t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t) {
		dropped(DROP_NO_STORAGE);
		return 0;
	}
	t->off = off;
	t->window = window;
	t->waker = NO_THREAD;
	t->off_at = t->started_at = bpf_ktime_get_ns();
	t->stopped_at = t->run_before = task->se.sum_exec_runtime;
	t->switches_before = task->nvcsw + task->nivcsw;
	return t;
}

static __always_inline struct cpu *this_cpu(void)
{
	__u32 key = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &key);
}

static __always_inline void head(struct record *r, __u64 at, enum record_kind kind)
{
	r->at = at;
	r->kind = kind;
	r->off = 0;
	r->on = 0;
	r->counters = 0;
	r->cpu = bpf_get_smp_processor_id();
	r->unused = 0;
}

static __always_inline __u64 bell(void)
{
	__sync_fetch_and_add(&bells, 1);
	return BPF_RB_FORCE_WAKEUP;
}

/* The flags of a timer's record. The fill of the ring is looked at here, and not at each switch, for its cost. */
static __always_inline __u64 bell_at(__u64 now, __u64 quantum_end)
{
	if (now >= quantum_end || bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= ring_high)
		return bell();
	return BPF_RB_NO_WAKEUP;
}

/* --- counters --- */

/*
 * Reads a counter, writes what it advanced since the slice began to *delta (when it is not null) and makes the reading
 * the base of the next slice.
 */
static __always_inline void count(void *map, struct reading *base, __u64 *delta)
{
	struct bpf_perf_event_value v = {};

	if (bpf_perf_event_read_value(map, BPF_F_CURRENT_CPU, &v, sizeof v)) {
		dropped(DROP_COUNTER_READ);
		if (delta)
			*delta = 0;
		return;
	}
	if (delta) {
		*delta = v.counter - base->count;
		if (v.running - base->running != v.enabled - base->enabled)
			dropped(DROP_COUNTER_STOPPED);
	}
	base->count = v.counter;
	base->enabled = v.enabled;
	base->running = v.running;
}

static __always_inline void count_all(struct cpu *c, __u64 *deltas)
{
	if (counters > 0)
		count(&counter0, &c->base[0], deltas ? deltas + 0 : 0);
	if (counters > 1)
		count(&counter1, &c->base[1], deltas ? deltas + 1 : 0);
	if (counters > 2)
		count(&counter2, &c->base[2], deltas ? deltas + 2 : 0);
	if (counters > 3)
		count(&counter3, &c->base[3], deltas ? deltas + 3 : 0);
	if (counters > 4)
		count(&counter4, &c->base[4], deltas ? deltas + 4 : 0);
	if (counters > 5)
		count(&counter5, &c->base[5], deltas ? deltas + 5 : 0);
}

/* The slice had no base: its deltas mean nothing. */
static __always_inline void uncount(__u64 *deltas)
{
#pragma unroll
	for (__u32 i = 0; i < MAX_COUNTERS; i++)
		if (i < counters)
			deltas[i] = 0;
}

/* --- the timer --- */

static __always_inline void arm(struct cpu *c, __u64 at)
{
	if (bpf_timer_start(&c->timer, at, timer_flags)) {
		dropped(DROP_TIMER_START);
		return;
	}
	c->armed = true;
}

/* Arms the timer for the next end of a slice, which is at latest the end of the quantum. */
static __always_inline void arm_slice(struct cpu *c, __u64 now)
{
	__u64 end = now - now % slice_ns + slice_ns;

	c->quantum_end = now - now % quantum_ns + quantum_ns;
	arm(c, end < c->quantum_end ? end : c->quantum_end);
}

/* --- windows --- */

enum window_state { CLOSED, OPEN, CLOSING };

/*
 * Notices that a window opened or ended. CLOSING is the first call after the end: a slice that is open has to be
 * closed. *next is the start of the next window.
 */
static __always_inline enum window_state window(struct cpu *c, __u64 now, __u64 *next)
{
	__u64 period = quantum_ns * hold_off;
	__u64 number, start;
	bool was_open = c->open;

	if (was_open && now < c->window_end)
		return OPEN;
	number = now / period;
	start = number * period;
	*next = start + period;
	if (now - start < quantum_ns) {
		c->open = true;
		c->window = number + 1;
		c->window_end = start + quantum_ns;
		open_window = number + 1;
		return OPEN;
	}
	c->open = false;
	/* A CPU that is a period late must not end another's window. */
	if (open_window == c->window)
		open_window = 0;
	return was_open ? CLOSING : CLOSED;
}

/* --- slices --- */

/* Why t runs, from what it did last, and who woke it when. */
static __always_inline __u8 arrive(struct cpu *c, struct thread *t, __s32 *waker, __u64 *woken_at)
{
	__u8 was = t->window == c->window ? t->off : OFF_UNKNOWN;
	__u64 at = t->wake_at;

	t->wake_at = 0;
	t->off = OFF_NOT;
	*waker = NO_THREAD;
	*woken_at = 0;
	if (was == OFF_NEW)
		return CAUSE_STARTED;
	if (was == OFF_PREEMPTED || (was == OFF_UNKNOWN && !at))
		return CAUSE_RESUMED;
	if (at) {
		*waker = t->waker;
		*woken_at = at;
	}
	return CAUSE_WOKEN;
}

/*
 * Opens the slice of a thread that is found running: tracing begins, or a window opens, or the kernel did not tell
 * that it came (some kernels do not trace the switch from certain threads of the system). In the last case it came
 * at started, or a little later.
 */
static __always_inline void find(struct cpu *c, struct thread *t, __s32 tid, __u64 now, __u64 started, __u64 flags)
{
	struct switch_record *e = bpf_ringbuf_reserve(&ring, sizeof *e, 0);
	__s32 waker = NO_THREAD;
	__u64 woken_at = 0;
	__u8 on = CAUSE_SEEN;

	if (t->window == c->window && t->off != OFF_NOT && t->off != OFF_UNKNOWN) {
		on = arrive(c, t, &waker, &woken_at);
		dropped(DROP_SWITCH_UNTOLD);
		if (started < t->off_at)
			started = t->off_at;
		if (started < woken_at)
			started = woken_at;
		c->from = started;
	} else {
		t->off = OFF_NOT;
		t->wake_at = 0;
		c->from = now;
	}
	if (!e) {
		dropped(DROP_RING_FULL);
		return;
	}
	head(&e->r, c->from, RECORD_SWITCH);
	e->r.on = on;
	e->prev = NO_THREAD;
	e->next = tid;
	e->waker = waker;
	e->unused = 0;
	e->from = 0;
	e->woken_at = woken_at;
	bpf_ringbuf_submit(e, flags);
}

/* Closes the slice of the thread that runs here; returns the time. */
static __always_inline __u64 slice(struct cpu *c, struct thread *t, __s32 tid)
{
	struct slice_record *s = bpf_ringbuf_reserve(&ring, sizeof *s + 8 * counters, 0);
	__u64 now = bpf_ktime_get_ns();

	t->run += now - c->from;
	if (!s) {
		dropped(DROP_RING_FULL);
		count_all(c, 0);
		return now;
	}
	head(&s->r, now, RECORD_SLICE);
	s->r.counters = counters;
	s->tid = tid;
	s->unused = 0;
	s->from = c->from;
	count_all(c, (__u64 *)(s + 1));
	bpf_ringbuf_submit(s, bell_at(now, c->quantum_end));
	return now;
}

static int on_timer(void *map, __u32 *key, struct cpu *c)
{
	struct task_struct *task = bpf_get_current_task_btf();
	enum window_state state = OPEN;
	struct thread *t;
	__u64 now, next = 0;

	c->armed = false;
	if (*key != bpf_get_smp_processor_id()) {
		dropped(DROP_TIMER_MOVED);
		return 0;
	}
	t = followed(task);
	if (!t)
		return 0;
	if (hold_off > 1) {
		state = window(c, bpf_ktime_get_ns(), &next);
		if (state == CLOSED || (state == CLOSING && !c->from)) {
			c->from = 0;
			arm(c, next);
			return 0;
		}
	}
	if (c->from) {
		now = slice(c, t, task->pid);
	} else {
		now = bpf_ktime_get_ns();
		find(c, t, task->pid, now, c->left ? c->left : now, bell_at(now, c->quantum_end));
		count_all(c, 0);
	}
	if (now >= c->quantum_end)
		rung_for = c->quantum_end;
	if (state == CLOSING) {
		c->from = 0;
		arm(c, next);
		return 0;
	}
	if (c->from < now)
		c->from = now;
	arm_slice(c, now);
	return 0;
}

/* --- scheduler events --- */

static __always_inline bool futex_sleep(long nr)
{
	return nr == NR_FUTEX || nr == NR_FUTEX_WAITV || nr == NR_FUTEX_WAIT;
}

static __always_inline bool futex_wake(long nr)
{
	return nr == NR_FUTEX || nr == NR_FUTEX_WAKE || nr == NR_FUTEX_REQUEUE || nr == NR_EXIT || nr == NR_EXIT_GROUP;
}

static __always_inline long syscall_of(struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	return regs->orig_ax;
}

static __always_inline void totals(struct totals *out, struct task_struct *task, struct thread *t)
{
	out->tid = task->pid;
	out->tgid = task->tgid;
	__builtin_memcpy(out->comm, task->comm, sizeof out->comm);
	out->started_at = t->started_at;
	out->kernel_run = task->se.sum_exec_runtime - t->run_before;
	out->kernel_switches = task->nvcsw + task->nivcsw - t->switches_before;
	out->run = t->run;
	out->switches = t->switches;
	out->futex_sleeps = t->futex_sleeps;
}

static __always_inline void died(struct task_struct *task, struct thread *t)
{
	struct totals_record *r = bpf_ringbuf_reserve(&ring, sizeof *r, 0);

	if (!r) {
		dropped(DROP_RING_FULL);
		return;
	}
	head(&r->r, bpf_ktime_get_ns(), RECORD_TOTALS);
	totals(&r->totals, task, t);
	r->totals.kernel_switches--;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	struct cpu *c = this_cpu();
	struct switch_record *e;
	struct thread *p, *n;
	__u64 now, next_window = 0;
	__s32 prev_tid = NO_THREAD, next_tid = NO_THREAD, waker = NO_THREAD;
	__u64 from = 0, woken_at = 0, flags = BPF_RB_NO_WAKEUP;
	__u8 off = CAUSE_NONE, on = CAUSE_NONE;
	bool dead = false, found = false;

	if (!c)
		return 0;
	if (hold_off > 1 && !c->open && c->armed && !(prev_state & TASK_DEAD))
		return 0;
	p = storage(prev);
	n = storage(next);
	if (p && p->seed)
		p = 0;
	if (n && n->seed)
		n = 0;
	if (!p) {
		/* Else the compiler ORs the two pointers, which the verifier forbids. */
		asm volatile("" : "+r"(n));
		if (!n)
			return 0;
	}

	if (hold_off > 1) {
		switch (window(c, bpf_ktime_get_ns(), &next_window)) {
		case OPEN:
			break;
		case CLOSED:
			if (n && !c->armed)
				arm(c, next_window);
			if (p && prev_state & TASK_DEAD)
				died(prev, p);
			c->from = 0;
			return 0;
		case CLOSING:
			if (n && !c->armed)
				arm(c, next_window);
			n = 0;
			if (!p || !c->from) {
				if (p && prev_state & TASK_DEAD)
					died(prev, p);
				c->from = 0;
				return 0;
			}
		}
	}

	if (p) {
		/* The scheduler's account, which has just been brought up to date. */
		__u64 ran = prev->se.sum_exec_runtime;

		if (!c->from) {
			now = bpf_ktime_get_ns();
			find(c, p, prev->pid, now, now - (ran - p->stopped_at), BPF_RB_NO_WAKEUP);
			found = true;
		}
		p->stopped_at = ran;
	}
	e = bpf_ringbuf_reserve(&ring, sizeof *e + 8 * counters, 0);
	now = bpf_ktime_get_ns();
	if (p) {
		if (prev_state & TASK_DEAD) {
			off = CAUSE_EXITED;
			dead = true;
		} else if (preempt || !prev_state) {
			off = CAUSE_PREEMPTED;
			p->off = OFF_PREEMPTED;
		} else if (futex_sleep(syscall_of(prev))) {
			off = CAUSE_FUTEX_SLEEP;
			p->off = OFF_FUTEX;
			p->futex_sleeps++;
		} else {
			off = CAUSE_OTHER_SLEEP;
			p->off = OFF_OTHER;
		}
		p->window = c->window;
		p->off_at = now;
		if (!dead)
			p->switches++;
		from = c->from;
		prev_tid = prev->pid;
		p->run += now - from;
	}
	if (n) {
		next_tid = next->pid;
		on = arrive(c, n, &waker, &woken_at);
	}
	if (e) {
		head(&e->r, now, RECORD_SWITCH);
		e->r.off = off;
		e->r.on = on;
		e->r.counters = counters;
		e->prev = prev_tid;
		e->next = next_tid;
		e->waker = waker;
		e->unused = 0;
		e->from = from;
		e->woken_at = woken_at;
		count_all(c, (__u64 *)(e + 1));
		if (found)
			uncount((__u64 *)(e + 1));
		if (!c->armed && n && now - now % quantum_ns > rung_for) {
			rung_for = now - now % quantum_ns;
			flags = bell();
		}
		bpf_ringbuf_submit(e, flags);
	} else {
		dropped(DROP_RING_FULL);
		count_all(c, 0);
	}
	if (n) {
		c->from = now;
		if (!c->armed)
			arm_slice(c, now);
	} else {
		c->from = 0;
		c->left = now;
	}
	if (dead)
		died(prev, p);
	return 0;
}

/*
 * Runs in the waker's context, as sched_wakeup need not. It may come just before the sleeper's switch, so nothing is
 * cleared there.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct task_struct *current;
	struct thread *t;
	__s32 waker = NO_THREAD;

	if (hold_off > 1 && !open_window)
		return 0;
	t = followed(task);
	if (!t)
		return 0;
	current = bpf_get_current_task_btf();
	if (followed(current)) {
		/*
		 * An interrupt that wakes may have hit any thread. In user mode it shows as no system call; in a call, a
		 * futex sleeper is woken by futex calls and by ends of threads only.
		 */
		long nr = syscall_of(current);

		if (nr >= 0 && (t->off != OFF_FUTEX || futex_wake(nr)))
			waker = current->pid;
	}
	t->waker = waker;
	t->wake_at = bpf_ktime_get_ns();
	return 0;
}

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

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct thread *p = storage(parent);
	struct cpu *c = this_cpu();
	__u64 window = 0;

	/* A seed's own threads are not its target. */
	if (!p || !c || (p->seed && parent->tgid == child->tgid))
		return 0;
	if (hold_off > 1)
		window = c->open ? c->window : ~0ULL;
	if (follow(child, OFF_NEW, window))
		tell(RECORD_FORK, child->pid, p->seed ? NO_THREAD : parent->pid, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_pid, struct linux_binprm *bprm)
{
	if (followed(task))
		tell(RECORD_EXEC, task->pid, old_pid, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	if (followed(task))
		tell(RECORD_EXIT, task->pid, NO_THREAD, task->pid == task->tgid ? bell() : BPF_RB_NO_WAKEUP);
	return 0;
}

/* --- run by user space --- */

/* Makes the calling thread a seed. */
SEC("syscall")
int seed(void *ctx)
{
	struct thread *t = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t)
		return 1;
	t->seed = true;
	return 0;
}

SEC("syscall")
int unseed(void *ctx)
{
	return bpf_task_storage_delete(&threads, bpf_get_current_task_btf()) != 0;
}

enum init { INIT_NOT_RUN, INIT_DONE, INIT_REFUSED, INIT_FLAGS };

static long init_timer(__u32 cpu, long *failed)
{
	struct cpu *c = bpf_map_lookup_elem(&cpus, &cpu);

	if (!c)
		return 1;
	if (bpf_timer_init(&c->timer, &cpus, CLOCK_MONOTONIC) || bpf_timer_set_callback(&c->timer, on_timer)) {
		*failed = INIT_REFUSED;
		return 1;
	}
	/* Once armed, to learn whether the kernel knows the flags. */
	if (bpf_timer_start(&c->timer, ~0ULL >> 2, timer_flags)) {
		*failed = INIT_FLAGS;
		return 1;
	}
	bpf_timer_cancel(&c->timer);
	bpf_timer_set_callback(&c->timer, on_timer); /* the cancelling removed it */
	return 0;
}

/*
 * Prepares every CPU's timer. It is an iterator over tasks for the sake of its type only: a program that user space
 * can run at once, and that may have a callback which reads counters.
 */
SEC("iter/task")
int init_timers(struct bpf_iter__task *ctx)
{
	long failed = INIT_DONE;

	if (ctx->meta->seq_num)
		return 0;
	bpf_loop(1 << 16, init_timer, &failed, 0);
	init_answer = failed;
	return 0;
}

/* Follows the threads of process attach_tgid and of its descendants. */
SEC("iter/task")
int attach(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task, *parent;

	if (!task)
		return 0;
	if (task->tgid == attach_tgid) {
		attach_found++;
		if (task->flags & PF_KTHREAD) {
			attach_kernel = 1;
			return 0;
		}
	} else {
		parent = task->real_parent;
		if (!parent || !followed(parent))
			return 0;
	}
	if (storage(task))
		return 0;
	if (follow(task, OFF_UNKNOWN, ~0ULL))
		attach_added++;
	return 0;
}

/* Writes a struct totals for each followed thread that lives. */
SEC("iter/task")
int dump(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct totals out = {};
	struct thread *t;

	if (!task)
		return 0;
	t = followed(task);
	if (!t)
		return 0;
	totals(&out, task, t);
	bpf_seq_write(ctx->meta->seq, &out, sizeof out);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
