// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// hooks CALLS: the time of a call with its hooks, the least of some rounds, in ns. It is compiled
// without instrumentation, with the C library's hooks, which do nothing, with gprof's and with ebb's.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function, no_profile_instrument_function))

__attribute__((noipa)) void called(void) { __asm__ volatile("" ::: "memory"); }

static QUIET double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

QUIET int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1000000;
    double least = 1e18;
    for (int round = 0; round < 50; round++) {
        double begin = now();
        for (long i = 0; i < calls; i++)
            called();
        double each = (now() - begin) / (double)calls;
        least = each < least ? each : least;
    }
    printf("%.2f\n", least);
    return 0;
}
