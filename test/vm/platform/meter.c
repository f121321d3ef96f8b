// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Energy meters as intel_rapl shows them: the powercap zones intel-rapl:0 (package-0), intel-rapl:0:0 (dram) and, if asked for,
 * intel-rapl:0:1 (core).
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/powercap.h>

#include "platform.h"

/* As on most Intel parts: 32 bits of 2^-14 J. */
static unsigned long long wrap_uj = 262143328850ULL;
module_param(wrap_uj, ullong, 0644);

/* Fault: the package's counter leaps by so much when it is written, backwards if negative. */
static int leap_mj;
module_param(leap_mj, int, 0644);

/* Fault: the zones of this mask, as in "zones" below, stand still. */
static unsigned int frozen;
module_param(frozen, uint, 0644);

enum { PACKAGE, DRAM, CORES, ZONES };

static struct powercap_control_type *type;
static struct powercap_zone *zone[ZONES];

/* A counter's readings, in uJ: the last value, and the energy really used at the first and last reading. */
struct reading {
	u64 shown, first, last;
	u64 since, until;	/* used and counted when meter_permille changed */
	unsigned int before;	/* readings to come that are before the first */
	bool read;
};
static struct reading readings[ZONES];
static DEFINE_MUTEX(reading);

static u64 used_pj(int z)
{
	u64 pj = z == PACKAGE ? uncore_pj() : z == DRAM ? dram_background_pj() : 0;
	int cpu;

	for_each_possible_cpu(cpu)
		RECKONED(&per_cpu(vcpus, cpu), pj += z == DRAM ? _v->access_pj : _v->core_pj);
	return pj;
}

static u64 used_uj(int z)
{
	return div_u64(used_pj(z), 1000000);
}

u64 package_pj(void)
{
	return used_pj(PACKAGE);
}

/*
 * With hidden physics the counters are updated every pace_us. An update shows after a delay, is off by some of what was used
 * since the last one, which the next ones make up for, and all are off by a factor. Then they have steps of 2^-14 J.
 */
struct update {
	u64 at;		/* when it shows */
	u64 uj[ZONES], used[ZONES];
};
static struct update before, newest;
static DEFINE_RAW_SPINLOCK(updates);
static u64 random;

/* After so long without an update, as without hidden physics, nothing is off: the part of a minute would stand out for seconds. */
#define PAUSED (100 * NSEC_PER_MSEC)

void meter_update(void)
{
	u64 now = ktime_get_ns(), used[ZONES];
	unsigned long flags;
	bool paused;
	int z;

	for (z = 0; z < ZONES; z++)
		used[z] = used_uj(z);
	raw_spin_lock_irqsave(&updates, flags);
	paused = now > newest.at + PAUSED;
	before = newest;
	newest.at = now + mixed(&random) % (physics.jitter_ns + 1);
	for (z = 0; z < ZONES; z++) {
		s64 off = (s64)(mixed(&random) % (4 * physics.noise + 1)) - 2 * (s64)physics.noise;

		if (paused)
			off = 0;
		newest.used[z] = used[z];
		newest.uj[z] = max(before.uj[z], used[z] + div_s64((s64)(used[z] - before.used[z]) * off, 1000));
	}
	raw_spin_unlock_irqrestore(&updates, flags);
}

static u64 shown_uj(int z)
{
	unsigned long flags;
	u64 uj;

	raw_spin_lock_irqsave(&updates, flags);
	uj = ktime_get_ns() < newest.at ? before.uj[z] : newest.uj[z];
	raw_spin_unlock_irqrestore(&updates, flags);
	return div_u64(div_u64(div_u64(uj * physics.gain, 1000) * 256, 15625) * 15625, 256);
}

/* Fault: all zones count so many thousandths of what is used. */
static unsigned int meter_permille = 1000;

static u64 raw_uj(int z)
{
	return physics.seed ? shown_uj(z) : used_uj(z);
}

static u64 counted_uj(const struct reading *r, u64 raw)
{
	return r->until + div_u64((raw - r->since) * meter_permille, 1000);
}

static int permille_set(const char *text, const struct kernel_param *kp)
{
	unsigned int permille;
	int z, err = kstrtouint(text, 0, &permille);

	if (err)
		return err;
	mutex_lock(&reading);
	for (z = 0; z < ZONES && type; z++) { /* no counter leaps */
		u64 raw = raw_uj(z);

		readings[z].until = counted_uj(&readings[z], raw);
		readings[z].since = raw;
	}
	meter_permille = permille;
	mutex_unlock(&reading);
	return 0;
}
static const struct kernel_param_ops permille_ops = { .set = permille_set, .get = param_get_uint };
module_param_cb(meter_permille, &permille_ops, &meter_permille, 0644);

