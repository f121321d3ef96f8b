//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Counts how long each cgroup has each CPU, and wakes nobody: user space reads when a window ends.
 *
 * A time is a sum of signed stamps, as in internal/power/activity: what begins subtracts its stamp, what ends adds
 * it. A CPU runs one thing at a time, so an entry of a CPU has one open stretch at most, and bit 0 says so.
 *
 * A stretch ends at the first switch to another cgroup. Switches between threads of one cgroup cost two compares.
 *
 * Each CPU has a hash table of its own, in memory that user space maps. On a machine with many cgroups an entry is out
 * of the caches whenever its cgroup runs again, so one is found in a single line of them where the kernel's own hash
 * goes through four. A bucket that began to count is noted, and user space reads the noted ones alone.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* include/linux/sched.h. An idle thread's number would be in a line of its own. */
#define PF_IDLE 0x2
#define PF_KTHREAD 0x200000

/* The kernel's types, as far as they are used. The loader relocates the accesses. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct kernfs_iattrs {
	struct {
		unsigned int val;
	} ia_uid;
};
struct kernfs_node {
	__u64 id;
	struct kernfs_iattrs *iattr; /* of a cgroup that is not root's */
};
struct cgroup {
	int level; /* 0: the root */
	struct kernfs_node *kn;
	struct cgroup *ancestors[1]; /* by level; since Linux 6.1 */
};
struct cgroup_subsys_state {
	struct cgroup *cgroup;
};
struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};
struct rq {
	__u64 clock; /* ns; the scheduler reads its clock before it chooses who is next */
};
struct cfs_rq {
	struct rq *rq; /* where the scheduler knows groups */
};
struct sched_entity {
	__u64 sum_exec_runtime, prev_sum_exec_runtime;
	struct cfs_rq *cfs_rq; /* of the task's CPU, also where its class is another */
};
struct task_struct {
	unsigned int flags;
	int tgid;
	struct css_set *cgroups;
	struct sched_entity se;
};
#pragma clang attribute pop

/* What a CPU runs. */
enum state {
	UNKNOWN, /* before its first switch */
	IDLE,
	KERNEL, /* a kernel thread */
	GROUP,
	FULL, /* a cgroup for which the table had no entry */
};

/* What the processor's counters say. */
struct work {
	__u64 cycles, instructions;
};

struct cpu {
	__u64 id;    /* of the cgroup, in GROUP and FULL */
	__u64 since; /* when the stretch began, ns */
	__u64 state;
	__u64 idle, kernel, full; /* sums of stamps */
	__u64 lost;               /* ns of stretches whose entry was gone when they ended */
	__u64 refused;            /* stretches that got no entry */
	__u32 bucket, place;      /* of the entry that counts, in GROUP */
	struct work base;         /* the counters when the stretch began */
	struct work kernel_work, full_work;
	__u64 task; /* that the CPU runs, as far as was traced: an address that nobody follows */
	__u64 untraced; /* times that its idle task was found where no switch to it was traced */
	__u64 as; /* the cgroup whose entry counts for id, in GROUP */
	/* The run queue's clock when it was last compared with the monotonic one, and by how much that one is ahead. */
	__u64 compared, ahead;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

/* User space frees an entry, whose cgroup is gone: it writes the sum, and then the id. */
struct entry {
	__u64 id; /* of a cgroup; 0: free */
	__u64 sum; /* of stamps */
};

#define PLACES 4 /* in a bucket, which is a line of the caches */
#define TRIES 8 /* buckets that may have an entry */

/*
 * The first tries are among a CPU's first buckets: up to a thousand cgroups then share lines and pages that the CPU has
 * often used, where the whole table would have most of them in lines of their own. The other tries are behind these.
 */
#define NEAR 256
#define NEAR_TRIES 2

struct bucket {
	struct entry at[PLACES];
};

/* The first CPU's buckets, the second's, and so on. The loader says how many there are. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bucket);
} buckets SEC(".maps");

/* Of whose bound the entries are; 0: root's, without one. It is written when an entry is taken. */
struct owner {
	__u8 of[PLACES];
	__u32 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct owner);
} owners SEC(".maps");

#define OWNERS 256 /* of each CPU. Owners of one number share a bound */

/* How many entries an owner has had: this program writes those that were taken, user space those that it freed. */
struct owned {
	__u64 taken, freed;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct owned);
} owned SEC(".maps");

/* A bit for each bucket, from a whole word on for each CPU. This program sets them, user space clears them before it reads a bucket. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} noted SEC(".maps");

/* The work of the entries, at their places: of stretches that have ended. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct work[PLACES]);
} works SEC(".maps");

/* Counters of each CPU, where there is a PMU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} cycles SEC(".maps"), instructions SEC(".maps");

const volatile bool counted = false;

/* The number of a CPU's buckets, a power of 2, less 1. */
const volatile __u32 mask = 0;

