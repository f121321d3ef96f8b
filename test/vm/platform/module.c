// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * A platform with a clock for tests in virtual machines, which have none: cpufreq, energy meters and a PMU that agree with
 * each other, and tasks that are as slow as the clock says. Its parameters are faults and sizes.
 */
#include <linux/module.h>

#include "platform.h"

static void stop(void)
{
	memory_stop();
	pmu_stop();
	pace_stop();
	throttle_stop();
	clock_stop();
	meter_stop();
	tasks_stop();
}

static int __init platform_init(void)
{
	int err;

	model_begin();
	err = tasks_start();
	if (!err)
		err = meter_start();
	if (!err)
		err = clock_start();
	if (!err)
		err = throttle_start();
	if (!err)
		err = pmu_start();
	if (!err)
		err = memory_start();
	if (!err)
		err = pace_start();
	if (err)
		stop();
	return err;
}

static void __exit platform_exit(void)
{
	stop();
}

module_init(platform_init);
module_exit(platform_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a virtual machine's clock, energy meters and counters, for tests");
