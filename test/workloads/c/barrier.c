/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * barrier [THREADS] [PHASES] [STEPS]: threads that compute and meet at a barrier after each phase (default 4, 2000,
 * 200000). Thread i computes STEPS * (i + 1) / THREADS steps, so the last one is always critical.
 *
 * Output: phases, a sum, and a line per thread.
 */
#include "threads.h"

static pthread_barrier_t meet;
static long threads, phases, steps;
static uint64_t sum;

static void *run(void *p)
{
	long i = (long)p;
	uint64_t x = i + 1;

	for (long k = 0; k < phases; k++) {
		x = work(x, steps * (i + 1) / threads);
		pthread_barrier_wait(&meet);
	}
	__atomic_fetch_add(&sum, x, __ATOMIC_RELAXED);
	print_thread("worker");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t *t;

	threads = arg(argc, argv, 1, 4);
	phases = arg(argc, argv, 2, 2000);
	steps = arg(argc, argv, 3, 200000);
	t = calloc(threads, sizeof *t);
	if (!t || pthread_barrier_init(&meet, NULL, threads))
		die("barrier", ENOMEM);
	for (long i = 0; i < threads; i++)
		start(&t[i], run, (void *)i);
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	free(t);
	printf("threads=%ld phases=%ld sum=%llu\n", threads, phases, (unsigned long long)sum);
	return 0;
}
