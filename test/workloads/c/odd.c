/*
 * Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
 *
 * odd MILLISECONDS THREADS: a program that is hard to profile. Deletes its own file, takes a name that is no text, creates THREADS
 * threads that end at once, and then computes 200 calls deep.
 */
#include "threads.h"

#include <sys/prctl.h>

static uint64_t sink;

static void *ends(void *p)
{
	sink += (uintptr_t)p;
	return 0;
}

__attribute__((noinline)) static uint64_t deep(int depth, long ms)
{
	struct timespec a, b;
	uint64_t x = depth;

	if (depth > 0) {
		volatile uint64_t kept = deep(depth - 1, ms); /* or the compiler makes a loop of it */

		return kept + 1;
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	do {
		for (int i = 0; i < 10000; i++)
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < ms);
	return x;
}

int main(int argc, char **argv)
{
	long ms = arg(argc, argv, 1, 500), threads = arg(argc, argv, 2, 10000);

	unlink(argv[0]);
	prctl(PR_SET_NAME, "\xff\xfe;<b>\n");
	for (long i = 0; i < threads; i++) {
		pthread_t t;
		int err = pthread_create(&t, 0, ends, (void *)i);

		if (err)
			die("pthread_create", err);
		pthread_join(t, 0);
	}
	sink += deep(200, ms);
	printf("%llu\n", (unsigned long long)sink);
	return 0;
}
