/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * bursts [BUSY_US [IDLE_US]]: computes for BUSY_US of CPU time (default 4000), sleeps for IDLE_US (default 6000), and so
 * on until it is killed.
 */
#include "threads.h"

int main(int argc, char **argv)
{
	long busy = arg(argc, argv, 1, 4000), idle = arg(argc, argv, 2, 6000);
	struct timespec pause = { idle / 1000000, idle % 1000000 * 1000 }, t;
	uint64_t x = 1;
	long from, now;

	for (;;) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		from = t.tv_sec * 1000000 + t.tv_nsec / 1000;
		do {
			x = work(x, 10000);
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
			now = t.tv_sec * 1000000 + t.tv_nsec / 1000;
		} while (now - from < busy);
		nanosleep(&pause, 0);
		if (x == 42)
			puts("42");
	}
}