/* The subsystem of version 1 whose cgroups count; below 0: version 2. */
const volatile int subsystem = -1;

/* Odd, and another each time: nobody can make cgroups whose entries crowd out those that are not theirs. */
const volatile __u64 factor = 1;

#define GOLDEN 0x9e3779b97f4a7c15ull /* 2^64 by the golden ratio, odd */

/* The most entries of a CPU that an owner other than root has. */
const volatile __u64 most = 0;

/* A test's: a process whose threads leave the CPU untraced. */
const volatile int hidden = 0;

static __always_inline __u64 stamp(__u64 at) { return (at << 1) | 1; }

static __always_inline struct cgroup *cgroup_of(struct task_struct *task)
{
	struct css_set *set = task->cgroups;
	struct cgroup_subsys_state *css;

	if (subsystem < 0)
		return set->dfl_cgrp;
	/* The verifier knows the sum, and therefore the type of what is there. */
	css = *(struct cgroup_subsys_state **)((void *)set + bpf_core_field_offset(set->subsys) + subsystem * 8);
	return css->cgroup;
}

static __always_inline __u64 counter(void *map)
{
	struct bpf_perf_event_value v = {};

	return bpf_perf_event_read_value(map, BPF_F_CURRENT_CPU, &v, sizeof v) ? 0 : v.counter;
}

static __always_inline struct work counters(void)
{
	return (struct work){ counter(&cycles), counter(&instructions) };
}

/* Adds what was counted in the stretch that ends. A counter that cannot be read is 0: it counts nothing here. */
static __always_inline void count(struct cpu *c, struct work now)
{
	struct work *to = c->state == FULL ? &c->full_work : &c->kernel_work;

	if (c->state == GROUP) {
		struct work *of = bpf_map_lookup_elem(&works, &c->bucket);

		to = of ? &of[c->place % PLACES] : 0;
	}
	if (to && c->state > IDLE && c->base.cycles && now.cycles > c->base.cycles &&
	    now.instructions >= c->base.instructions) {
		to->cycles += now.cycles - c->base.cycles;
		to->instructions += now.instructions - c->base.instructions;
	}
	c->base = now;
}

static __always_inline void end(struct cpu *c, __u64 at)
{
	struct bucket *bucket;
	struct entry *entry;

	switch (c->state) {
	case IDLE:
		c->idle += stamp(at);
		break;
	case KERNEL:
		c->kernel += stamp(at);
		break;
	case FULL:
		c->full += stamp(at);
		break;
	case GROUP:
		bucket = bpf_map_lookup_elem(&buckets, &c->bucket);
		entry = bucket ? &bucket->at[c->place % PLACES] : 0;
		if (entry && entry->id == c->as)
			entry->sum += stamp(at);
		else
			c->lost += at - c->since;
	}
}

/* The bucket of a try, of those of a CPU. First has 24 bits. */
static __always_inline __u32 tried(__u32 first, __u32 i)
{
	__u32 far, at;

	if (mask < NEAR || i < NEAR_TRIES)
		return (first + i) & mask & (NEAR - 1);
	far = mask + 1 - NEAR;
	at = ((__u64)first * far >> 24) + i - NEAR_TRIES;
	return NEAR + (at < far ? at : at - far);
}

/* Finds a cgroup's entry on this CPU, or a free one, for c->bucket and c->place; NULL where the buckets are full. */
static __always_inline struct entry *find(struct cpu *c, __u64 id)
{
	__u32 first, base = bpf_get_smp_processor_id() * (mask + 1), key;
	struct entry *free = 0;
	struct bucket *bucket;
	__u64 mixed = id * GOLDEN;

	/* Ids of cgroups have regular distances, which some factors would keep, and users see them. */
	mixed ^= mixed >> 32;
	first = (mixed * factor) >> 40;
	for (__u32 i = 0; i < TRIES; i++) {
		key = base + tried(first, i);
		bucket = bpf_map_lookup_elem(&buckets, &key);
		if (!bucket)
			return 0;
		for (__u32 k = 0; k < PLACES; k++) {
			if (bucket->at[k].id == id) {
				c->bucket = key;
				c->place = k;
				return &bucket->at[k];
			}
			if (!free && !bucket->at[k].id) {
				free = &bucket->at[k];
				c->bucket = key;
				c->place = k;
			}
		}
	}
	return free;
}

/* Since Linux 6.2. */
extern void *bpf_rdonly_cast(const void *, __u32) __attribute__((weak)) __ksym;

