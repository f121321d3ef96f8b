// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// plain CALLS: nested calls, recursion, and a function that is called once.
#include <stdlib.h>

#include "self.h"

static uint64_t leaves, branches, recursions, onces;

APART void leaf(void) { leaves++; work(20); }
APART void branch(void)
{
    branches++;
    leaf();
    leaf();
}
APART void once(void) { onces++; }
APART int recursion(int n)
{
    recursions++;
    if (n < 2)
        return n;
    return recursion(n - 1) + recursion(n - 2);
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1000;
    once();
    for (long i = 0; i < calls; i++)
        branch();
    recursion(15);
    say((void *)main, 1);
    say((void *)leaf, leaves);
    say((void *)branch, branches);
    say((void *)once, onces);
    say((void *)recursion, recursions);
    return 0;
}
