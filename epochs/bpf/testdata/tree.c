/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A process with a thread, three children that each exec this program again, and their threads: 8 threads and 3 execs
 * after the first. "tree MS" lives at least MS milliseconds; the children get no argument and end at once.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *run(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (pthread_create(&t, NULL, run, NULL) || pthread_join(t, NULL))
		return 1;
	if (argc > 1) {
		for (int i = 0; i < 3; i++) {
			int status;
			pid_t child = fork();

			if (child == 0) {
				execl("/proc/self/exe", argv[0], NULL);
				_exit(1);
			}
			if (child < 0 || waitpid(child, &status, 0) != child || status)
				return 1;
		}
		usleep(atoi(argv[1]) * 1000);
	}
	return 0;
}
