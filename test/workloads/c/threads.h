/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/* Shared by the C workloads: arguments, failure, and the kernel's figures of the calling thread. */
#ifndef EBB_THREADS_H
#define EBB_THREADS_H

#define _GNU_SOURCE /* RUSAGE_THREAD */

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline void die(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, strerror(err));
	exit(1);
}

/* The i-th argument as a positive number, or the default when it is not given. */
static inline long arg(int argc, char **argv, int i, long dflt)
{
	char *end;
	long v;

	if (i >= argc)
		return dflt;
	errno = 0;
	v = strtol(argv[i], &end, 10);
	if (errno || *end || v <= 0) {
		fprintf(stderr, "%s: \"%s\" is no positive number\n", argv[0], argv[i]);
		exit(2);
	}
	return v;
}

static inline long tid(void)
{
	return syscall(SYS_gettid);
}

static inline void start(pthread_t *t, void *(*f)(void *), void *p)
{
	int err = pthread_create(t, NULL, f, p);

	if (err)
		die("pthread_create", err);
}

/* How often the calling thread has gone to sleep, by the kernel's count. */
static inline long voluntary_switches(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_THREAD, &u))
		die("getrusage", errno);
	return u.ru_nvcsw;
}

/* One line for the calling thread: its voluntary switches since there were so many, and its run time. */
static inline void print_thread_since(const char *role, long switches)
{
	struct timespec cpu;

	switches = voluntary_switches() - switches;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu))
		die("clock_gettime", errno);
	printf("thread role=%s tid=%ld voluntary=%ld run_ns=%lld\n", role, tid(), switches,
	       cpu.tv_sec * 1000000000LL + cpu.tv_nsec);
}

static inline void print_thread(const char *role)
{
	print_thread_since(role, 0);
}

/* n steps of xorshift: work that touches no memory. */
static inline uint64_t work(uint64_t x, long n)
{
	while (n-- > 0) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

static inline long futex(int *word, int op, int value)
{
	return syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

#endif