#define LEVELS 16 /* from the root down, in which the first cgroup of another owner is looked for */

/*
 * Finds the id of the uppermost cgroup, of those that have this one below, that root does not own: what is below is the
 * owner's, who may make as many as the kernel lets him. 0 where all are root's.
 */
static __noinline __u64 owned_by(struct cgroup *leaf, __u32 *owner)
{
	struct kernfs_iattrs *attributes;
	struct css_set *at;
	int level;

	if (!leaf || !bpf_rdonly_cast || !bpf_core_field_exists(leaf->ancestors))
		return 0;
	level = leaf->level;
	for (int i = 1; i < LEVELS && i <= level; i++) {
		/* The verifier knows no pointers behind the type's end. The cast takes the place of one for that of another type. */
		at = (void *)leaf + bpf_core_field_offset(leaf->ancestors) + i * 8 - bpf_core_field_offset(at->dfl_cgrp);
		at = bpf_rdonly_cast(at, bpf_core_type_id_kernel(struct css_set));
		attributes = at->dfl_cgrp->kn->iattr;
		if (attributes && attributes->ia_uid.val) {
			*owner = attributes->ia_uid.val;
			return at->dfl_cgrp->kn->id;
		}
	}
	return 0;
}

/* Makes the free entry that was found last a cgroup's. */
static __always_inline void take(struct cpu *c, struct entry *free, __u64 id, __u8 by)
{
	struct owner *owner = bpf_map_lookup_elem(&owners, &c->bucket);

	if (owner)
		owner->of[c->place % PLACES] = by;
	if (counted) {
		struct work *of = bpf_map_lookup_elem(&works, &c->bucket);

		if (of)
			of[c->place % PLACES] = (struct work){};
	}
	free->sum = 0;
	free->id = id;
}

/*
 * Finds the entry that counts for a cgroup, or takes a free one; NULL where the buckets are full. Of one owner's only so
 * many have their own on a CPU: all further ones count for the owner's uppermost, of which there can be as many again, so
 * that others find room.
 */
static __always_inline struct entry *entry_of(struct cpu *c, __u64 id, struct cgroup *cgroup)
{
	struct entry *entry = find(c, id);
	struct owned *has;
	__u32 owner = 0, by, slot;
	__u64 top;

	c->as = id;
	if (entry && entry->id == id)
		return entry;
	top = owned_by(cgroup, &owner);
	if (!top) {
		if (entry)
			take(c, entry, id, 0);
		return entry;
	}
	by = 1 + (owner * 0x9E3779B97F4A7C15ULL >> 32) % (OWNERS - 1);
	slot = bpf_get_smp_processor_id() * OWNERS + by;
	has = bpf_map_lookup_elem(&owned, &slot);
	if (entry && has && has->taken - has->freed < most) {
		has->taken++;
		take(c, entry, id, by);
		return entry;
	}
	c->as = top;
	entry = find(c, top);
	if (!entry || entry->id == top)
		return entry;
	/* Where users share a directory of root's, each of their cgroups there is an uppermost one. */
	if (!has || has->taken - has->freed >= 2 * most)
		return 0;
	has->taken++;
	take(c, entry, top, by);
	return entry;
}

/* A word of bits is one CPU's alone. */
static __always_inline void note(__u32 bucket)
{
	__u32 own = bucket & mask, key = bpf_get_smp_processor_id() * (mask / 64 + 1) + own / 64;
	__u64 *word = bpf_map_lookup_elem(&noted, &key);

	if (word)
		*word |= 1ULL << (own % 64);
}

static __always_inline void begin_stretch(struct cpu *c, __u64 state, struct cgroup *cgroup, __u64 id, __u64 at)
{
	struct entry *entry;

	c->id = id;
	c->since = at;
	if (state == GROUP) {
		entry = entry_of(c, id, cgroup);
		if (entry) {
			entry->sum -= stamp(at);
			note(c->bucket);
		} else {
			state = FULL;
			c->full -= stamp(at);
			c->refused++;
		}
	} else if (state == IDLE) {
		c->idle -= stamp(at);
	} else {
		c->kernel -= stamp(at);
	}
	c->state = state;
}

/*
 * What was counted up to a time: the stretch's work grows evenly from its begin till now. The stretch and what its work
 * is counted from must have begun at one time, or the share is too large.
 */
static __always_inline struct work counted_until(struct cpu *c, __u64 at, __u64 now)
{
	struct work w = counters();
	__u64 share = ((at - c->since) << 10) / (now - c->since + 1);

	/* A counter that cannot be read, or could not be, says nothing of a part. */
	if (!c->base.cycles || w.cycles < c->base.cycles || w.instructions < c->base.instructions)
		return w;
	w.cycles = c->base.cycles + ((w.cycles - c->base.cycles) * share >> 10);
	w.instructions = c->base.instructions + ((w.instructions - c->base.instructions) * share >> 10);
	return w;
}

