/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * successor MS [spin]: begins at its input's first line, or end. Its first thread computes for MS ms, and then sleeps, or
 * spins. A second one computes as long, waits for a child that executes a program, and executes this program again in its
 * process's place. That computes for MS ms, and prints "second=TID process=NS": the id that the thread had, and what the
 * whole process has used.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char **args;
static volatile unsigned long sink;

static long used(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void compute(void)
{
	long until = used(CLOCK_THREAD_CPUTIME_ID) + atol(args[1]) * 1000000L;

	while (used(CLOCK_THREAD_CPUTIME_ID) < until)
		for (int i = 0; i < 2000; i++)
			sink += i;
}

static void *second(void *unused)
{
	char tid[16];
	int status;
	pid_t child;

	compute();
	child = vfork();
	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	if (waitpid(child, &status, 0) != child || status)
		_exit(1);
	snprintf(tid, sizeof tid, "%ld", syscall(SYS_gettid));
	execl(args[0], args[0], args[1], "after", tid, NULL);
	_exit(1);
	return unused;
}

int main(int argc, char **argv)
{
	char line[16];
	pthread_t t;

	args = argv;
	if (argc > 3) {
		compute();
		printf("second=%s process=%ld\n", argv[3], used(CLOCK_PROCESS_CPUTIME_ID));
		return 0;
	}
	fgets(line, sizeof line, stdin);
	if (pthread_create(&t, NULL, second, NULL))
		return 1;
	compute();
	while (argc > 2)
		sink++;
	pause();
}