static int energy(struct powercap_zone *of, u64 *uj)
{
	int z = of == zone[PACKAGE] ? PACKAGE : of == zone[DRAM] ? DRAM : CORES;
	struct reading *r = &readings[z];

	mutex_lock(&reading);
	r->last = used_uj(z);
	if (!r->read)
		r->first = r->last;
	if (r->before)
		r->before--;
	else
		r->read = true;
	if (!(frozen & BIT(z)))
		div64_u64_rem(max_t(s64, counted_uj(r, physics.seed ? shown_uj(z) : r->last) + (z == PACKAGE ? leap_mj * 1000LL : 0), 0), wrap_uj, &r->shown);
	*uj = r->shown;
	mutex_unlock(&reading);
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
	*uw = limit_mw ? limit_mw * 1000ULL : 84000000;
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

static int add(int z, const char *name)
{
	struct powercap_zone *parent = z == PACKAGE ? NULL : zone[PACKAGE], *added;

	added = powercap_register_zone(NULL, type, name, parent, &zone_ops, 1, &constraint_ops);
	if (IS_ERR(added))
		return PTR_ERR(added);
	zone[z] = added;
	return 0;
}

static void drop(int z)
{
	if (zone[z])
		powercap_unregister_zone(type, zone[z]);
	zone[z] = NULL;
}

/* Fault: which zones there are: 1 for package-0, 2 for dram and 4 for core, which are below it. They come and go when it is written. */
static unsigned int zones = BIT(PACKAGE) | BIT(DRAM);

static int zones_are(unsigned int mask)
{
	int err = 0;

	if (!(mask & BIT(CORES)))
		drop(CORES);
	if (!(mask & BIT(DRAM)))
		drop(DRAM);
	if (!(mask & BIT(PACKAGE)))
		drop(PACKAGE);
	if (mask & BIT(PACKAGE) && !zone[PACKAGE])
		err = add(PACKAGE, "package-0");
	if (!err && mask & BIT(DRAM) && !zone[DRAM])
		err = add(DRAM, "dram");
	if (!err && mask & BIT(CORES) && !zone[CORES])
		err = add(CORES, "core");
	return err;
}

static int zones_set(const char *text, const struct kernel_param *kp)
{
	unsigned int mask;
	int err = kstrtouint(text, 0, &mask);

	if (!err && (mask >= BIT(ZONES) || (mask && !(mask & BIT(PACKAGE)))))
		err = -EINVAL;
	if (!err && type) /* it may be given before there is a meter */
		err = zones_are(mask);
	if (!err)
		zones = mask;
	return err;
}
static const struct kernel_param_ops zones_ops = { .set = zones_set, .get = param_get_uint };
module_param_cb(zones, &zones_ops, &zones, 0644);

/*
 * The energy that package-0, dram and core really used between their first and last reading, in uJ. A write resets it; the first
 * reading is then the one after so many others as are written.
 */
static int metered_get(char *text, const struct kernel_param *kp)
{
	int z, n = 0;

	for (z = 0; z < ZONES; z++)
		n += sysfs_emit_at(text, n, "%llu%c", readings[z].last - readings[z].first, z < CORES ? ' ' : '\n');
	return n;
}

static int metered_set(const char *text, const struct kernel_param *kp)
{
	unsigned int others;
	int z, err = kstrtouint(text, 0, &others);

	if (err)
		return err;
	for (z = 0; z < ZONES; z++) {
		readings[z].read = false;
		readings[z].before = others;
		readings[z].first = readings[z].last;
	}
	return 0;
}
static const struct kernel_param_ops metered_ops = { .set = metered_set, .get = metered_get };
module_param_cb(metered_uj, &metered_ops, NULL, 0644);

int meter_start(void)
{
	type = powercap_register_control_type(NULL, "intel-rapl", NULL);
	if (IS_ERR(type)) {
		int err = PTR_ERR(type);

		type = NULL;
		return err;
	}
	return zones_are(zones);
}

void meter_stop(void)
{
	zones_are(0);
	if (type)
		powercap_unregister_control_type(type);
	type = NULL;
}