/* A stretch ends no earlier than it began, whichever clock said when. */
static __always_inline __u64 later(struct cpu *c, __u64 at) { return at > c->since ? at : c->since; }

#define COMPARE_NS 10000000 /* ns: clocks that differ by 500 millionths are then 5 us apart */

/*
 * When the CPU begins to run a task, by the scheduler's own clock, which it has just read: to read one here takes a
 * quarter of this program's time. It has read it at the wake-up, and not again, where a task that woke up is to run next.
 * Since the clocks differ, they are compared again and again. Before a CPU goes idle the scheduler may look for work
 * elsewhere for long: the clocks are not compared then.
 */
static __always_inline __u64 switched_at(struct cpu *c, struct task_struct *task)
{
	__u64 clock = 0, now;

	if (bpf_core_field_exists(task->se.cfs_rq) && bpf_core_field_exists(((struct cfs_rq *)0)->rq))
		clock = task->se.cfs_rq->rq->clock;
	if (clock && clock - c->compared < COMPARE_NS)
		return later(c, clock + c->ahead);
	now = bpf_ktime_get_ns();
	if (!(task->flags & PF_IDLE)) {
		c->compared = clock;
		c->ahead = now - clock;
	}
	return later(c, now);
}

/*
 * The CPU runs a task since a time; 0: since now. At a switch, and only there, the scheduler has just read its clock.
 */
static __always_inline void runs(struct cpu *c, struct task_struct *task, __u64 at, bool at_switch)
{
	struct cgroup *cgroup = 0;
	__u64 state, id = 0, now;

	state = task->flags & PF_IDLE ? IDLE : task->flags & PF_KTHREAD ? KERNEL : GROUP;
	if (state == GROUP) {
		cgroup = cgroup_of(task);
		id = cgroup->kn->id;
	}
	if ((c->state == state || (c->state == FULL && state == GROUP)) && c->id == id)
		return;
	now = at_switch ? switched_at(c, task) : later(c, bpf_ktime_get_ns());
	if (counted)
		count(c, at ? counted_until(c, at, now) : counters());
	at = at ? at : now;
	end(c, at);
	begin_stretch(c, state, cgroup, id, at);
}

/*
 * Some kernels do not trace the switch from certain system threads. The task that came after such a one has the CPU
 * for as long as the scheduler says. That of an idle CPU is not known before idled is attached.
 */
static __always_inline void untraced(struct cpu *c, struct task_struct *task)
{
	__u64 ran = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime, now = later(c, bpf_ktime_get_ns());

	if (!c->since)
		return;
	if (task->flags & PF_IDLE) {
		c->untraced++;
		return;
	}
	runs(c, task, ran < now - c->since ? now - ran : c->since, false);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 zero = 0;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &zero);

	if (!c || (hidden && prev->tgid == hidden))
		return 0;
	if (c->task != (__u64)prev)
		untraced(c, prev);
	c->task = (__u64)next;
	runs(c, next, 0, true);
	return 0;
}

/*
 * A CPU goes idle, or leaves idleness. User space attaches this where the kernel does not trace all switches.
 * PWR_EVENT_EXIT is -1.
 */
SEC("tp_btf/cpu_idle")
int BPF_PROG(idled, unsigned int state, unsigned int cpu)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u32 zero = 0;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &zero);

	if (!c || state == (__u32)-1 || c->task == (__u64)task)
		return 0;
	c->task = (__u64)task;
	runs(c, task, 0, false);
	return 0;
}

/* Runs once on each CPU at the start: a CPU that never goes idle may not switch for long. */
SEC("raw_tp")
int begin(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u32 zero = 0;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &zero);

	if (!c)
		return 0;
	c->task = (__u64)task;
	runs(c, task, 0, false);
	return 0;
}

/* Ends the stretch of a CPU and begins it again, so that its work can be read: only where there are counters. */
SEC("raw_tp")
int renew(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u32 zero = 0;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &zero);
	__u64 at;

	if (!c || c->state < KERNEL)
		return 0;
	if (c->task != (__u64)task) {
		untraced(c, task);
		if (task->flags & PF_IDLE)
			return 0; /* the next switch knows since when, and idled once it is attached */
		c->task = (__u64)task;
	}
	at = later(c, bpf_ktime_get_ns());
	if (counted)
		count(c, counters());
	end(c, at);
	begin_stretch(c, c->state == KERNEL ? KERNEL : GROUP, cgroup_of(task), c->id, at);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
