// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Throttling, by the mean of the package's power over some time. Above hot_mw the die is hot: the clock drops to the lowest
 * until it has cooled, and the kernel's counts in the CPUs' thermal_throttle rise, as arch/x86's therm_throt.c has them. Above
 * limit_mw the clock is lowered just so far that the mean stays near it, as a package's power limit does; the kernel counts
 * nothing then, unless it is booted with int_pln_enable, but the zone shows the limit.
 */
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/math64.h>
#include <linux/module.h>

#include "platform.h"

/* Faults: 0 for none. over_ms is the time constant of the mean. */
unsigned int limit_mw;
static unsigned int hot_mw, over_ms = 250;
module_param(limit_mw, uint, 0644);
module_param(hot_mw, uint, 0644);
module_param(over_ms, uint, 0644);

#define COOL_PERCENT 97		/* of hot_mw, below which it runs on */
#define DROOP_PERCENT 5		/* of limit_mw by which the mean is above it at the lowest clock */

/* What the kernel counts of a CPU, and of its package. */
struct throttled {
	unsigned long count, max_ms, total_ms;
};
static DEFINE_PER_CPU(struct throttled, cores);
static struct throttled package;

static u64 at, used_pj, mean_mw, hot_since;
static bool hot;

static void note(struct throttled *t, u64 ms)
{
	t->max_ms = max_t(unsigned long, t->max_ms, ms);
	t->total_ms += ms;
}

static void becomes_hot(bool is, u64 now)
{
	u64 ms = div_u64(now - hot_since, NSEC_PER_MSEC);
	int cpu;

	if (is == hot)
		return;
	hot = is;
	hot_since = now;
	for_each_online_cpu(cpu)
		if (is)
			per_cpu(cores, cpu).count++;
		else
			note(&per_cpu(cores, cpu), ms);
	if (is)
		package.count++;
	else
		note(&package, ms);
}

void throttle_tick(void)
{
	u64 now = ktime_get_ns(), pj, ns = now - at, over;
	unsigned int khz = max_khz;

	if (!hot_mw && !limit_mw && !hot && ceiling_khz == max_khz) {
		at = 0;
		return;
	}
	pj = package_pj();
	if (!at) { /* cold */
		mean_mw = 0;
		ns = 0;
	} else {
		s64 off = (s64)div64_u64(pj - used_pj, ns) - (s64)mean_mw; /* pJ/ns = mW */

		mean_mw += div_s64(off * (s64)min(ns, (u64)over_ms * NSEC_PER_MSEC), max(over_ms, 1u) * NSEC_PER_MSEC);
	}
	at = now;
	used_pj = pj;
	becomes_hot(hot_mw && (mean_mw > hot_mw || (hot && mean_mw * 100 > (u64)hot_mw * COOL_PERCENT)), now);
	if (limit_mw && mean_mw > limit_mw) {
		over = div_u64((mean_mw - limit_mw) * 100 * 1000, limit_mw * DROOP_PERCENT);
		khz -= div_u64((max_khz - min_khz) * min(over, 1000ULL), 1000);
	}
	ceiling_becomes(hot ? min_khz : khz);
}

#define COUNT(name, of, field)										\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *text)		\
{													\
	return sysfs_emit(text, "%lu\n", (of)->field);							\
}													\
static DEVICE_ATTR_RO(name)

COUNT(core_throttle_count, &per_cpu(cores, dev->id), count);
COUNT(core_throttle_max_time_ms, &per_cpu(cores, dev->id), max_ms);
COUNT(core_throttle_total_time_ms, &per_cpu(cores, dev->id), total_ms);
COUNT(package_throttle_count, &package, count);
COUNT(package_throttle_max_time_ms, &package, max_ms);
COUNT(package_throttle_total_time_ms, &package, total_ms);

static struct attribute *attributes[] = {
	&dev_attr_core_throttle_count.attr, &dev_attr_core_throttle_max_time_ms.attr, &dev_attr_core_throttle_total_time_ms.attr,
	&dev_attr_package_throttle_count.attr, &dev_attr_package_throttle_max_time_ms.attr, &dev_attr_package_throttle_total_time_ms.attr,
	NULL,
};
static const struct attribute_group group = { .name = "thermal_throttle", .attrs = attributes };
static struct cpumask shown;

/* The kernel has none of these here: no virtual CPU has a sensor. */
int throttle_start(void)
{
	int cpu, err = 0;

	for_each_present_cpu(cpu) {
		err = sysfs_create_group(&get_cpu_device(cpu)->kobj, &group);
		if (err)
			break;
		cpumask_set_cpu(cpu, &shown);
	}
	return err;
}

void throttle_stop(void)
{
	int cpu;

	for_each_cpu(cpu, &shown)
		sysfs_remove_group(&get_cpu_device(cpu)->kobj, &group);
	cpumask_clear(&shown);
}
