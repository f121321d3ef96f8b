// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The driver "active": it chooses the clock itself, between the limits of each CPU's own policy, as intel_pstate in its active
 * mode and amd-pstate-epp do. Its two governors are policies of the driver (setpolicy): performance stays at the upper limit,
 * powersave follows the CPU's load. There are no states to list and no speed to ask for.
 */
#include <linux/math64.h>

#include "clock.h"

#define LOOK_NS (10 * NSEC_PER_MSEC)

struct choice {
	unsigned int low, high;		/* kHz; 0 when the driver does not run the CPU */
	bool performance;
	int hint;			/* of hints */
	u64 at, busy_ns;		/* of the last look */
};
static DEFINE_PER_CPU(struct choice, choices);

/* Energy performance preferences, by the part of the highest clock that a fully busy CPU gets, in percent. */
static const struct {
	const char *name;
	unsigned int percent;
} hints[] = { { "default", 125 }, { "performance", 1000 }, { "balance_performance", 125 }, { "balance_power", 100 }, { "power", 90 } };

static int setpolicy(struct cpufreq_policy *policy)
{
	struct choice *c = &per_cpu(choices, policy->cpu);
	struct vcpu *v = &per_cpu(vcpus, policy->cpu);
	int t = taken();

	if (t <= 0)
		return t;
	c->performance = policy->policy == CPUFREQ_POLICY_PERFORMANCE;
	c->low = policy->min;
	c->high = policy->max;
	clock_becomes(cpumask_of(policy->cpu), c->performance ? c->high : clamp(v->khz, c->low, c->high));
	return 0;
}

void active_tick(void)
{
	unsigned int cpu = smp_processor_id();
	struct choice *c = this_cpu_ptr(&choices);
	struct vcpu *v = this_cpu_ptr(&vcpus);
	u64 now = ktime_get_ns(), busy;
	unsigned int khz;

	if (!c->high || now - c->at < LOOK_NS)
		return;
	RECKONED(v, busy = _v->busy_ns);
	khz = div64_u64((busy - c->busy_ns) * max_khz / 100 * hints[c->hint].percent, now - c->at);
	c->at = now;
	c->busy_ns = busy;
	khz = c->performance ? c->high : clamp(khz, c->low, c->high);
	if (khz != v->khz)
		clock_becomes(cpumask_of(cpu), khz);
}

static int verify(struct cpufreq_policy_data *policy)
{
	cpufreq_verify_within_cpu_limits(policy);
	return 0;
}

static int init_policy(struct cpufreq_policy *policy)
{
	policy->min = policy->cpuinfo.min_freq = min_khz;
	policy->max = policy->cpuinfo.max_freq = max_khz;
	policy->policy = CPUFREQ_POLICY_POWERSAVE;
	return 0;
}

static void exit_policy(struct cpufreq_policy *policy)
{
	per_cpu(choices, policy->cpu).high = 0;
}

static ssize_t show_energy_performance_preference(struct cpufreq_policy *policy, char *text)
{
	return sysfs_emit(text, "%s\n", hints[per_cpu(choices, policy->cpu).hint].name);
}

static ssize_t store_energy_performance_preference(struct cpufreq_policy *policy, const char *text, size_t size)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hints); i++)
		if (sysfs_streq(text, hints[i].name)) {
			per_cpu(choices, policy->cpu).hint = i;
			return size;
		}
	return -EINVAL;
}
cpufreq_freq_attr_rw(energy_performance_preference);

static ssize_t show_energy_performance_available_preferences(struct cpufreq_policy *policy, char *text)
{
	ssize_t n = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(hints); i++)
		n += sysfs_emit_at(text, n, "%s ", hints[i].name);
	return n + sysfs_emit_at(text, n, "\n");
}
cpufreq_freq_attr_ro(energy_performance_available_preferences);

static struct freq_attr *attributes[] = { &energy_performance_preference, &energy_performance_available_preferences, NULL };

struct cpufreq_driver active_driver = {
	.name = "ebb-active", .flags = CPUFREQ_CONST_LOOPS, .init = init_policy, .exit = exit_policy,
	.verify = verify, .setpolicy = setpolicy, .get = current_khz, .attr = attributes,
};
