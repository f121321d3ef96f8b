/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * prodcons [THREADS] [ITEMS] [STEPS]: THREADS producers and as many consumers share a queue of 8 places, guarded by a
 * mutex and two condition variables (default 2, 500000 items in all, 500 steps of work on each side of an item).
 *
 * Output: items, a sum, and a line per thread.
 */
#include "threads.h"

enum { PLACES = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static uint64_t queue[PLACES];
static int head, used;
static long made, taken; /* items, guarded by mutex */
static long items, steps;
static uint64_t sum;

static void *producer(void *p)
{
	uint64_t x = (long)p + 1;

	for (;;) {
		x = work(x, steps);
		pthread_mutex_lock(&mutex);
		while (used == PLACES && made < items)
			pthread_cond_wait(&not_full, &mutex);
		if (made == items) {
			pthread_mutex_unlock(&mutex);
			break;
		}
		queue[(head + used++) % PLACES] = x;
		if (++made == items) {
			/* The other producers wait for a place they no longer need. */
			pthread_cond_broadcast(&not_full);
		}
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&mutex);
	}
	print_thread("producer");
	return NULL;
}

static void *consumer(void *unused)
{
	uint64_t x, local = 0;

	(void)unused;
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (used == 0 && taken < items)
			pthread_cond_wait(&not_empty, &mutex);
		if (taken == items) {
			pthread_mutex_unlock(&mutex);
			break;
		}
		x = queue[head];
		head = (head + 1) % PLACES;
		used--;
		if (++taken == items)
			pthread_cond_broadcast(&not_empty);
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&mutex);
		local += work(x, steps);
	}
	__atomic_fetch_add(&sum, local, __ATOMIC_RELAXED);
	print_thread("consumer");
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = arg(argc, argv, 1, 2);
	pthread_t *t;

	items = arg(argc, argv, 2, 500000);
	steps = arg(argc, argv, 3, 500);
	t = calloc(2 * threads, sizeof *t);
	if (!t)
		die("calloc", ENOMEM);
	for (long i = 0; i < threads; i++) {
		start(&t[2 * i], producer, (void *)i);
		start(&t[2 * i + 1], consumer, NULL);
	}
	for (long i = 0; i < 2 * threads; i++)
		pthread_join(t[i], NULL);
	free(t);
	printf("items=%ld sum=%llu\n", taken, (unsigned long long)sum);
	return 0;
}
