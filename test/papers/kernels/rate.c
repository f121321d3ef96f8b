// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// rate CALLS STEPS: calls of a function that takes a number of dependent multiplications.
#include "kernels.h"

__attribute__((noipa)) uint64_t called(uint64_t x, long steps)
{
    for (long i = 0; i < steps; i++)
        x = x * 6364136223846793005u + 1;
    return x;
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1000000, steps = argc > 2 ? atol(argv[2]) : 80;
    double began = seconds();
    uint64_t x = 1;
    for (long i = 0; i < calls; i++)
        x = called(x, steps);
    finish(began, (double)(x & 1));
    return 0;
}
