// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// What the kernels share: random numbers, a clock, and loops that OpenMP divides where it is there.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline))
#define QUIET __attribute__((no_instrument_function, no_profile_instrument_function))

static QUIET inline double seconds(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

// finish prints what the tables read: CPU time, and a sum that shows that the work was done.
static QUIET inline void finish(double began, double sum)
{
    printf("%.6f %.9g\n", seconds() - began, sum);
}
