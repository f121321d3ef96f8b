// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The cpufreq driver: a table of states from min_khz to max_khz. */
#include <linux/cpufreq.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "platform.h"

static unsigned int domain = 1;	/* CPUs of a policy */
module_param(domain, uint, 0444);

/* Faults: so many requests are refused, or taken without effect; -1 for all. */
static int refuse, ignore;
module_param(refuse, int, 0644);
module_param(ignore, int, 0644);

static struct cpufreq_frequency_table *table;
static bool registered;

static bool one_of(int *left)
{
	if (*left > 0)
		return (*left)-- > 0;
	return *left < 0;
}

static int request(struct cpufreq_policy *policy, unsigned int index)
{
	unsigned int cpu;

	if (one_of(&refuse))
		return -EIO;
	if (one_of(&ignore))
		return 0;
	for_each_cpu(cpu, policy->cpus)
		RECKONED(&per_cpu(vcpus, cpu), _v->khz = table[index].frequency);
	return 0;
}

static unsigned int current_khz(unsigned int cpu)
{
	return delivered(&per_cpu(vcpus, cpu));
}

static int init_policy(struct cpufreq_policy *policy)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (cpu / domain == policy->cpu / domain)
			cpumask_set_cpu(cpu, policy->cpus);
	policy->freq_table = table;
	policy->cpuinfo.transition_latency = 10000;
	return 0;
}

static struct cpufreq_driver driver = {
	.name = "ebb-platform", .flags = CPUFREQ_CONST_LOOPS | CPUFREQ_NEED_INITIAL_FREQ_CHECK,
	.init = init_policy, .verify = cpufreq_generic_frequency_table_verify, .target_index = request, .get = current_khz,
	.attr = cpufreq_generic_attr,
};

int clock_start(void)
{
	unsigned int i, states = (max_khz - min_khz) / step_khz + 1;
	int err;

	table = kcalloc(states + 1, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < states; i++)
		table[i].frequency = min_khz + i * step_khz;
	table[states].frequency = CPUFREQ_TABLE_END;
	err = cpufreq_register_driver(&driver);
	registered = !err;
	return err;
}

void clock_stop(void)
{
	if (registered)
		cpufreq_unregister_driver(&driver);
	kfree(table);
}
