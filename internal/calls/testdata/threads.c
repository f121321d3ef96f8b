// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// threads TOGETHER ROUNDS CALLS: rounds of threads, one round after the other.
#include <pthread.h>
#include <stdlib.h>

#include "self.h"

static uint64_t all;
static long calls;

APART void leaf(void) { work(10); }
APART void *body(void *unused)
{
    for (long i = 0; i < calls; i++)
        leaf();
    __atomic_fetch_add(&all, (uint64_t)calls, __ATOMIC_RELAXED);
    return unused;
}

int main(int argc, char **argv)
{
    long together = atol(argv[1]), rounds = atol(argv[2]);
    calls = argc > 3 ? atol(argv[3]) : 1000;
    pthread_t *threads = calloc((size_t)together, sizeof *threads);
    for (long r = 0; r < rounds; r++) {
        for (long i = 0; i < together; i++)
            if (pthread_create(&threads[i], 0, body, 0))
                return 1;
        for (long i = 0; i < together; i++)
            pthread_join(threads[i], 0);
    }
    say((void *)leaf, all);
    say((void *)body, (uint64_t)(together * rounds));
    return 0;
}
