//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Counts how long each cgroup has each CPU, and wakes nobody: user space reads when a window ends.
 *
 * A stretch is counted when it ends, for the thread that leaves: the scheduler has just booked that thread's time, so
 * its cgroup is in the caches, while the next thread's is not. Switches between threads with one set of cgroups cost
 * two compares. Where a CPU goes on while user space reads, renew ends its stretch there.
 *
 * The time of an idle CPU, which is not woken, is a sum of signed stamps, as in internal/power/activity: what begins
 * subtracts its stamp, what ends adds it. Bit 0 says that the CPU is idle.
 *
 * Each CPU has a hash table of its own, in memory that user space maps. On a machine with many cgroups an entry is out
 * of the caches whenever its cgroup has run again, so one is found in a single line of them where the kernel's own hash
 * goes through four. A bucket that counted is noted, and user space reads the noted ones alone.
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
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	__u64 serial_nr; /* no other has had it */
};
struct cgroup {
	struct cgroup_subsys_state self;
	int level; /* 0: the root */
	struct kernfs_node *kn;
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *ancestors[1]; /* by level; since Linux 6.1 */
};
struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};
struct sched_entity {
	__u64 sum_exec_runtime, prev_sum_exec_runtime;
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
};

/* What the processor's counters say. */
struct work {
	__u64 cycles, instructions;
};

struct cpu {
	__u64 set;   /* set of cgroups of the task that runs: an address that nobody follows while switches are traced */
	__u64 since; /* begin of the stretch, ns */
	__u64 state;
	__u64 idle;         /* a sum of stamps */
	__u64 kernel, full; /* ns */
	__u64 refused;        /* stretches that got no entry */
	__u32 bucket, place;  /* of the entry that was found last */
	struct work base;     /* the counters when the stretch began */
	struct work kernel_work, full_work;
	__u64 task; /* that the CPU runs, as far as was traced: an address that nobody follows */
	__u64 untraced; /* times that its idle task was found where no switch to it was traced */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

/* User space frees an entry, whose cgroup is gone: it writes the sum, and then the key. */
struct entry {
	__u64 key; /* of a cgroup; 0: free */
	__u64 sum; /* ns */
};

#define PLACES 4 /* in a bucket, which is a line of the caches */
#define TRIES 8 /* buckets in a row that may have an entry */

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

/* What the entries are, at their places. It is written when one is taken. */
struct origin {
	__u64 id[PLACES]; /* of the cgroup */
	__u8 owner[PLACES]; /* of whose bound it is; 0: root's, without one */
	__u32 unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct origin);
} origins SEC(".maps");

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
} owners SEC(".maps");

/* A bit for each bucket, from a whole word on for each CPU. This program sets them, user space clears them before it reads a bucket. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} noted SEC(".maps");

/* The work of the entries, at their places. */
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

/* The most entries of a CPU that an owner other than root has. */
const volatile __u64 most = 0;

/* A test's: a process whose threads leave the CPU untraced. */
const volatile int hidden = 0;

static __always_inline __u64 stamp(__u64 at) { return (at << 1) | 1; }

/* A cgroup: the address of its state, and what tells it from all others. */
struct group {
	__u64 css, key;
};

/* The root's number can be 0, which is no key. */
static __always_inline __u64 key_of(__u64 serial) { return serial + 1; }

/* The verifier knows the sum, and therefore the type of what is there. */
static __always_inline struct cgroup_subsys_state *of_subsystem(void *of, __u32 offset)
{
	return *(struct cgroup_subsys_state **)(of + offset + subsystem * 8);
}

static __always_inline struct group group_of(struct task_struct *task)
{
	struct css_set *set = task->cgroups;
	struct cgroup_subsys_state *css;

	css = subsystem < 0 ? &set->dfl_cgrp->self : of_subsystem(set, bpf_core_field_offset(set->subsys));
	return (struct group){ (__u64)css, key_of(css->serial_nr) };
}

