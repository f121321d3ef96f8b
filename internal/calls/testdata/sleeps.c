// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// sleeps CALLS: a function that sleeps, and one that does not, each in turn. Besides its calls the
// program says how many switches of its thread the kernel has counted within all calls of the first
// (as function 1), and around all calls of either (as functions 2 and 3). A sleep can be over before
// its thread has stopped, and is no switch then.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "self.h"

static uint64_t calls, within, around[2];

static __attribute__((no_instrument_function)) uint64_t switches(void)
{
    struct rusage use;
    getrusage(RUSAGE_THREAD, &use);
    return (uint64_t)use.ru_nvcsw + (uint64_t)use.ru_nivcsw;
}

APART void sleeps(uint64_t times)
{
    struct timespec little = {0, 20000};
    uint64_t before = switches();
    for (uint64_t i = 0; i < times; i++)
        nanosleep(&little, 0);
    within += switches() - before;
}
APART void wakes(void) { work(2000); }

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
    say((void *)1, within);
    say((void *)2, around[0]);
    say((void *)3, around[1]);
    return 0;
}
