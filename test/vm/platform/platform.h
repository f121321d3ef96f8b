/* Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/*
 * A task's name ends with an @ and its character: the permille of its time at the highest frequency that
 * waits for memory, which no clock of the core shortens. With m permille, work that takes 1 at the highest
 * frequency F takes at the frequency f
 *
 *	m/1000 + (1 - m/1000) F/f
 *
 * A name without an @ is a task that never waits.
 */
enum counter { CYCLES, INSTRUCTIONS, STALLED, OCCUPIED, STORE_FULL, STORE_RFO, COUNTERS };

/* A CPU, with what it has counted and used up to the time at (ns). */
struct vcpu {
	raw_spinlock_t lock;
	unsigned int cpu;		/* its number */
	u64 at;
	u64 count[COUNTERS];
	u64 core_pj, access_pj;		/* energy of the core, and of its requests to memory */
	u64 busy_ns;
	u64 read, written;		/* lines of memory, in millionths */
	s64 owed;			/* ns by which its tasks are ahead of what the model lets them do */
	unsigned int khz;		/* what was asked for */
	unsigned int waits;		/* permille of the running task */
	s64 kind;			/* factor of the energy of the running task's instructions, in 1/65536; with hidden physics */
	s64 mk;				/* the die's temperature above the reference */
	bool busy;
	unsigned int used;		/* hardware counters taken */
};
DECLARE_PER_CPU(struct vcpu, vcpus);

/* hidden.c: see there for units. Without a seed there is none, and the physics are those of model.c. */
struct physics {
	u64 seed;
	unsigned int bend_khz;			/* below it the voltage is flat */
	s64 low, high, curve;			/* volts there and at the highest frequency, and how far from a line in between */
	s64 barrier;				/* leakage follows V e^(barrier V) */
	s64 work_mw, clock_mw, leakage_mw;	/* at the highest frequency */
	s64 gated;				/* permille of the clock's power that a waiting core does not draw */
	s64 uncore_mw, traffic_mw, ceiling_mw;	/* traffic, if it all waits for memory, and the most that it draws */
	s64 ambient_mk, resistance, fold_mk;	/* resistance in mK/W; fold_mk multiplies leakage by e */
	s32 constant_us;
	u32 jitter_ns, noise, gain;		/* the counters': see meter.c; noise and gain in permille */
};
extern struct physics physics;

u64 mixed(u64 *state);			/* the next random number */
s64 hidden_kind(const char *name);
void hidden_use(struct vcpu *v, unsigned int khz, u64 ns, u64 work, u64 waited);

extern unsigned int min_khz, max_khz, step_khz;
extern unsigned int coupled;		/* CPUs whose clocks move together, whatever cpufreq says */
extern unsigned int ceiling_khz;	/* what throttling leaves */
extern unsigned int limit_mw;		/* the package's power limit; 0 for none */
extern unsigned int lines_read, lines_written;	/* lines of memory in a ms of waiting */

/* model.c */
void model_begin(void);
void model_becomes(void (*draw)(u64 seed), u64 seed);
void reckon_all(void);
void ceiling_becomes(unsigned int khz);
void reckon(struct vcpu *v);		/* up to now; with v->lock held */
void pay(struct vcpu *v);		/* the same, and what is owed; releases v->lock meanwhile */
unsigned int delivered(const struct vcpu *v);
u64 uncore_pj(void);			/* since the beginning, whatever the CPUs did */
u64 dram_background_pj(void);
u64 stretched(const struct vcpu *v, u64 ns);	/* the time until a task has lost ns */
u64 voltage_cubed(unsigned int khz, u64 x);	/* x (V/Vmax)^3 */

#define RECKONED(v, code) do {						\
	struct vcpu *_v = (v);						\
	unsigned long _flags;						\
									\
	raw_spin_lock_irqsave(&_v->lock, _flags);			\
	reckon(_v);							\
	code;								\
	raw_spin_unlock_irqrestore(&_v->lock, _flags);			\
} while (0)

/* One pair for each part of the platform. The stop functions may be called after a start that failed, or none. */
int tasks_start(void);			/* tasks.c: which task runs */
void tasks_stop(void);
int pace_start(void);			/* pace.c: tasks made slower */
void pace_stop(void);
int meter_start(void);			/* meter.c: powercap */
void meter_stop(void);
u64 package_pj(void);			/* used since the beginning */
void meter_update(void);		/* what the counters show with hidden physics; once a pace_us */
int clock_start(void);			/* clock.c: cpufreq */
void clock_stop(void);
void active_tick(void);			/* active.c: once a pace_us, on each CPU */
int throttle_start(void);		/* throttle.c */
void throttle_stop(void);
void throttle_tick(void);		/* once a pace_us, on one CPU */
int pmu_start(void);			/* pmu.c */
void pmu_stop(void);
int memory_start(void);			/* memory.c */
void memory_stop(void);

#endif
