/*
 * Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
 *
 * Calls functions in loops and reads the machine's meters around each call: a line for each function says
 * how often it was called, for how long, its CPU time, and what the meters counted meanwhile, "NAME calls
 * 120 ns 512 cpu 500 uj 34". The work is load.c's, and its character is in the name of the task.
 */
#include <stdio.h>
#include <sys/prctl.h>

#include "work.h"

static PLAIN uint64_t meters(void)
{
	return number("/sys/class/powercap/intel-rapl:0/energy_uj") + number("/sys/class/powercap/intel-rapl:0:0/energy_uj");
}

__attribute__((noipa)) void compute(uint64_t n) { work(n); }
__attribute__((noipa)) void await(uint64_t n) { work(n); }
__attribute__((noipa)) void brief(uint64_t n) { work(n); }
__attribute__((noipa)) void odd(uint64_t n) { work(n); }
__attribute__((noipa)) void never(uint64_t n) { work(n); }

static struct function {
	const char *name, *task;
	void (*call)(uint64_t);
	uint64_t iterations, calls, ns, cpu, uj;
} functions[] = {
	{"compute", "compute@0", compute, 700000},
	{"await", "memory@900", await, 700000},
	{"brief", "compute@0", brief, 100000},
	{"odd", "memory@900", odd, 100000},
};

static PLAIN void measured(struct function *f)
{
	uint64_t begin, cpu, before;

	prctl(PR_SET_NAME, f->task);
	/* The time is that from one reading of the meters to the other. */
	begin = now(CLOCK_MONOTONIC), before = meters(), cpu = now(CLOCK_THREAD_CPUTIME_ID);
	f->call(f->iterations);
	f->cpu += now(CLOCK_THREAD_CPUTIME_ID) - cpu, f->ns += now(CLOCK_MONOTONIC) - begin;
	f->uj += meters() - before;
	f->calls++;
}

PLAIN int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 120; i++) {
		measured(&functions[0]);
		if (i % 4 == 1)
			measured(&functions[2]);
		if (i % 4 == 3)
			measured(&functions[3]);
	}
	for (int i = 0; i < 40; i++)
		measured(&functions[1]);
	if (argc > 100)
		never(1);
	for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
		printf("%s calls %llu ns %llu cpu %llu uj %llu\n", functions[i].name, (unsigned long long)functions[i].calls,
		       (unsigned long long)functions[i].ns, (unsigned long long)functions[i].cpu, (unsigned long long)functions[i].uj);
	return 0;
}
