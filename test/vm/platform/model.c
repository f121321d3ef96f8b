// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * A CPU's counts and energy, from its clock and the task on it. The parameters are plausible together, and
 * memory-bound work has its least energy inside the range of frequencies. They are no real machine's.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>

#include "platform.h"

unsigned int min_khz = 1000000, max_khz = 4000000, step_khz = 125000;
module_param(min_khz, uint, 0444);
module_param(max_khz, uint, 0444);
module_param(step_khz, uint, 0444);

/* Volts over frequency: a line between these two. */
static unsigned int min_mv = 650, max_mv = 1200;
module_param(min_mv, uint, 0444);
module_param(max_mv, uint, 0444);

/* Powers, all at the highest frequency. */
static unsigned int uncore_mw = 2500, leakage_mw = 4000, core_mw = 12000, dram_mw = 1500, access_mw = 2500;
module_param(uncore_mw, uint, 0444);
module_param(leakage_mw, uint, 0444);
module_param(core_mw, uint, 0444);
module_param(dram_mw, uint, 0444);
module_param(access_mw, uint, 0444);

/*
 * The counters of memory stalls, in permille of the time that really waits: a core stalls for less, as it
 * runs on for a while after a miss, and has a request outstanding for longer.
 */
static unsigned int stalled_permille = 950, occupied_permille = 1050;
module_param(stalled_permille, uint, 0444);
module_param(occupied_permille, uint, 0444);

/*
 * Instructions counted in 1000 cycles of a core that does not wait. With -icount the machine executes one in 2 ns, which is 125 at
 * the 4 GHz that its work takes its time at.
 */
static unsigned int ipc_permille = 2000;
module_param(ipc_permille, uint, 0644);

#define WAITING_PERMILLE 400	/* a waiting core's power, of a working one's */

/* Fault: the hardware delivers no more than this, whatever cpufreq asks for; 0 for no cap. */
static unsigned int cap_khz;

/* Fault: so many CPUs have the highest clock that was asked for on any of them, an idle one included. */
unsigned int coupled;

unsigned int ceiling_khz;

DEFINE_PER_CPU(struct vcpu, vcpus);
static u64 begun;

unsigned int delivered(const struct vcpu *v)
{
	unsigned int khz = v->khz;
	int cpu;

	if (coupled > 1)
		for_each_possible_cpu(cpu)
			if (cpu / coupled == v->cpu / coupled)
				khz = max(khz, READ_ONCE(per_cpu(vcpus, cpu).khz));
	if (cap_khz)
		khz = min(khz, cap_khz);
	return min(khz, ceiling_khz);
}

static u64 millivolts(unsigned int khz)
{
	return min_mv + div_u64((u64)(max_mv - min_mv) * (khz - min_khz), max_khz - min_khz);
}

static u64 voltage_squared(unsigned int khz, u64 x)
{
	u64 mv = millivolts(khz);

	return div_u64(x * mv * mv, max_mv * max_mv);
}

u64 voltage_cubed(unsigned int khz, u64 x)
{
	return div_u64(voltage_squared(khz, x) * millivolts(khz), max_mv);
}

/* The permille of a task's time, in units of 1/F: what its work would take 1000 F of at the highest frequency F. */
static u64 width(const struct vcpu *v, unsigned int khz)
{
	return (u64)v->waits * khz + (u64)(1000 - v->waits) * max_khz;
}

u64 stretched(const struct vcpu *v, u64 ns)
{
	unsigned int khz = delivered(v);

	return div64_u64(ns * (width(v, khz) / 1000), khz);
}

static u64 in_cycles(u64 ns, unsigned int khz)
{
	return div_u64(ns * khz, 1000000);
}

