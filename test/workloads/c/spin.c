/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * spin [STEPS]: computes STEPS million steps (default 500) and never sleeps. A fixed amount of work, so that its time
 * can be compared.
 *
 * Output: steps per second of CPU time, a sum, and a line for the thread, with its voluntary switches while it computed.
 */
#include "threads.h"

int main(int argc, char **argv)
{
	long millions = arg(argc, argv, 1, 500);
	struct timespec a, b;
	uint64_t x = 1;
	long before;
	double s;

	before = voluntary_switches();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	x = work(x, millions * 1000000);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	s = (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9;
	print_thread_since("main", before);
	printf("per_cpu_second=%.0f sum=%llu\n", millions * 1e6 / s, (unsigned long long)x);
	return 0;
}
