//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Counts what the machine's CPUs do, and wakes nobody: user space reads one entry per CPU when a
 * window ends.
 *
 * A time in a state is one sum of signed stamps: what begins subtracts its stamp, what ends adds it.
 * A stamp has the time in its high bits and 1 in its low ones, so that the low bits of the sum say
 * how many stretches are still open. A reader that misses an end therefore errs by the time that it
 * needed for reading, and not by the age of the machine.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define STAMP_BITS 14 /* more open stretches than the kernel has CPUs: 8192 */
#define LEVELS 14     /* at least 1, 2, 4, ... 8192 CPUs busy */
#define LENGTHS 4     /* of idle stretches: below 100 us, 1 ms, 10 ms, and more */

#define PF_IDLE 0x2 /* include/linux/sched.h */

struct task_struct {
	unsigned int flags;
	int tgid;
} __attribute__((preserve_access_index));

struct counts {
	__u64 busy;          /* sum of stamps */
	__u64 level[LEVELS]; /* sums of stamps, by the logarithm of the number of busy CPUs */
	__u64 idle[LENGTHS]; /* idle stretches that ended */
	__u64 wakeups;
	__u64 migrations;
	__u64 since;      /* when the CPU came to be busy or idle, ns; 0: nothing is known of it */
	__u64 working;    /* the CPU is counted as busy */
	__u64 untraced;   /* times that it left its idle loop and was thought to work */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counts);
} counts SEC(".maps");

__u64 busy_cpus; /* the machine's */

/* A test's: a process whose threads leave the CPU untraced. */
const volatile int hidden = 0;

static __always_inline struct counts *mine(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counts, &zero);
}

static __always_inline __u64 stamp(__u64 at) { return (at << STAMP_BITS) | 1; }

/* The level that n busy CPUs begin; LEVELS where they begin none. */
static __always_inline __u32 level_of(__u64 n)
{
	__u32 level = 0;

	if (!n || n & (n - 1))
		return LEVELS;
#pragma unroll
	for (int i = 1; i < LEVELS; i++)
		if (n >> i)
			level = i;
	return level;
}

static __always_inline __u32 length_of(__u64 ns)
{
	return ns < 100000 ? 0 : ns < 1000000 ? 1 : ns < 10000000 ? 2 : 3;
}

static __always_inline void begin_work(struct counts *c, __u64 at)
{
	__u32 level = level_of(__sync_fetch_and_add(&busy_cpus, 1) + 1);

	if (level < LEVELS)
		c->level[level] -= stamp(at);
	c->busy -= stamp(at);
	c->working = 1;
	if (c->since)
		c->idle[length_of(at - c->since)]++;
	c->since = at;
}

static __always_inline void end_work(struct counts *c, __u64 at)
{
	__u32 level = level_of(__sync_fetch_and_add(&busy_cpus, -1));

	if (level < LEVELS)
		c->level[level] += stamp(at);
	c->busy += stamp(at);
	c->working = 0;
	c->since = at;
}

static __always_inline void runs(struct counts *c, bool works)
{
	if (works == (bool)c->working)
		return;
	if (works)
		begin_work(c, bpf_ktime_get_ns());
	else
		end_work(c, bpf_ktime_get_ns());
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct counts *c = mine();

	if (!c || (hidden && prev->tgid == hidden))
		return 0;
	/*
	 * Some kernels do not trace the switch from certain system threads. A CPU that leaves its idle loop and was
	 * thought to work has been idle since such a thread left.
	 */
	if (c->working && prev->flags & PF_IDLE) {
		c->untraced++;
		end_work(c, bpf_ktime_get_ns());
	}
	runs(c, !(next->flags & PF_IDLE));
	return 0;
}

/*
 * A CPU goes idle, or leaves idleness. User space attaches this where the kernel does not trace all switches.
 * PWR_EVENT_EXIT is -1.
 */
SEC("tp_btf/cpu_idle")
int BPF_PROG(idled, unsigned int state, unsigned int cpu)
{
	struct counts *c = mine();

	if (c && c->working && state != (__u32)-1)
		end_work(c, bpf_ktime_get_ns());
	return 0;
}

/* Runs once on each CPU at the start: a CPU that never goes idle may not switch for long. */
SEC("raw_tp")
int begin(void *ctx)
{
	struct counts *c = mine();

	if (c)
		runs(c, (__u32)bpf_get_current_pid_tgid() != 0);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(woken, struct task_struct *task)
{
	struct counts *c = mine();

	if (c)
		c->wakeups++;
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(migrated, struct task_struct *task, int cpu)
{
	struct counts *c = mine();

	if (c)
		c->migrations++;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
