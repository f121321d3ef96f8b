/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * children KIND ROUNDS [pinned]: plain and between do the same work, plain in long stretches, and between in short ones with a
 * child after each: by vfork, fork, spawn, or thread, or none. With workers, a new thread does both each time, first plain.
 * Pinned, all of it keeps to one CPU. The stretches' lengths vary, so that they are in step with nothing.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 12, MOST = 800000 };

extern char **environ;
static volatile unsigned long sink;

/*
 * Apart from their names they are equal, which must not make them one. Each multiplication waits for the one before, so
 * that neither is faster for its place in memory.
 */
__attribute__((noinline, noclone)) void plain(unsigned long n)
{
	unsigned long x = sink;

	for (unsigned long i = 0; i < n; i++)
		x = x * 6364136223846793005 + i;
	sink = x;
}

__attribute__((noinline, noclone)) void between(unsigned long n)
{
	unsigned long x = sink;

	for (unsigned long i = 0; i < n; i++)
		x = x * 6364136223846793005 + i;
	sink = x;
}

static void *nothing(void *unused)
{
	return unused;
}

static void *work(void *stretch)
{
	plain(*(unsigned long *)stretch);
	between(*(unsigned long *)stretch);
	return NULL;
}

static void worker(unsigned long stretch)
{
	pthread_t t;

	if (pthread_create(&t, NULL, work, &stretch) || pthread_join(t, NULL))
		exit(1);
}

static void child(const char *kind)
{
	char *argv[] = { "true", NULL };
	pthread_t t;
	pid_t p = -1;

	if (!strcmp(kind, "none"))
		return;
	if (!strcmp(kind, "thread")) {
		if (pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL))
			exit(1);
		return;
	}
	if (!strcmp(kind, "vfork")) {
		p = vfork();
		if (p == 0) {
			execv("/bin/true", argv);
			_exit(1);
		}
	} else if (!strcmp(kind, "fork")) {
		p = fork();
		if (p == 0)
			_exit(0);
	} else if (posix_spawn(&p, "/bin/true", NULL, NULL, argv, environ)) {
		exit(1);
	}
	if (p < 0 || waitpid(p, NULL, 0) != p)
		exit(1);
}

int main(int argc, char **argv)
{
	unsigned long random = 88172645463325252, lengths[CHILDREN], sum;
	cpu_set_t here;

	if (argc < 3)
		return 2;
	if (argc > 3) {
		CPU_ZERO(&here);
		CPU_SET(sched_getcpu(), &here);
		if (sched_setaffinity(0, sizeof here, &here))
			return 3;
	}
	for (int i = 0; i < atoi(argv[2]); i++) {
		sum = 0;
		for (int k = 0; k < CHILDREN; k++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			sum += lengths[k] = random % MOST;
		}
		if (!strcmp(argv[1], "workers")) {
			worker(sum);
			continue;
		}
		plain(sum);
		for (int k = 0; k < CHILDREN; k++) {
			between(lengths[k]);
			child(argv[1]);
		}
	}
	return 0;
}
