// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The driver "stepless": any clock from min_khz to max_khz and no table of them, as cppc_cpufreq and intel_cpufreq have it,
 * also from within the scheduler (fast_switch). Which governors there are is not the driver's choice: on a kernel without
 * cpufreq_userspace only the limits hold the clock.
 */
#include "clock.h"

static int request(struct cpufreq_policy *policy, unsigned int khz, unsigned int relation)
{
	struct cpufreq_freqs freqs = { .old = policy->cur, .new = khz };
	int t = taken();

	if (t < 0)
		return t;
	cpufreq_freq_transition_begin(policy, &freqs);
	if (t > 0)
		clock_becomes(policy->cpus, khz);
	cpufreq_freq_transition_end(policy, &freqs, 0);
	return 0;
}

static unsigned int request_fast(struct cpufreq_policy *policy, unsigned int khz)
{
	int t = taken();

	if (t < 0)
		return 0;
	if (t > 0)
		clock_becomes(policy->cpus, khz);
	return khz;
}

static int verify(struct cpufreq_policy_data *policy)
{
	cpufreq_verify_within_cpu_limits(policy);
	return 0;
}

static int init_policy(struct cpufreq_policy *policy)
{
	domain_of(policy);
	policy->min = policy->cpuinfo.min_freq = min_khz;
	policy->max = policy->cpuinfo.max_freq = max_khz;
	policy->cpuinfo.transition_latency = 10000;
	policy->fast_switch_possible = true;
	return 0;
}

struct cpufreq_driver stepless_driver = {
	.name = "ebb-stepless", .flags = CPUFREQ_CONST_LOOPS,
	.init = init_policy, .verify = verify, .target = request, .fast_switch = request_fast, .get = current_khz,
};