void reckon(struct vcpu *v)
{
	u64 now = ktime_get_ns(), ns = now - v->at, work, waited, power;
	unsigned int khz = delivered(v);

	v->at = now;
	if (!physics.seed)
		v->core_pj += ns * voltage_cubed(khz, leakage_mw);	/* ns mW = pJ */
	if (!v->busy) {
		if (physics.seed)
			hidden_use(v, khz, ns, 0, 0);
		return;
	}
	work = div64_u64(ns * 1000 * khz, width(v, khz));	/* what it would take at the highest frequency */
	waited = div64_u64(ns * v->waits * khz, width(v, khz));
	v->owed += ns - work;
	v->busy_ns += ns;
	v->read += div_u64(work * v->waits, 1000) * lines_read;
	v->written += div_u64(work * v->waits, 1000) * lines_written;

	v->count[CYCLES] += in_cycles(ns, khz);
	v->count[INSTRUCTIONS] += div_u64(in_cycles(ns - waited, khz) * ipc_permille, 1000);
	v->count[STALLED] += in_cycles(div_u64(waited * stalled_permille, 1000), khz);
	v->count[OCCUPIED] += in_cycles(min(div_u64(waited * occupied_permille, 1000), ns), khz);

	v->access_pj += div_u64(work * access_mw * v->waits, 1000);
	if (physics.seed) {
		hidden_use(v, khz, ns, work, waited);
		return;
	}
	power = voltage_squared(khz, div_u64((u64)core_mw * khz, max_khz));
	v->core_pj += (ns - waited) * power + div_u64(waited * power * WAITING_PERMILLE, 1000);
}

/* The uncore's energy up to the time changed_at. */
static u64 uncore_before, changed_at;

u64 uncore_pj(void)
{
	return uncore_before + (ktime_get_ns() - changed_at) * (physics.seed ? physics.uncore_mw : uncore_mw);
}

u64 dram_background_pj(void)
{
	return (ktime_get_ns() - begun) * dram_mw;
}

void model_begin(void)
{
	int cpu;

	ceiling_khz = max_khz;
	begun = changed_at = ktime_get_ns();
	for_each_possible_cpu(cpu) {
		struct vcpu *v = &per_cpu(vcpus, cpu);

		raw_spin_lock_init(&v->lock);
		v->cpu = cpu;
		v->at = begun;
		v->khz = max_khz;
	}
}

void reckon_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		RECKONED(&per_cpu(vcpus, cpu), );
}

void ceiling_becomes(unsigned int khz)
{
	if (khz == ceiling_khz)
		return;
	reckon_all();
	ceiling_khz = khz;
}

/* What was is reckoned by what was drawn before. */
void model_becomes(void (*draw)(u64 seed), u64 seed)
{
	unsigned long flags;
	int cpu;

	if (!begun) { /* as the module is loaded */
		draw(seed);
		return;
	}
	reckon_all();
	local_irq_save(flags);
	uncore_before = uncore_pj();
	changed_at = ktime_get_ns();
	draw(seed);
	for_each_possible_cpu(cpu)
		per_cpu(vcpus, cpu).mk = 0;
	local_irq_restore(flags);
}

static int coupled_set(const char *text, const struct kernel_param *kp)
{
	unsigned int n;
	int err = kstrtouint(text, 0, &n);

	if (!err && begun)
		reckon_all();
	if (!err)
		coupled = n;
	return err;
}
static const struct kernel_param_ops coupled_ops = { .set = coupled_set, .get = param_get_uint };
module_param_cb(coupled, &coupled_ops, &coupled, 0644);

static int cap_set(const char *text, const struct kernel_param *kp)
{
	unsigned int khz;
	int err = kstrtouint(text, 0, &khz);

	if (err || (khz && (khz < min_khz || khz > max_khz)))
		return err ?: -EINVAL;
	if (begun) /* what was is reckoned with what was delivered */
		reckon_all();
	cap_khz = khz;
	return 0;
}
static const struct kernel_param_ops cap_ops = { .set = cap_set, .get = param_get_uint };
module_param_cb(cap_khz, &cap_ops, &cap_khz, 0644);
