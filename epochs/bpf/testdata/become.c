/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * become [spin | thread]: becomes root at the first line of its input, by a system call, and says so. It executes no
 * program. Then it reads on; with spin it computes until it is killed. With thread a second thread alone becomes root, and
 * sleeps again and again.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char line[16];

static void *become(void *unused)
{
	/* Not the library's call, which is for all threads. */
	if (!fgets(line, sizeof line, stdin) || syscall(SYS_setresuid, 0, 0, 0))
		_exit(1);
	printf("root\n");
	fflush(stdout);
	return unused;
}

static void *second(void *unused)
{
	for (become(NULL);;)
		usleep(1000);
	return unused;
}

int main(int argc, char **argv)
{
	volatile unsigned long n = 0;
	pthread_t t;

	if (argc > 1 && !strcmp(argv[1], "thread")) {
		if (pthread_create(&t, NULL, second, NULL))
			return 1;
		pause();
	}
	become(NULL);
	while (argc > 1)
		n++;
	while (fgets(line, sizeof line, stdin))
		;
	return 0;
}
