// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The driver "table": states from min_khz to max_khz, as acpi-cpufreq has them. */
#include <linux/slab.h>

#include "clock.h"

static struct cpufreq_frequency_table *table;

static int request(struct cpufreq_policy *policy, unsigned int index)
{
	int t = taken();

	if (t > 0)
		clock_becomes(policy->cpus, table[index].frequency);
	return min(t, 0);
}

static int init_policy(struct cpufreq_policy *policy)
{
	domain_of(policy);
	policy->freq_table = table;
	policy->cpuinfo.transition_latency = 10000;
	return 0;
}

struct cpufreq_driver table_driver = {
	.name = "ebb-platform", .flags = CPUFREQ_CONST_LOOPS | CPUFREQ_NEED_INITIAL_FREQ_CHECK,
	.init = init_policy, .verify = cpufreq_generic_frequency_table_verify, .target_index = request, .get = current_khz,
	.attr = cpufreq_generic_attr,
};

int table_fill(void)
{
	unsigned int i, states = (max_khz - min_khz) / step_khz + 1;

	table = kcalloc(states + 1, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	for (i = 0; i < states; i++)
		table[i].frequency = min_khz + i * step_khz;
	table[states].frequency = CPUFREQ_TABLE_END;
	return 0;
}

void table_free(void)
{
	kfree(table);
	table = NULL;
}
