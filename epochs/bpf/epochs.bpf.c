//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Traces the scheduling of trees of processes, and of the processes in cgroups. Each is a tenant.
 *
 * A thread is followed if it has a task-local storage (map threads), which says whose it is; a child of a tree's thread
 * gets one at fork, and so does whoever is created in a tenant's cgroup or moved there (cgroup.h). Threads that the kernel
 * makes for a process are found at a switch (adopt.h).
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
#include "adopt.h"
#include "control.h"
#include "foreign.h"
#include "leave.h"
#include "slices.h"

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
	return syscall_in((struct pt_regs *)bpf_task_pt_regs(task));
}

/*
 * Whether a thread that was preempted may not run again before its quota is refilled. The kernel counts on the run
 * queue of the thread's group how many quotas, its own and those above, are used up; it does so before the switch.
 */
static __always_inline bool throttled(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->se.cfs_rq) || !bpf_core_field_exists(struct cfs_rq, throttle_count))
		return false;
	return look_at(task)->se.cfs_rq->throttle_count > 0;
}

/* A switch on a CPU from, to or between threads with a storage. */
static __always_inline void switched(struct cpu *c, bool preempt, struct task_struct *prev, struct thread *p,
				     struct task_struct *next, struct thread *n, unsigned int prev_state)
{
	struct switch_record *e;
	__u64 now, next_window = 0;
	__s32 prev_tid = NO_THREAD, next_tid = NO_THREAD, waker = NO_THREAD;
	__u64 from = 0, woken_at = 0, ran = 0;
	__u8 off = CAUSE_NONE, on = CAUSE_NONE;
	__s16 before = 0;
	bool dead = false, left = false, found = false, rings = false;

	if (hold_off > 1 && !c->open && c->armed && !(prev_state & TASK_DEAD))
		return;
	if (!is_followed(p))
		p = 0;
	if (!is_followed(n))
		n = 0;
	if (n && leaves(n)) {
		n = leave(next, n, false);
	} else if (n && returned(next, n)) {
		ended(next, n, false);
		n = 0;
	}
	if (!p) {
		barrier();
		if (!n)
			return;
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
			return;
		case CLOSING:
			if (n && !c->armed)
				arm(c, next_window);
			n = 0;
			if (!p || !c->from) {
				if (p && prev_state & TASK_DEAD)
					died(prev, p);
				c->from = 0;
				return;
			}
		}
	}

	if (p) {
		/* One that is exiting is the first one, which had the id. */
		if (p->tid != prev->pid && !(prev->flags & PF_EXITING))
			renamed(prev, p);
		/* The scheduler's account, which has just been brought up to date. */
		ran = prev->se.sum_exec_runtime;
		if (!c->from) {
			now = bpf_ktime_get_ns();
			find(c, p, now, now - (ran - p->stopped_at));
			found = true;
		}
	}
	e = bpf_ringbuf_reserve(&ring, sizeof *e + 8 * counters, 0);
	now = bpf_ktime_get_ns();
	if (p) {
		dead = prev_state & TASK_DEAD;
		left = !dead && leaves(p);
		if (dead) {
			off = CAUSE_EXITED;
		} else if (preempt || !prev_state) {
			off = throttled(prev) ? CAUSE_THROTTLED : CAUSE_PREEMPTED;
			p->off = OFF_PREEMPTED;
		} else if (futex_sleep(syscall_of(prev))) {
			off = CAUSE_FUTEX_SLEEP;
			p->off = OFF_FUTEX;
			p->futex_sleeps += !left;
		} else {
			off = CAUSE_OTHER_SLEEP;
			p->off = OFF_OTHER;
		}
		p->window = c->window;
		p->off_at = now;
		if (left)
			off = CAUSE_EXITED;
		else if (!dead)
			p->switches++;
		from = c->from;
		prev_tid = p->tid;
		before = charged(p, ran, from, now);
		p->run += now - from + charged_ns(before);
		p->stopped_at = ran;
		c->work.switches++;
		c->from = 0;
	}
	if (n) {
		next_tid = n->tid;
		on = arrive(c, n, &waker, &woken_at);
		came_to(n, next);
	}
	if (e) {
		head(&e->r, now, RECORD_SWITCH, 0);
		e->r.off = off;
		e->r.on = on;
		e->r.counters = counters;
		e->r.charged = before;
		e->prev = prev_tid;
		e->next = next_tid;
		e->waker = waker;
		e->prev_tenant = p ? p->tenant : 0;
		e->next_tenant = n ? n->tenant : 0;
		e->from = from;
		e->woken_at = woken_at;
		count_all(c, (__u64 *)(e + 1), from && !found);
		if (found)
			uncount((__u64 *)(e + 1));
		if (from)
			did(c, now - from, found ? 0 : (__u64 *)(e + 1));
		if (!c->armed && n && now - now % quantum_ns > rung_for && !silent(now - now % quantum_ns)) {
			rung_for = now - now % quantum_ns;
			rings = true;
		}
		bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
		if (rings)
			bell();
	} else {
		lost(DROP_RING_FULL);
		count_all(c, 0, false);
	}
	if (n) {
		if (!p && c->left)
			c->away = now - c->left;
		c->from = now;
		if (!c->armed)
			arm_slice(c, now);
	} else {
		c->from = 0;
		c->left = now;
		if (!next->pid)
			put_off(c, now);
	}
	if (dead)
		died(prev, p);
	else if (left)
		leave(prev, p, true);
}

