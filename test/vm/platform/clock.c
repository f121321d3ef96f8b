// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* What the cpufreq drivers have in common: requests with their faults, and which of the drivers is registered. */
#include <linux/module.h>

#include "clock.h"

static unsigned int domain = 1;	/* CPUs of a policy */
module_param(domain, uint, 0444);

/* Faults: so many requests are refused, or taken without effect; -1 for all. */
static int refuse, ignore;
module_param(refuse, int, 0644);
module_param(ignore, int, 0644);

static struct {
	const char *name;
	struct cpufreq_driver *of;
} drivers[] = {
	{ "table", &table_driver },
	{ "stepless", &stepless_driver },
	{ "active", &active_driver },
};
static unsigned int driver; /* of drivers */
static bool started, registered;

static bool one_of(int *left)
{
	if (*left > 0)
		return (*left)-- > 0;
	return *left < 0;
}

int taken(void)
{
	if (one_of(&refuse))
		return -EIO;
	return !one_of(&ignore);
}

void clock_becomes(const struct cpumask *cpus, unsigned int khz)
{
	unsigned int cpu;

	if (coupled > 1) /* others' clocks may change as well */
		reckon_all();
	for_each_cpu(cpu, cpus)
		RECKONED(&per_cpu(vcpus, cpu), _v->khz = khz);
}

unsigned int current_khz(unsigned int cpu)
{
	return delivered(&per_cpu(vcpus, cpu));
}

void domain_of(struct cpufreq_policy *policy)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (cpu / domain == policy->cpu / domain)
			cpumask_set_cpu(cpu, policy->cpus);
}

static int become(unsigned int d)
{
	int err;

	if (registered)
		cpufreq_unregister_driver(drivers[driver].of);
	err = cpufreq_register_driver(drivers[d].of);
	registered = !err;
	if (!err)
		driver = d;
	return err;
}

/* The driver: a write registers another one in place of it, whose policies are new. */
static int driver_set(const char *text, const struct kernel_param *kp)
{
	unsigned int d;

	for (d = 0; d < ARRAY_SIZE(drivers); d++)
		if (sysfs_streq(text, drivers[d].name))
			break;
	if (d == ARRAY_SIZE(drivers))
		return -EINVAL;
	if (started)
		return become(d);
	driver = d; /* as the module is loaded */
	return 0;
}

static int driver_get(char *text, const struct kernel_param *kp)
{
	return sysfs_emit(text, "%s\n", drivers[driver].name);
}
static const struct kernel_param_ops driver_ops = { .set = driver_set, .get = driver_get };
module_param_cb(driver, &driver_ops, NULL, 0644);

int clock_start(void)
{
	int err = table_fill();

	started = !err;
	return err ?: become(driver);
}

void clock_stop(void)
{
	if (registered)
		cpufreq_unregister_driver(drivers[driver].of);
	registered = false;
	table_free();
}
