// Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * The counters of two memory controllers, as intel_uncore shows those of Skylake-SP: a PMU for each channel, counted on CPU 0 for
 * the whole machine. A task moves so many lines in each ms of its time at the highest clock that it waits for memory, half of
 * them by each channel.
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#include "platform.h"

#define CHANNELS 2

/* Lines in a ms of waiting; some 6 GB/s of both. */
unsigned int lines_read = 60000, lines_written = 30000;
module_param(lines_read, uint, 0644);
module_param(lines_written, uint, 0644);

/* Fault: the channels of this mask count each line twice. */
static unsigned int channel_doubled;
module_param(channel_doubled, uint, 0644);

static u64 value(const struct perf_event *event)
{
	int channel = event->hw.idx, cpu;
	u64 micro = 0, lines;

	for_each_possible_cpu(cpu)
		RECKONED(&per_cpu(vcpus, cpu), micro += event->hw.config ? _v->written : _v->read);
	lines = div_u64(div_u64(micro, 1000000) + channel, CHANNELS);
	return event->hw.config_base ? 2 * lines : lines;
}

static void update(struct perf_event *event)
{
	u64 now = value(event);

	local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static void start(struct perf_event *event, int flags)
{
	event->hw.config_base = !!(channel_doubled & BIT(event->hw.idx));
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
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		start(event, flags);
	return 0;
}

static void del(struct perf_event *event, int flags)
{
	stop(event, flags);
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
static struct attribute *formats[] = { &format_attr_event.attr, &format_attr_umask.attr, NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = formats };

PMU_EVENT_ATTR_STRING(cas_count_read, reads, "event=0x04,umask=0x03");
PMU_EVENT_ATTR_STRING(cas_count_read.scale, reads_scale, "6.103515625e-5");
PMU_EVENT_ATTR_STRING(cas_count_read.unit, reads_unit, "MiB");
PMU_EVENT_ATTR_STRING(cas_count_write, writes, "event=0x04,umask=0x0c");
PMU_EVENT_ATTR_STRING(cas_count_write.scale, writes_scale, "6.103515625e-5");
PMU_EVENT_ATTR_STRING(cas_count_write.unit, writes_unit, "MiB");
static struct attribute *events[] = {
	&reads.attr.attr, &reads_scale.attr.attr, &reads_unit.attr.attr,
	&writes.attr.attr, &writes_scale.attr.attr, &writes_unit.attr.attr, NULL,
};
static const struct attribute_group event_group = { .name = "events", .attrs = events };

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "0\n");
}
static DEVICE_ATTR_RO(cpumask);
static struct attribute *masks[] = { &dev_attr_cpumask.attr, NULL };
static const struct attribute_group mask_group = { .attrs = masks };
static const struct attribute_group *groups[] = { &format_group, &event_group, &mask_group, NULL };

static struct pmu channels[CHANNELS];
static unsigned int controllers; /* of channels, those that are registered */
static bool started;

static int init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->cpu < 0)
		return -EINVAL;
	switch (event->attr.config) {
	case 0x0304: event->hw.config = 0; break;
	case 0x0c04: event->hw.config = 1; break;
	default: return -EINVAL;
	}
	event->hw.idx = event->pmu - channels;
	event->cpu = 0;
	return 0;
}

static int controllers_are(unsigned int n)
{
	static const char *const names[CHANNELS] = { "uncore_imc_0", "uncore_imc_1" };
	int err;

	for (; controllers > n; controllers--)
		perf_pmu_unregister(&channels[controllers - 1]);
	for (; controllers < n; controllers++) {
		channels[controllers] = (struct pmu){
			.module = THIS_MODULE, .task_ctx_nr = perf_invalid_context, .attr_groups = groups,
			.capabilities = PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE,
			.event_init = init, .add = add, .del = del, .start = start, .stop = stop, .read = update,
		};
		err = perf_pmu_register(&channels[controllers], names[controllers], -1);
		if (err)
			return err;
	}
	return 0;
}

/* They come and go when the number is written, which must not be while they count. */
static unsigned int wanted;

static int controllers_set(const char *text, const struct kernel_param *kp)
{
	unsigned int n;
	int err = kstrtouint(text, 0, &n);

	if (!err && n > CHANNELS)
		err = -EINVAL;
	if (!err && started)
		err = controllers_are(n);
	if (!err)
		wanted = n;
	return err;
}
static const struct kernel_param_ops controllers_ops = { .set = controllers_set, .get = param_get_uint };
module_param_cb(controllers, &controllers_ops, &wanted, 0644);

int memory_start(void)
{
	started = true;
	return controllers_are(wanted);
}

void memory_stop(void)
{
	controllers_are(0);
}
