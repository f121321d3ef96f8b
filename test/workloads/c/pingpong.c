/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * pingpong [N]: two threads hand a turn to each other N times through futexes (default 100000), as fast as they can.
 *
 * Output: the futex waits that returned 0, the round trips per second, and a line per thread. A wait whose wake comes
 * between queueing and switching returns 0 without a sleep, so the kernel's count of voluntary switches during the
 * exchange (in the thread lines) is the truth about sleeps; the two differ by a few in 100000. No thread waits in a futex
 * for anything else: there is no pthread_join.
 */
#include "threads.h"

static int turn[2];
static long n;
static long waits[2]; /* that returned 0 */
static int done;

static void await(int *word, int value, int who)
{
	int seen;

	while ((seen = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != value)
		if (futex(word, FUTEX_WAIT, seen) == 0)
			waits[who]++;
}

static void hand(int *word, int value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	futex(word, FUTEX_WAKE, 1);
}

static void *pong(void *unused)
{
	long before = voluntary_switches();

	(void)unused;
	for (int i = 1; i <= n; i++) {
		await(&turn[0], i, 1);
		hand(&turn[1], i);
	}
	print_thread_since("pong", before);
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec a, b;
	pthread_t t;
	long before;
	double s;

	n = arg(argc, argv, 1, 100000);
	setvbuf(stdout, NULL, _IOFBF, 4096);
	clock_gettime(CLOCK_MONOTONIC, &a);
	start(&t, pong, NULL);
	before = voluntary_switches();
	for (int i = 1; i <= n; i++) {
		hand(&turn[0], i);
		await(&turn[1], i, 0);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		;
	print_thread_since("ping", before);
	s = (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9;
	printf("roundtrips=%ld waits=%ld per_second=%.0f\n", n, waits[0] + waits[1], n / s);
	return 0;
}
