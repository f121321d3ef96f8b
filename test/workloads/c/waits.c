/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * waits [N]: one thread blocks in exactly N futex waits (default 1000).
 *
 * The waker wakes it only after the kernel has counted the switch that put it to sleep (voluntary_ctxt_switches in
 * /proc), so no wait ends without having slept. The waker itself never waits. Output: the N, and a line per thread.
 */
#include "threads.h"

static int word;
static long n;
static long sleeper_tid;
static int done;

static void *sleeper(void *unused)
{
	(void)unused;
	__atomic_store_n(&sleeper_tid, tid(), __ATOMIC_RELEASE);
	for (int i = 0; i < n; i++) {
		/* A signal or a spurious wake would be a wait too many. */
		if (futex(&word, FUTEX_WAIT, i) != 0)
			die("futex wait", errno);
	}
	print_thread("sleeper");
	fflush(stdout);
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* How often the thread whose status file is open has gone to sleep. */
static long switches(FILE *status)
{
	char line[256];
	long v = -1;

	rewind(status);
	while (fgets(line, sizeof line, status))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &v) == 1)
			return v;
	fprintf(stderr, "waits: no voluntary_ctxt_switches in /proc\n");
	exit(1);
}

int main(int argc, char **argv)
{
	char path[64];
	FILE *status;
	pthread_t t;

	n = arg(argc, argv, 1, 1000);
	start(&t, sleeper, NULL);
	while (!__atomic_load_n(&sleeper_tid, __ATOMIC_ACQUIRE))
		;
	snprintf(path, sizeof path, "/proc/self/task/%ld/status", sleeper_tid);
	status = fopen(path, "r");
	if (!status)
		die(path, errno);
	/* A new thread has no voluntary switch, and the sleeper does nothing but wait. */
	for (int i = 0; i < n; i++) {
		while (switches(status) <= i)
			;
		__atomic_store_n(&word, i + 1, __ATOMIC_RELEASE);
		futex(&word, FUTEX_WAKE, 1);
	}
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		;
	printf("waits=%ld\n", n);
	return 0;
}
