// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Hidden physics: a power drawn from a seed, none of which has the form of ebb's own model. The voltage has a knee. Leakage
 * follows it more than linearly, and the die's temperature, which follows the power in 0.5 to 4 s. The uncore's power is concave in
 * its traffic. What an instruction costs depends on the kind of work, which no counter shows. On one seed in four the voltage
 * hardly falls and much power is always on, so that a lower clock saves little, or costs energy.
 *
 * Shares, factors and volts are in 1/65536, temperatures in mK above the reference.
 */
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/string.h>

#include "platform.h"

#define ONE 65536LL

struct physics physics;

/* splitmix64 */
u64 mixed(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static s64 between(u64 *state, s64 lo, s64 hi)
{
	return lo + (s64)(mixed(state) % (u64)(hi - lo + 1));
}

/* e^x for x from -8 to 4 */
static s64 exponential(s64 x)
{
	s64 y = x / 16, e = ONE + y + y * y / (2 * ONE) + y * y / ONE * y / (6 * ONE);
	int i;

	for (i = 0; i < 4; i++)
		e = e * e / ONE;
	return e;
}

/* mid times or divided by e^most at most */
static s64 spread(u64 *state, s64 mid, s64 most)
{
	return mid * exponential(between(state, -most, most)) / ONE;
}

static s64 volts(unsigned int khz)
{
	struct physics *p = &physics;
	s64 way;

	if (khz <= p->bend_khz)
		return p->low;
	way = div_s64((s64)(khz - p->bend_khz) * ONE, max_khz - p->bend_khz);
	way += (way * way / ONE - way) * p->curve / ONE;
	return p->low + (p->high - p->low) * way / ONE;
}

static void at_clock(unsigned int khz, s64 *switching, s64 *leaking)
{
	struct physics *p = &physics;
	s64 v = volts(khz);

	*switching = v * v / p->high * ONE / p->high;
	*leaking = div_s64(v * exponential((v - p->high) * p->barrier / ONE), p->high);
}

/* A kind of work is a task's name. Some 25 % is the deviation of its instructions' energy. */
s64 hidden_kind(const char *name)
{
	u64 state = physics.seed;
	s64 sum = 0;
	int i;

	for (; *name; name++)
		state = (state ^ (unsigned char)*name) * 0x100000001b3ULL;
	for (i = 0; i < 4; i++)
		sum += between(&state, -ONE, ONE);
	return exponential(sum * 22 / 100);
}

void hidden_use(struct vcpu *v, unsigned int khz, u64 ns, u64 work, u64 waited)
{
	struct physics *p = &physics;
	s64 switching, leaking, heat, uw, running = 0, waiting = 0, most = p->ceiling_mw, traffic = 0, pj;

	if (!ns)
		return;
	at_clock(khz, &switching, &leaking);
	heat = exponential(clamp_t(s64, div_s64(v->mk * ONE, p->fold_mk), -2 * ONE, 2 * ONE));
	uw = p->leakage_mw * 1000 * leaking / ONE * heat / ONE;
	if (v->busy) {
		s64 clock = div_s64(p->clock_mw * 1000 * khz, max_khz) * switching / ONE;

		running = clock + div_s64(p->work_mw * 1000 * khz, max_khz) * switching / ONE * v->kind / ONE;
		waiting = clock * (1000 - p->gated) / 1000;
		traffic = div64_u64(work * v->waits, ns) * p->traffic_mw / 1000;
		traffic = most * 1000 * (ONE - exponential(-traffic * ONE / most)) / ONE;
	}
	pj = div_s64((s64)ns * (uw + traffic) + (s64)(ns - waited) * running + (s64)waited * waiting, 1000);
	v->core_pj += pj;
	heat = p->ambient_mk + p->resistance * (div64_s64(pj, ns) + p->uncore_mw) / 1000;
	v->mk += div_s64((heat - v->mk) * (s64)min(ns / 1000, (u64)p->constant_us), p->constant_us);
}

/* Of the uncore, whatever the CPUs do. */
static void draw_uncore(u64 *s, bool flat)
{
	struct physics *p = &physics;

	p->uncore_mw = flat ? between(s, 6000, 15000) : spread(s, 2500, 60000);
	p->traffic_mw = spread(s, 2500, 45000);
	p->ceiling_mw = between(s, 700, 3000);
}

static void draw(u64 seed)
{
	struct physics *p = &physics;
	u64 s = seed;
	bool flat = seed && mixed(&s) % 4 == 0;

	memset(p, 0, sizeof(*p));
	p->seed = seed;
	p->bend_khz = between(&s, 1200000, 3000000);
	p->high = (flat ? between(&s, 900, 1100) : between(&s, 1000, 1300)) * ONE / 1000;
	p->low = flat ? p->high * between(&s, 900, 990) / 1000 : between(&s, 650, 850) * ONE / 1000;
	p->curve = between(&s, 0, ONE);
	p->barrier = between(&s, ONE, 3 * ONE);
	p->work_mw = spread(&s, 7000, 34000);
	p->clock_mw = spread(&s, 4000, 34000);
	p->gated = between(&s, 200, 800);
	p->leakage_mw = spread(&s, 3000, 45000);
	draw_uncore(&s, flat);
	p->ambient_mk = -between(&s, 5000, 30000);
	p->resistance = between(&s, flat ? 200 : 400, flat ? 600 : 1600);
	p->fold_mk = between(&s, 30000, 50000);
	p->constant_us = between(&s, 500000, 4000000);
	p->jitter_ns = between(&s, 0, 900000);
	p->noise = between(&s, 0, 30);
	p->gain = between(&s, 930, 1070);
}

/* A write draws the machine anew, with the die at its reference temperature. 0: the physics of model.c. */
static int hidden_set(const char *text, const struct kernel_param *kp)
{
	unsigned long long seed;
	int err = kstrtoull(text, 0, &seed);

	if (!err)
		model_becomes(draw, seed);
	return err;
}

static int hidden_get(char *text, const struct kernel_param *kp)
{
	return sysfs_emit(text, "%llu\n", physics.seed);
}
static const struct kernel_param_ops hidden_ops = { .set = hidden_set, .get = hidden_get };
module_param_cb(hidden, &hidden_ops, NULL, 0644);
