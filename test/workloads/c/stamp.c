/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * stamp COMMAND [ARG...]: prints its process id, CLOCK_MONOTONIC in ns and how much of the time before, in ns, the process
 * had run or waited for a CPU; then becomes COMMAND.
 */
#include "threads.h"

int main(int argc, char **argv)
{
	long long run = 0, wait = 0;
	struct timespec t;
	FILE *f;

	clock_gettime(CLOCK_MONOTONIC, &t);
	f = fopen("/proc/self/schedstat", "r");
	if (f) {
		if (fscanf(f, "%lld %lld", &run, &wait) != 2)
			run = wait = 0;
		fclose(f);
	}
	if (argc < 2) {
		fprintf(stderr, "usage: stamp COMMAND [ARG...]\n");
		return 2;
	}
	printf("began pid=%ld at_ns=%lld since_ns=%lld\n", (long)getpid(), t.tv_sec * 1000000000LL + t.tv_nsec, run + wait);
	fflush(stdout);
	execvp(argv[1], argv + 1);
	die(argv[1], errno);
}