/*
 * The state that prev leaves in, of the tracepoint's arguments. Before Linux 5.18 it is none of them, and is the thread's
 * own as the switch happens. Another CPU may wake a thread that has left its queue already: it makes the state TASK_WAKING,
 * and nothing else before the switch is over. That the thread sleeps still shows; what it waited for is not read from it.
 */
static __always_inline unsigned int left_in(const unsigned long long *args, struct task_struct *prev)
{
	return reports_state ? args[3] : prev->__state;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct thread *p = storage(prev), *n = storage(next); /* once each: a look-up is a tenth of a switch */
	bool from_own = own(prev, p), to_own = own(next, n);
	unsigned int state;
	struct cpu *c;
	__u64 start;

	/* Nearly all that concerns no thread of the target ends here. */
	if (from_own != to_own) {
		c = this_cpu();
		if (c)
			note_own(c, p, to_own, n, preempt || !left_in(ctx, prev));
	}
	if (!p)
		p = adopt(prev);
	barrier();
	if (!n)
		n = adopt(next);
	barrier();
	note_foreign(next);
	barrier();
	if (!p) {
		/* Without the barriers the compiler ORs the two pointers, which the verifier forbids. */
		barrier();
		if (!n)
			return 0;
	}
	c = this_cpu();
	if (!c)
		return 0;
	start = timed(c);
	state = left_in(ctx, prev);
	if (!reports_state && state == TASK_WAKING)
		dropped(DROP_STATE_LATE);
	switched(c, preempt, prev, p, next, n, state);
	took(start, TIMED);
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
	struct thread *t, *by;
	struct cpu *c;
	__s32 waker = NO_THREAD;
	__u64 start;

	if (hold_off > 1 && !open_window)
		return 0;
	t = followed(task);
	if (!t)
		return 0;
	c = this_cpu();
	if (!c)
		return 0;
	start = timed(c);
	current = bpf_get_current_task_btf();
	by = followed(current);
	if (by && by->tenant == t->tenant) {
		/*
		 * An interrupt that wakes may have hit any thread. In user mode it shows as no system call; in a call, a
		 * futex sleeper is woken by futex calls and by ends of threads only.
		 */
		long nr = syscall_of(current);

		if (nr >= 0 && (t->off != OFF_FUTEX || futex_wake(nr)))
			waker = by->tid;
	}
	t->waker = waker;
	t->wake_at = bpf_ktime_get_ns();
	took(start, TIMED);
	return 0;
}

/* Another tenant's thread, or nobody's, that creates one for this tenant is the world. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct thread *p = storage(parent);
	bool tree = p && p->tree && p->left != LEFT;
	struct cpu *c = this_cpu();
	__u32 tenant = NOBODY;
	__s32 by = NO_THREAD;
	__u64 window = 0;

	if (!c)
		return 0;
	if (tree && !(p->seed && parent->tgid == child->tgid)) /* a seed's own threads are not its target */
		tenant = to_be(p);
	else if (by_cgroup)
		tenant = born_to(child);
	if (tenant == NOBODY) {
		if (!p)
			created(parent, child);
		return 0;
	}
	if (is_followed(p) && p->tenant == tenant)
		by = parent->pid;
	if (hold_off > 1)
		window = c->open ? c->window : ~0ULL;
	/* Where another CPU has come upon it just now (settle_all), that one follows it. */
	if (follow(child, tenant, tree, OFF_NEW, window) || storage(child))
		tell(RECORD_FORK, tenant, child->pid, by);
	if (child->pid == child->tgid)
		birth();
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_pid, struct linux_binprm *bprm)
{
	struct thread *t;

	executes(task);
	t = followed(task);
	if (!t)
		return 0;
	if (many && t->tree && !t->exiting && stranger(task, to_be(t))) {
		uproot(task, t);
		return 0;
	}
	t->inner_tid = inner_id(task);
	renamed(task, t);
	birth();
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct thread *t = followed(task);

	if (!t)
		return 0;
	t->exiting = true;
	if (t->tenant <= MAX_TENANTS)
		__sync_fetch_and_add(&exiting[t->tenant], 1);
	tell(RECORD_EXIT, t->tenant, t->tid, NO_THREAD);
	if (task->pid == task->tgid)
		bell();
	return 0;
}

/*
 * Attached to a runtime's own probes, and only if its phases were asked for. The cookie identifies the probe.
 * Other programs may also have mapped the file with the probes.
 */
SEC("uprobe.multi")
int on_phase(void *ctx)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct thread *t = followed(current);
	struct thread_record *r;

	if ((hold_off > 1 && !open_window) || !t)
		return 0;
	hold();
	r = bpf_ringbuf_reserve(&ring, sizeof *r, 0);
	if (r) {
		head(&r->r, bpf_ktime_get_ns(), RECORD_PHASE, t->tenant);
		r->r.on = bpf_get_attach_cookie(ctx);
		r->tid = t->tid;
		r->by = NO_THREAD;
		bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	}
	release();
	/* No bell: the kernel lets no such program at the stall watch's timer. The thread runs, and its CPU's timer rings. */
	if (!r)
		dropped(DROP_RING_FULL);
	return 0;
}

/* Brings the types of events.h into the object's type information, where a test compares them with the decoder's. */
struct layout {
	struct switch_record switch_record;
	struct slice_record slice_record;
	struct thread_record thread_record;
	struct totals_record totals_record;
	enum record_kind record_kind;
	enum cause cause;
	enum drop drop;
	enum init init;
};
const struct layout *layout;

char LICENSE[] SEC("license") = "GPL";
