// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// Programs that count their own calls, and print them for the test: process, address, calls.
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))
#define APART __attribute__((noinline))

// work takes about as many ns as it says.
static QUIET inline void work(uint64_t n)
{
    for (volatile uint64_t i = 0; i < n; i++)
        ;
}

static QUIET inline void say(void *function, uint64_t calls)
{
    char line[80];
    int n = snprintf(line, sizeof line, "%d %p %llu\n", (int)getpid(), function,
                     (unsigned long long)calls);
    if (write(1, line, (size_t)n) != n)
        _exit(1);
}