/* The same of a set that may be gone. */
static __always_inline struct group group_in(__u64 set)
{
	struct css_set *of = (void *)set;
	struct cgroup_subsys_state *css = 0;
	__u64 serial = 0;

	if (subsystem < 0)
		css = (void *)BPF_CORE_READ(of, dfl_cgrp);
	else
		bpf_probe_read_kernel(&css, sizeof css, (void *)set + bpf_core_field_offset(of->subsys) + subsystem * 8);
	bpf_core_read(&serial, sizeof serial, &css->serial_nr);
	return (struct group){ (__u64)css, key_of(serial) };
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

/* Finds a cgroup's entry on this CPU, or a free one: in c->bucket and c->place; NULL where the buckets are full. */
static __noinline struct entry *find(struct cpu *c, __u64 key)
{
	/* Keys follow each other. The factor is the golden ratio's (Knuth, section 6.4). */
	__u32 first = (key * 0x9E3779B97F4A7C15ULL) >> 40, base = bpf_get_smp_processor_id() * (mask + 1), at;
	struct entry *free = 0;
	struct bucket *bucket;

	for (__u32 i = 0; i < TRIES; i++) {
		at = base + ((first + i) & mask);
		bucket = bpf_map_lookup_elem(&buckets, &at);
		if (!bucket)
			return 0;
		for (__u32 k = 0; k < PLACES; k++) {
			if (bucket->at[k].key == key) {
				c->bucket = at;
				c->place = k;
				return &bucket->at[k];
			}
			if (!free && !bucket->at[k].key) {
				free = &bucket->at[k];
				c->bucket = at;
				c->place = k;
			}
		}
	}
	return free;
}

#define LEVELS 16 /* from the root down, in which the first cgroup of another owner is looked for */

/*
 * Finds the uppermost cgroup, of those that have this one below, that root does not own: what is below is the owner's,
 * who may make as many as the kernel lets him. 0 where all are root's.
 */
static __noinline struct cgroup *owned_by(struct cgroup_subsys_state *css)
{
	struct cgroup *leaf = BPF_CORE_READ(css, cgroup), *up;
	int level = BPF_CORE_READ(leaf, level);
	struct kernfs_iattrs *attributes;

	if (!bpf_core_field_exists(leaf->ancestors))
		return 0;
	for (int i = 1; i < LEVELS; i++) {
		if (i > level)
			return 0;
		if (bpf_probe_read_kernel(&up, sizeof up, (void *)leaf + bpf_core_field_offset(leaf->ancestors) + i * 8))
			return 0;
		attributes = BPF_CORE_READ(up, kn, iattr);
		if (attributes && BPF_CORE_READ(attributes, ia_uid.val))
			return up;
	}
	return 0;
}

/* Makes the free entry that was found last a cgroup's. */
static __always_inline void take(struct cpu *c, struct entry *free, struct group g, __u8 owner)
{
	struct origin *origin = bpf_map_lookup_elem(&origins, &c->bucket);
	struct cgroup_subsys_state *css = (void *)g.css;

	if (origin) {
		origin->id[c->place % PLACES] = BPF_CORE_READ(css, cgroup, kn, id);
		origin->owner[c->place % PLACES] = owner;
	}
	if (counted) {
		struct work *of = bpf_map_lookup_elem(&works, &c->bucket);

		if (of)
			of[c->place % PLACES] = (struct work){};
	}
	free->sum = 0;
	free->key = g.key;
}

/*
 * Finds the entry that counts for a cgroup. Of one owner's only so many have their own on a CPU: all further ones count
 * for the owner's uppermost, so that others find room.
 */
static __noinline struct entry *entry_of(struct cpu *c, struct group *of)
{
	struct entry *entry = find(c, of->key);
	struct group g = *of;
	struct cgroup_subsys_state *css;
	struct owned *owned;
	struct cgroup *top;
	__u32 at, slot;

	if (!entry || entry->key == g.key)
		return entry;
	top = owned_by((void *)g.css);
	if (!top) {
		take(c, entry, g, 0);
		return entry;
	}
	at = 1 + (((__u64)top >> 6) * 0x9E3779B97F4A7C15ULL >> 32) % (OWNERS - 1);
	slot = bpf_get_smp_processor_id() * OWNERS + at;
	owned = bpf_map_lookup_elem(&owners, &slot);
	if (owned && owned->taken - owned->freed < most) {
		owned->taken++;
		take(c, entry, g, at);
		return entry;
	}
	css = &top->self;
	if (subsystem >= 0 && bpf_probe_read_kernel(&css, sizeof css, (void *)top + bpf_core_field_offset(top->subsys) + subsystem * 8))
		return 0;
	g = (struct group){ (__u64)css, key_of(BPF_CORE_READ(css, serial_nr)) };
	entry = find(c, g.key);
	if (entry && entry->key != g.key)
		take(c, entry, g, 0);
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

/* Adds what was counted since the stretch began. A counter that cannot be read is 0: it counts nothing here. */
static __always_inline void count(struct cpu *c, struct work *to, struct work now)
{
	if (to && c->base.cycles && now.cycles > c->base.cycles && now.instructions >= c->base.instructions) {
		to->cycles += now.cycles - c->base.cycles;
		to->instructions += now.instructions - c->base.instructions;
	}
}

/* Ends the stretch of a CPU, which ran g if it ran a cgroup. */
static __always_inline void end(struct cpu *c, struct group g, __u64 at, struct work now)
{
	struct work *work = 0;
	struct entry *entry;

	if (c->state == IDLE) {
		c->idle += stamp(at);
	} else if (c->state == KERNEL) {
		c->kernel += at - c->since;
		work = &c->kernel_work;
	} else if (c->state == GROUP) {
		entry = entry_of(c, &g);
		if (entry) {
			entry->sum += at - c->since;
			note(c->bucket);
			if (counted) {
				struct work *of = bpf_map_lookup_elem(&works, &c->bucket);

				work = of ? &of[c->place % PLACES] : 0;
			}
		} else {
			c->full += at - c->since;
			c->refused++;
			work = &c->full_work;
		}
	}
	if (counted)
		count(c, work, now);
}

static __always_inline __u64 state_of(struct task_struct *task)
{
	return task->flags & PF_IDLE ? IDLE : task->flags & PF_KTHREAD ? KERNEL : GROUP;
}

/* The CPU runs a task since a time. */
static __always_inline void runs(struct cpu *c, struct task_struct *task, __u64 at, struct work now)
{
	c->task = (__u64)task;
	c->set = (__u64)task->cgroups;
	c->state = state_of(task);
	c->since = at;
	c->base = now;
	if (c->state == IDLE)
		c->idle -= stamp(at);
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

/*
 * Some kernels do not trace the switch from certain system threads. The task that came after such a one has the CPU
 * for as long as the scheduler says. That of an idle CPU is not known before idled is attached: then it is false.
 */
static __always_inline bool untraced(struct cpu *c, struct task_struct *task)
{
	__u64 ran = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime, now = bpf_ktime_get_ns(), at;
	struct work work = {};

	if (!c->since)
		return false;
	if (task->flags & PF_IDLE) {
		c->untraced++;
		return false;
	}
	at = ran < now - c->since ? now - ran : c->since;
	if (counted)
		work = counted_until(c, at, now);
	end(c, group_in(c->set), at, work);
	runs(c, task, at, work);
	return true;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 zero = 0;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &zero);
	struct work work = {};
	bool known;
	__u64 now;

	if (!c || (hidden && prev->tgid == hidden))
		return 0;
	known = c->task == (__u64)prev || untraced(c, prev);
	if (known && c->state == state_of(next) && (c->state != GROUP || prev->cgroups == next->cgroups)) {
		c->task = (__u64)next;
		c->set = (__u64)next->cgroups; /* the last one may have been moved */
		return 0;
	}
	now = bpf_ktime_get_ns();
	if (counted)
		work = counters();
	end(c, known ? group_of(prev) : group_in(c->set), now, work);
	runs(c, next, now, work);
	return 0;
}

/* Ends what a CPU did so far: it runs this task now, as far as is known for the first time. */
static __always_inline int found(struct cpu *c, struct task_struct *task)
{
	struct work work = {};
	__u64 now = bpf_ktime_get_ns();

	if (counted)
		work = counters();
	end(c, group_in(c->set), now, work);
	runs(c, task, now, work);
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

	return !c || state == (__u32)-1 || c->task == (__u64)task ? 0 : found(c, task);
}

/* Runs once on each CPU at the start: a CPU that never goes idle may not switch for long. */
SEC("raw_tp")
int begin(void *ctx)
{
	__u32 zero = 0;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &zero);

	return !c || c->since ? 0 : found(c, (void *)bpf_get_current_task_btf());
}

/* Ends the stretch of a CPU that works and begins it again, so that it can be read. */
SEC("raw_tp")
int renew(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u32 zero = 0;
	struct cpu *c = bpf_map_lookup_elem(&cpus, &zero);
	struct work work = {};
	__u64 at;

	/* Of an idle task the next switch knows since when, and idled once it is attached. */
	if (!c || c->state < KERNEL || (c->task != (__u64)task && !untraced(c, task)))
		return 0;
	at = bpf_ktime_get_ns();
	if (counted)
		work = counters();
	end(c, group_of(task), at, work);
	runs(c, task, at, work);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
