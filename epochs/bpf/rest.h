/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * While the reader rests, a quantum's end is silent if the program did what it did before. The first CPU to reach the end
 * adds up what followed threads did on all CPUs. Rates and their bounds are those of the package governor/coalesce.
 */
#ifndef EBB_REST_H
#define EBB_REST_H

#include "state.h"

struct span {
	__u64 low;
	__u64 high;
};

/* Written by user space, rest_until last: the end of the rest; 0: there is none. */
struct span rest_within[4];
__u64 rest_until;

/* When a process was created last, or executed a program. */
__u64 born_at;

/*
 * Who names processes has to meet them while they live: a rest ends with the quantum of a birth, and the quanta after it
 * are heard.
 */
static __always_inline void birth(void)
{
	if (births_ns)
		born_at = bpf_ktime_get_ns();
}

/*
 * At the ends of the two quanta that were checked last. Timers of several CPUs ring at one moment: each compares with the
 * quantum before, which none of them writes meanwhile, and all write the same.
 */
struct check {
	__u64 quantum_end;
	__u64 at;
	__u64 lost;
	struct work work;
};
struct check checks[2];

struct sum {
	__u64 at;
	struct work work;
};

static long add_cpu(__u32 cpu, struct sum *s)
{
	struct cpu *c = bpf_map_lookup_elem(&cpus, &cpu);
	__u64 from;

	if (!c)
		return 1;
	from = c->from;
	if (from && s->at > from)
		s->work.run += s->at - from; /* the slice that is open */
	s->work.run += c->work.run;
	s->work.counted += c->work.counted;
	s->work.switches += c->work.switches;
	s->work.instructions += c->work.instructions;
	s->work.requests += c->work.requests;
	return 0;
}

/* Before Linux 5.17 by a loop, which the verifier follows to its end: the loader bounds the number of CPUs. */
static __always_inline void add_cpus(struct sum *s)
{
	if (!loop_cpus) {
		bpf_loop(1 << 16, add_cpu, s, 0);
		return;
	}
	for (__u32 cpu = 0; cpu < loop_cpus; cpu++)
		if (add_cpu(cpu, s))
			break;
}

static __always_inline bool has(const struct span *s, __u64 n, __u64 of)
{
	__u64 rate = n / of;

	return s->low <= rate && rate <= s->high;
}

static __always_inline bool as_before(const struct sum *s, const struct check *before)
{
	const struct work *w = &s->work, *last = &before->work;
	__u64 time = s->at - before->at, counted = w->counted - last->counted;
	__u64 instructions = w->instructions - last->instructions;

	if (!time || drops[DROP_RING_FULL] != before->lost)
		return false;
	if (!has(&rest_within[0], (w->run - last->run) << 16, time) ||
	    !has(&rest_within[1], (w->switches - last->switches) << 30, time))
		return false;
	if (!counted)
		return true;
	if (!has(&rest_within[2], instructions << 16, counted)) /* also where the counters have stopped */
		return false;
	return !instructions || has(&rest_within[3], (w->requests - last->requests) << 20, instructions);
}

/* Whether the end of a quantum is silent. The verifier walks it once, and not for each state that its callers come in. */
__noinline int silent(__u64 quantum_end)
{
	/* Read once: another CPU that checks this quantum writes one of them at its end. */
	__u64 first = *(volatile __u64 *)&checks[0].quantum_end, second = *(volatile __u64 *)&checks[1].quantum_end;
	bool last = second > first;
	struct check *now = &checks[!last];
	struct sum s = {};

	if (!rests)
		return false;
	if (births_ns && quantum_end < born_at + births_ns)
		rest_until = 0;
	if (first >= quantum_end || second >= quantum_end)
		return rest_until > quantum_end;
	s.at = bpf_ktime_get_ns();
	add_cpus(&s);
	if (rest_until <= quantum_end || !as_before(&s, &checks[last]))
		rest_until = 0;
	now->at = s.at;
	now->work = s.work;
	now->lost = drops[DROP_RING_FULL];
	barrier();
	now->quantum_end = quantum_end;
	return rest_until > quantum_end;
}

/* Adds a slice that was closed; deltas is what the counters advanced, 0 where that is not known. */
static __always_inline void did(struct cpu *c, __u64 run, const __u64 *deltas)
{
	if (!rests)
		return;
	c->work.run += run;
	if (!deltas)
		return;
	if (instructions_at < MAX_COUNTERS && instructions_at < counters) {
		c->work.instructions += deltas[instructions_at];
		c->work.counted += run;
	}
	if (requests_at < MAX_COUNTERS && requests_at < counters)
		c->work.requests += deltas[requests_at];
}

#endif
