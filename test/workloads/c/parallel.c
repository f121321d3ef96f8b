/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * parallel [THREADS [STEPS [PAUSE_US]]]: THREADS threads (default 2) compute STEPS million steps each (default 300), in
 * 100 pieces, and sleep for PAUSE_US (default: not at all) between them. They wait for nothing but their CPUs.
 */
#include "threads.h"

static long millions, pause_us;

static void *compute(void *seed)
{
	uint64_t x = (uint64_t)(uintptr_t)seed;
	struct timespec pause = { pause_us / 1000000, pause_us % 1000000 * 1000 };
	int i;

	for (i = 0; i < 100; i++) {
		x = work(x, millions * 10000);
		if (pause_us)
			nanosleep(&pause, 0);
	}
	return (void *)(uintptr_t)x;
}

int main(int argc, char **argv)
{
	long n = arg(argc, argv, 1, 2);
	pthread_t threads[64];
	uint64_t sum = 0;
	void *x;
	long i;

	millions = arg(argc, argv, 2, 300);
	pause_us = arg(argc, argv, 3, 0);
	if (n < 1 || n > 64)
		die("threads: 1 to 64", 0);
	for (i = 0; i < n; i++)
		start(&threads[i], compute, (void *)(uintptr_t)(i + 1));
	for (i = 0; i < n; i++) {
		pthread_join(threads[i], &x);
		sum += (uint64_t)(uintptr_t)x;
	}
	printf("threads=%ld sum=%llu\n", n, (unsigned long long)sum);
	return 0;
}
