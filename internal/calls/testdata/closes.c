// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// closes: a program that closes all descriptors but its output, and opens others by their numbers.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "self.h"

static uint64_t leaves;

APART void leaf(void)
{
    __atomic_fetch_add(&leaves, 1, __ATOMIC_RELAXED);
    work(10);
}
APART void *body(void *unused)
{
    for (int i = 0; i < 1000; i++)
        leaf();
    return unused;
}

int main(void)
{
    body(0);
    close_range(3, ~0U, 0);
    int fd = open("/dev/zero", O_RDONLY);
    for (int n = 600; n < 1000; n++)
        dup2(fd, n);
    usleep(30000);
    body(0);
    pthread_t other;
    if (pthread_create(&other, 0, body, 0))
        return 1;
    pthread_join(other, 0);
    say((void *)leaf, leaves);
    return 0;
}
