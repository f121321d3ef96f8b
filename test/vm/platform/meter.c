// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Energy meters as intel_rapl shows them: the powercap zones intel-rapl:0 (package-0) and intel-rapl:0:0 (dram). */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/powercap.h>

#include "platform.h"

/* As on most Intel parts: 32 bits of 2^-14 J. */
static unsigned long long wrap_uj = 262143328850ULL;
module_param(wrap_uj, ullong, 0644);

static struct powercap_control_type *type;
static struct powercap_zone *package, *dram;

static int energy(struct powercap_zone *zone, u64 *uj)
{
	u64 pj = zone == package ? uncore_pj() : dram_background_pj();
	int cpu;

	for_each_possible_cpu(cpu)
		RECKONED(&per_cpu(vcpus, cpu), pj += zone == package ? _v->core_pj : _v->access_pj);
	div64_u64_rem(div_u64(pj, 1000000), wrap_uj, uj);
	return 0;
}

static int energy_range(struct powercap_zone *zone, u64 *uj)
{
	*uj = wrap_uj;
	return 0;
}

static int enabled(struct powercap_zone *zone, bool *on)
{
	*on = true;
	return 0;
}

static int release(struct powercap_zone *zone)
{
	return 0;
}

static const struct powercap_zone_ops zone_ops = {
	.get_max_energy_range_uj = energy_range, .get_energy_uj = energy, .get_enable = enabled, .release = release,
};

/* powercap_register_zone wants a constraint of each zone. Nothing is limited. */
static int set_nothing(struct powercap_zone *zone, int id, u64 value)
{
	return -EOPNOTSUPP;
}

static int get_power(struct powercap_zone *zone, int id, u64 *uw)
{
	*uw = 84000000;
	return 0;
}

static int get_window(struct powercap_zone *zone, int id, u64 *us)
{
	*us = 1000000;
	return 0;
}

static const char *constraint_name(struct powercap_zone *zone, int id)
{
	return "long_term";
}

static const struct powercap_zone_constraint_ops constraint_ops = {
	.set_power_limit_uw = set_nothing, .get_power_limit_uw = get_power,
	.set_time_window_us = set_nothing, .get_time_window_us = get_window, .get_name = constraint_name,
};

int meter_start(void)
{
	type = powercap_register_control_type(NULL, "intel-rapl", NULL);
	if (IS_ERR(type))
		return PTR_ERR(type);
	package = powercap_register_zone(NULL, type, "package-0", NULL, &zone_ops, 1, &constraint_ops);
	if (IS_ERR(package))
		return PTR_ERR(package);
	dram = powercap_register_zone(NULL, type, "dram", package, &zone_ops, 1, &constraint_ops);
	return PTR_ERR_OR_ZERO(dram);
}

void meter_stop(void)
{
	if (!IS_ERR_OR_NULL(dram))
		powercap_unregister_zone(type, dram);
	if (!IS_ERR_OR_NULL(package))
		powercap_unregister_zone(type, package);
	if (!IS_ERR_OR_NULL(type))
		powercap_unregister_control_type(type);
}
