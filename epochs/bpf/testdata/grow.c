/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * grow N: N threads that stay and one that creates short threads all the time, until the input ends. Then prints how
 * many threads there were in all. With a second argument no thread is created any more, and the first one sleeps again and
 * again as the others do, until it is killed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int stop;
static long made;

static void *stay(void *unused)
{
	while (!stop)
		usleep(1000);
	return unused;
}

static void *brief(void *unused)
{
	return unused;
}

static void *grow(void *unused)
{
	while (!stop) {
		pthread_t t;

		if (pthread_create(&t, NULL, brief, NULL) || pthread_join(t, NULL))
			exit(1);
		made++;
	}
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t t[64], g;
	char c;

	for (int i = 0; i < n && i < 64; i++)
		if (pthread_create(&t[i], NULL, stay, NULL))
			return 1;
	if (argc > 2)
		stay(NULL);
	if (pthread_create(&g, NULL, grow, NULL))
		return 1;
	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	stop = 1;
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(t[i], NULL);
	pthread_join(g, NULL);
	printf("threads=%ld\n", 2 + n + made);
	return 0;
}
