// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The CPU's own PMU: the kernel's generic hardware events, and the raw ones of Skylake-SP (vendor's event
 * list) that count memory stalls.
 */
#include <linux/module.h>
#include <linux/perf_event.h>

#include "platform.h"

/* The number of events that a CPU counts at the same time. A real part has four general and three fixed ones. */
static unsigned int counters = 7;
module_param(counters, uint, 0644);

/* Fault: the errno with which opening events fails, the vendor's raw ones or all. 0 for none. */
static int raw_error, event_error;
module_param(raw_error, int, 0644);
module_param(event_error, int, 0644);

/* Fault: the events of this mask, by the numbers of enum counter, are counted twice. */
static unsigned int doubled;
module_param(doubled, uint, 0644);

static bool registered;

static int counter_of(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HARDWARE)
		switch (attr->config) {
		case PERF_COUNT_HW_CPU_CYCLES: return CYCLES;
		case PERF_COUNT_HW_INSTRUCTIONS: return INSTRUCTIONS;
		}
	if (attr->type == PERF_TYPE_RAW)
		switch (attr->config) {
		case 0x50005a3: return STALLED;		/* CYCLE_ACTIVITY.STALLS_L2_MISS */
		case 0x1000160: return OCCUPIED;	/* OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DEMAND_DATA_RD */
		case 0x40a6: return STORE_FULL;		/* EXE_ACTIVITY.BOUND_ON_STORES */
		case 0x1000460: return STORE_RFO;	/* OFFCORE_REQUESTS_OUTSTANDING.CYCLES_WITH_DEMAND_RFO */
		}
	return -ENOENT;
}

static int init(struct perf_event *event)
{
	int c;

	if (event->attr.type != PERF_TYPE_HARDWARE && event->attr.type != PERF_TYPE_RAW)
		return -ENOENT;
	if (is_sampling_event(event))
		return -EOPNOTSUPP;
	c = counter_of(&event->attr);
	if (c < 0)
		return c;
	if (event_error || (raw_error && event->attr.type == PERF_TYPE_RAW))
		return -(event_error ?: raw_error);
	event->hw.config = c;
	return 0;
}

static u64 value(const struct perf_event *event)
{
	u64 n;

	RECKONED(this_cpu_ptr(&vcpus), n = _v->count[event->hw.config]);
	return event->hw.config_base ? 2 * n : n;
}

static void update(struct perf_event *event)
{
	u64 now = value(event);

	local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static void start(struct perf_event *event, int flags)
{
	event->hw.config_base = !!(doubled & BIT(event->hw.config));
	local64_set(&event->hw.prev_count, value(event));
	event->hw.state = 0;
}

static void stop(struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		update(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int add(struct perf_event *event, int flags)
{
	struct vcpu *v = this_cpu_ptr(&vcpus);

	if (v->used >= counters)
		return -EAGAIN;
	v->used++;
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		start(event, flags);
	return 0;
}

static void del(struct perf_event *event, int flags)
{
	stop(event, flags);
	this_cpu_ptr(&vcpus)->used--;
}

static struct pmu pmu = {
	.module = THIS_MODULE, .task_ctx_nr = perf_hw_context, .capabilities = PERF_PMU_CAP_NO_INTERRUPT,
	.event_init = init, .add = add, .del = del, .start = start, .stop = stop, .read = update,
};

int pmu_start(void)
{
	int err = perf_pmu_register(&pmu, "cpu", PERF_TYPE_RAW);

	registered = !err;
	return err;
}

void pmu_stop(void)
{
	if (registered)
		perf_pmu_unregister(&pmu);
}
