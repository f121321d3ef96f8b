/*
 * Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
 *
 * split [SECONDS [apart]]: threads, each pinned to a CPU, that spend twice SECONDS of CPU time in three
 * functions as 6 : 3 : 1, to within some milliseconds, and one thread that sleeps. The second function waits
 * for memory. Two threads have all three functions, or, apart, each function has a thread of its own. Prints
 * the CPU time of each function, in ns, as the threads measured it.
 */
#define _GNU_SOURCE /* sched_getaffinity, pthread_setaffinity_np */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 2
#define FUNCTIONS 3
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

static void (*const function[FUNCTIONS])(uint64_t) = { most, some, little };
static const char *const name[FUNCTIONS] = { "most", "some", "little" };
static const int parts[FUNCTIONS] = { 6, 3, 1 };

struct worker {
	pthread_t thread;
	int only; /* the function that it has; -1: all */
	int64_t until, spent[FUNCTIONS];
};

/* The function of w that is furthest behind its part. */
static int next(const struct worker *w)
{
	int next = 0;

	if (w->only >= 0)
		return w->only;
	for (int i = 1; i < FUNCTIONS; i++)
		if (w->spent[i] * parts[next] < w->spent[next] * parts[i])
			next = i;
	return next;
}

static void *work(void *p)
{
	struct worker *w = p;
	int64_t before = own_time();
	uint32_t random = at(CLOCK_MONOTONIC); /* else the threads would do the same at the same moments of their CPU time */

	for (int64_t now = before; now < w->until; before = now) {
		int i = next(w);

		/*
		 * Long enough that reading the clock, once a round, takes a small share of any function's time. The
		 * lengths differ: a periodic sampler would otherwise see the same moment of each round.
		 */
		random = random * 1664525u + 1013904223u;
		function[i](300000 + (random >> 16) * 9);
		now = own_time();
		w->spent[i] += now - before;
	}
	return 0;
}

static void *asleep(void *p)
{
	sleep(1000);
	return p;
}

/* Keeps t on the n-th of the CPUs that the process may use, counted round. */
static void pin(pthread_t t, int n)
{
	cpu_set_t may, one;
	int cpu = -1;

	if (sched_getaffinity(0, sizeof may, &may))
		return;
	for (n %= CPU_COUNT(&may); n >= 0; n--)
		while (!CPU_ISSET(++cpu, &may))
			;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_setaffinity_np(t, sizeof one, &one);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 5;
	int apart = argc > 2 && !strcmp(argv[2], "apart"), threads = apart ? FUNCTIONS : THREADS;
	struct worker w[FUNCTIONS] = { 0 };
	pthread_t sleeper;

	/* One cycle through all lines, in an order that no prefetcher guesses. */
	for (uint32_t i = 0; i < LINES; i++)
		chase[i * 16] = (i * 1664525u + 1013904223u) % LINES;
	pthread_create(&sleeper, 0, asleep, 0);
	pthread_detach(sleeper);
	for (int i = 0; i < threads; i++) {
		w[i].only = apart ? i : -1;
		w[i].until = seconds * 1e9 * THREADS * (apart ? parts[i] / 10.0 : 1.0 / THREADS);
		pthread_create(&w[i].thread, 0, work, &w[i]);
		pin(w[i].thread, i);
	}
	for (int i = 0; i < threads; i++)
		pthread_join(w[i].thread, 0);
	for (int k = 0; k < FUNCTIONS; k++) {
		int64_t sum = 0;

		for (int i = 0; i < threads; i++)
			sum += w[i].spent[k];
		printf("%s %lld\n", name[k], (long long)sum);
	}
	return 0;
}
