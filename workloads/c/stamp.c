/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/* stamp COMMAND [ARG...]: prints its process id and CLOCK_MONOTONIC in ns, then becomes COMMAND. */
#include "threads.h"

int main(int argc, char **argv)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	if (argc < 2) {
		fprintf(stderr, "usage: stamp COMMAND [ARG...]\n");
		return 2;
	}
	printf("began pid=%ld at_ns=%lld\n", (long)getpid(), t.tv_sec * 1000000000LL + t.tv_nsec);
	fflush(stdout);
	execvp(argv[1], argv + 1);
	die(argv[1], errno);
}
