/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads its own file through io_uring for a number of milliseconds of its process' CPU time, and prints how much of
 * it the program's own thread used: "process=NS own=NS". The kernel's threads do the rest: one that polls (sqpoll), or
 * workers (worker). With "across" the one that polls is on another CPU, and each of its wake-ups of the program's
 * interrupts a process that spins on the program's CPU.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ENTRIES = 8, SIZE = 1 << 20 };

static struct io_uring_params p;
static char *sq, *cq;
static struct io_uring_sqe *sqes;
static int ring;

static long used(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static unsigned *at(char *base, unsigned offset)
{
	return (unsigned *)(base + offset);
}

/* Stays on its CPU, where a child spins, and returns the number of another CPU. */
static int shares_its_cpu(pid_t *spinner)
{
	cpu_set_t here;
	int cpu = sched_getcpu();

	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	if (sched_setaffinity(0, sizeof here, &here))
		return -1;
	*spinner = fork();
	if (!*spinner) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	return !cpu;
}

/* Asks for one read and waits for its end. */
static int read_once(int fd, char *to, int polled)
{
	unsigned tail = *at(sq, p.sq_off.tail), i = tail & *at(sq, p.sq_off.ring_mask), flags = IORING_ENTER_GETEVENTS;
	unsigned head = *at(cq, p.cq_off.head);

	memset(&sqes[i], 0, sizeof sqes[i]);
	sqes[i].opcode = IORING_OP_READ;
	sqes[i].fd = fd;
	sqes[i].addr = (unsigned long)to;
	sqes[i].len = SIZE;
	if (!polled)
		sqes[i].flags = IOSQE_ASYNC;
	at(sq, p.sq_off.array)[i] = i;
	__atomic_store_n(at(sq, p.sq_off.tail), tail + 1, __ATOMIC_SEQ_CST);
	if (polled && *at(sq, p.sq_off.flags) & IORING_SQ_NEED_WAKEUP)
		flags |= IORING_ENTER_SQ_WAKEUP;
	while (__atomic_load_n(at(cq, p.cq_off.tail), __ATOMIC_ACQUIRE) == head) {
		if (syscall(SYS_io_uring_enter, ring, polled ? 0 : 1, 1, flags, 0, 0) < 0)
			return -1;
	}
	i = head & *at(cq, p.cq_off.ring_mask);
	if (((struct io_uring_cqe *)(cq + p.cq_off.cqes))[i].res <= 0)
		return -1;
	__atomic_store_n(at(cq, p.cq_off.head), head + 1, __ATOMIC_RELEASE);
	return 0;
}

int main(int argc, char **argv)
{
	int across = argc > 2 && !strcmp(argv[1], "across"), polled = across || (argc > 2 && !strcmp(argv[1], "sqpoll"));
	int fd = open("/proc/self/exe", O_RDONLY);
	pid_t spinner = 0;
	char *to = malloc(SIZE);
	long until;

	if (argc != 3 || fd < 0 || !to)
		return 2;
	if (polled) {
		p.flags = IORING_SETUP_SQPOLL;
		p.sq_thread_idle = 1000;
	}
	if (across) {
		p.flags |= IORING_SETUP_SQ_AFF;
		p.sq_thread_cpu = shares_its_cpu(&spinner);
	}
	ring = syscall(SYS_io_uring_setup, ENTRIES, &p);
	if (ring < 0) {
		perror("io_uring_setup");
		return 3;
	}
	sq = mmap(0, p.sq_off.array + p.sq_entries * sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		  IORING_OFF_SQ_RING);
	cq = mmap(0, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED,
		  ring, IORING_OFF_CQ_RING);
	sqes = mmap(0, p.sq_entries * sizeof *sqes, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqes == MAP_FAILED)
		return 4;
	until = used(CLOCK_PROCESS_CPUTIME_ID) + atol(argv[2]) * 1000000;
	while (used(CLOCK_PROCESS_CPUTIME_ID) < until)
		if (read_once(fd, to, polled))
			return 5;
	printf("process=%ld own=%ld\n", used(CLOCK_PROCESS_CPUTIME_ID), used(CLOCK_THREAD_CPUTIME_ID));
	if (spinner > 0)
		kill(spinner, SIGKILL);
	return 0;
}
