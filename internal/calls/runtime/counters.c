// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// Up to two counters of the processor for each thread, read together. The program must not see
// errno change: its next test of it may be about a call of its own.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "thread.h"

static PLAIN int open_one(const struct settings *s, int i, int leader)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = s->types[i];
    attr.config = s->events[i];
    attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.exclude_kernel = s->types[i] == PERF_TYPE_HARDWARE;
    attr.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

// High descriptors, so that the program's own have the numbers that they always have.
static PLAIN int raise_number(int fd)
{
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 900);
    if (high < 0)
        return fd;
    close(fd);
    return high;
}

// own says whether the descriptor is still the counter's with that id: the program may have closed
// it, and opened something else by its number.
static PLAIN int own(int fd, uint64_t id)
{
    uint64_t found;
    return fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, &found) == 0 && found == id;
}

void ebb_close_counters(struct thread *t)
{
    int before = errno;
    if (own(t->second, t->second_id))
        close(t->second);
    if (own(t->counter, t->counter_id))
        close(t->counter);
    t->counter = t->second = -1;
    errno = before;
}

// ebb_open_counters opens the counters that ebb asked for; where it cannot, it counts that.
void ebb_open_counters(struct thread *t)
{
    struct settings *s = &ebb_shared->settings;
    int before = errno;
    int wanted = (s->types[0] != UINT32_MAX) + (s->types[1] != UINT32_MAX), opened = 0;
    t->counter = t->second = -1;
    if (wanted > 0)
        t->counter = raise_number(open_one(s, 0, -1));
    if (wanted > 1 && t->counter >= 0)
        t->second = raise_number(open_one(s, 1, t->counter));
    opened += t->counter >= 0 && ioctl(t->counter, PERF_EVENT_IOC_ID, &t->counter_id) == 0;
    opened += t->second >= 0 && ioctl(t->second, PERF_EVENT_IOC_ID, &t->second_id) == 0;
    if (opened != wanted) {
        __atomic_fetch_add(&s->uncounted_counters, 1, __ATOMIC_RELAXED);
        ebb_close_counters(t);
    }
    errno = before;
}

// ebb_read_counters reads both, and returns 0 where it could not. Otherwise it is one more than the
// time for which the kernel had no counter free for them: between two readings of which that
// differs, some was not counted.
uint64_t ebb_read_counters(struct thread *t, uint64_t counts[EBB_COUNTERS])
{
    struct {
        uint64_t number, enabled, running, values[EBB_COUNTERS];
    } read_back = {0};
    if (t->counter < 0)
        return 0;
    int before = errno;
    if (!own(t->counter, t->counter_id) || read(t->counter, &read_back, sizeof read_back) < 32) {
        ebb_close_counters(t);
        errno = before;
        return 0;
    }
    memcpy(counts, read_back.values, sizeof read_back.values);
    return 1 + read_back.enabled - read_back.running;
}
