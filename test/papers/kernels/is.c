// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// is ROUNDS: integer sort. Keys come from a random function that is called four times for each, as
// in NPB's IS, and are ranked by counting.
#include "kernels.h"

enum { KEYS = 1 << 20, RANGE = 1 << 16 };

static int keys[KEYS], ranks[RANGE + 1];

APART double random_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

APART void create_sequence(uint64_t seed)
{
#pragma omp parallel for
    for (int part = 0; part < 16; part++) {
        uint64_t state = seed + (uint64_t)part * 1000003;
        for (int i = part * (KEYS / 16); i < (part + 1) * (KEYS / 16); i++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += random_number(&state);
            keys[i] = (int)(sum / 4 * RANGE);
        }
    }
}

APART void rank(void)
{
    for (int i = 0; i <= RANGE; i++)
        ranks[i] = 0;
    for (int i = 0; i < KEYS; i++)
        ranks[keys[i] + 1]++;
    for (int i = 0; i < RANGE; i++)
        ranks[i + 1] += ranks[i];
}

APART double verify(void)
{
    double sum = 0;
    for (int i = 0; i < KEYS; i += 1024)
        sum += ranks[keys[i]];
    return sum;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 10;
    double began = seconds(), sum = 0;
    for (long r = 0; r < rounds; r++) {
        create_sequence((uint64_t)r + 1);
        for (int i = 0; i < 10; i++)
            rank();
        sum += verify();
    }
    finish(began, sum);
    return 0;
}
