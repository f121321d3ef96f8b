// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// sleeps CALLS: a function that sleeps, and one that does not, each in turn. Besides its calls the
// program says how often it has slept in the first (as function 1), and how many switches of its
// thread the kernel has counted around all calls of either (as functions 2 and 3).
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "self.h"

static uint64_t calls, slept, around[2];

APART void sleeps(uint64_t times)
{
    struct timespec little = {0, 20000};
    for (uint64_t i = 0; i < times; i++, slept++)
        nanosleep(&little, 0);
}
APART void wakes(void) { work(2000); }

static __attribute__((no_instrument_function)) uint64_t switches(void)
{
    struct rusage use;
    getrusage(RUSAGE_THREAD, &use);
    return (uint64_t)use.ru_nvcsw + (uint64_t)use.ru_nivcsw;
}

int main(int argc, char **argv)
{
    for (long wanted = argc > 1 ? atol(argv[1]) : 100; wanted > 0; wanted--, calls++) {
        uint64_t before = switches();
        sleeps(calls % 4);
        uint64_t between = switches();
        wakes();
        around[0] += between - before, around[1] += switches() - between;
    }
    say((void *)sleeps, calls);
    say((void *)wakes, calls);
    say((void *)1, slept);
    say((void *)2, around[0]);
    say((void *)3, around[1]);
    return 0;
}
