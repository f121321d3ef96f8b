// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// signals: a handler that calls functions, many times a second; at last it ends the program.
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "self.h"

static volatile uint64_t handled, helps, leaves;

APART void leaf(void) { leaves++; work(10); }
APART void help(void) { helps++; }
APART void handler(int number)
{
    (void)number;
    handled++;
    help();
    if (handled == 500) {
        say((void *)handler, handled);
        say((void *)help, helps);
        exit(0);
    }
}

int main(void)
{
    signal(SIGALRM, handler);
    struct itimerval every = {{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &every, 0);
    for (;;)
        leaf();
}
