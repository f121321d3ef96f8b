// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// uneven CALLS: each fourth call takes ten times as long as the others.
#include <stdlib.h>

#include "self.h"

static uint64_t calls;

APART void uneven(uint64_t n)
{
    calls++;
    work(n);
}

int main(int argc, char **argv)
{
    long all = argc > 1 ? atol(argv[1]) : 4000;
    for (long i = 0; i < all; i++)
        uneven(i % 4 == 3 ? 500000 : 50000);
    say((void *)uneven, calls);
    return 0;
}
