// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// jumps: functions that are left by longjmp, also out of a signal's handler.
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "self.h"

static jmp_buf back;
static sigjmp_buf far;
static uint64_t outers, inners, handled, spins, afters;

APART void inner(int n)
{
    inners++;
    if (n == 0)
        longjmp(back, 1);
    inner(n - 1);
}
APART void outer(void)
{
    outers++;
    if (setjmp(back) == 0)
        inner(3);
}
APART void handler(int number)
{
    (void)number;
    handled++;
    siglongjmp(far, 1);
}
APART void spin(void) { spins++; work(50); }
APART void after(void) { afters++; work(100000); }

int main(void)
{
    for (int i = 0; i < 2000; i++)
        outer();
    signal(SIGALRM, handler);
    struct itimerval every = {{0, 700}, {0, 700}};
    setitimer(ITIMER_REAL, &every, 0);
    volatile int jumped = 0;
    sigsetjmp(far, 1);
    while (jumped++ < 200)
        for (int i = 0; i < 100000000; i++)
            spin();
    every.it_value.tv_usec = 0;
    setitimer(ITIMER_REAL, &every, 0);
    for (int i = 0; i < 1000; i++)
        after();
    say((void *)outer, outers);
    say((void *)inner, inners);
    say((void *)handler, handled);
    say((void *)after, afters);
    return 0;
}
