/*
 * Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
 *
 * sort ROUNDS: an integer sort as SAFARI's first example has it, by its functions' characters alone: in each round
 * one call of create_sequence, half a second at 4 GHz, and ten of rank, together as long. create_sequence multiplies.
 * rank has 0.15 instructions in a cycle there: the modelled core has two in a cycle in which it does not wait, so rank
 * waits for 92.5 % of its time. sort prints what load prints.
 */
#include <stdio.h>
#include <sys/prctl.h>

#include "work.h"

#define ITERATIONS 22500000ull /* half a second */

__attribute__((noipa)) void create_sequence(uint64_t n) { work(n); }
__attribute__((noipa)) void rank(uint64_t n) { work(n + 1); }

#define METER "/sys/class/powercap/intel-rapl:0"

PLAIN int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;
	uint64_t package = number(METER "/energy_uj"), dram = number(METER ":0/energy_uj"), began = now(CLOCK_MONOTONIC);

	for (long r = 0; r < rounds; r++) {
		prctl(PR_SET_NAME, "create@0");
		create_sequence(ITERATIONS);
		prctl(PR_SET_NAME, "rank@925");
		for (int i = 0; i < 10; i++)
			rank(ITERATIONS / 10);
	}
	printf("ns %llu package_uj %llu dram_uj %llu\n", (unsigned long long)(now(CLOCK_MONOTONIC) - began),
	       (unsigned long long)(number(METER "/energy_uj") - package), (unsigned long long)(number(METER ":0/energy_uj") - dram));
	return 0;
}
