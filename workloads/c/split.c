/*
 * Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
 *
 * split [SECONDS]: two threads that spend their CPU time in three functions as 6 : 3 : 1, to within a millisecond, and one
 * that sleeps. The second function waits for memory. Prints the CPU time of each function, in ns, as the threads
 * measured it.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 2
#define LINES (1 << 19)

static uint64_t sink;
static uint32_t chase[LINES * 16];

static int64_t at(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int64_t own_time(void)
{
	return at(CLOCK_THREAD_CPUTIME_ID);
}

__attribute__((noinline)) void most(uint64_t n)
{
	uint64_t x = n;

	while (n--)
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	__atomic_add_fetch(&sink, x, __ATOMIC_RELAXED);
}

__attribute__((noinline)) void some(uint64_t n)
{
	uint32_t at = n % LINES;

	for (n /= 40; n--;)
		at = chase[at * 16];
	__atomic_add_fetch(&sink, at, __ATOMIC_RELAXED);
}

__attribute__((noinline)) void little(uint64_t n)
{
	double x = n;

	while (n--)
		x = x * 1.0000001 + 0.5;
	__atomic_add_fetch(&sink, (uint64_t)x, __ATOMIC_RELAXED);
}

struct worker {
	pthread_t thread;
	int64_t until, spent[3];
};

static void *work(void *p)
{
	static void (*const f[3])(uint64_t) = { most, some, little };
	static const int parts[3] = { 6, 3, 1 };
	struct worker *w = p;
	int64_t before = own_time();
	uint32_t random = at(CLOCK_MONOTONIC); /* else the threads would do the same at the same moments of their CPU time */

	for (int64_t now = before; now < w->until; before = now) {
		int next = 0;

		/* Whoever is furthest behind his part. */
		for (int i = 1; i < 3; i++)
			if (w->spent[i] * parts[next] < w->spent[next] * parts[i])
				next = i;
		/* Not all of a length: who looks every so often would see the same moment of each round. */
		random = random * 1664525u + 1013904223u;
		f[next](50000 + (random >> 16) * 3 / 2);
		now = own_time();
		w->spent[next] += now - before;
	}
	return 0;
}

static void *asleep(void *p)
{
	sleep(1000);
	return p;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 5;
	struct worker w[THREADS] = { 0 };
	int64_t sum[3] = { 0 };
	pthread_t sleeper;

	/* One cycle through all lines, in an order that no prefetcher guesses. */
	for (uint32_t i = 0; i < LINES; i++)
		chase[i * 16] = (i * 1664525u + 1013904223u) % LINES;
	pthread_create(&sleeper, 0, asleep, 0);
	pthread_detach(sleeper);
	for (int i = 0; i < THREADS; i++) {
		w[i].until = seconds * 1e9;
		pthread_create(&w[i].thread, 0, work, &w[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(w[i].thread, 0);
		for (int k = 0; k < 3; k++)
			sum[k] += w[i].spent[k];
	}
	printf("most %lld\nsome %lld\nlittle %lld\n", (long long)sum[0], (long long)sum[1], (long long)sum[2]);
	return 0;
}
