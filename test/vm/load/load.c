/*
 * Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
 *
 * load NAME@PERMILLE ITERATIONS [NAME@PERMILLE ITERATIONS ...] [xTIMES] [tTHREADS] [rTIMES]
 *
 * Work of a known size and character: each pair is a phase, and the first three are functions. The name gives the virtual platform the share
 * of the phase's time that waits for memory. Each thread does all the work. With r a phase
 * is each time of another length, between so many iterations and TIMES that, as likely at any order of magnitude, and the same in every run. load prints its own time and
 * what the machine's meters counted meanwhile: "ns 512 package_uj 34 dram_uj 5".
 */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static uint64_t number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
		return 0;
	close(fd);
	return strtoull(text, 0, 10);
}

static uint64_t meter(const char *zone, const char *file)
{
	char path[128];

	snprintf(path, sizeof path, "/sys/class/powercap/%s/%s", zone, file);
	return number(path);
}

/* 0 where there is no meter, or there was none. */
static uint64_t used(const char *zone, uint64_t before)
{
	uint64_t now = meter(zone, "energy_uj"), range = meter(zone, "max_energy_range_uj");

	if (!now || !before)
		return 0;
	return now >= before ? now - before : range > before ? now + range - before : 0;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* The work of every thread. */
static char **phases;
static int count, times = 1, longest = 1;

/* The iterations of a phase, in its round. */
static uint64_t length(uint64_t n, uint64_t *state)
{
	if (longest < 2)
		return n;
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return n * pow(longest, (*state >> 11) / 0x1p53);
}

static inline __attribute__((always_inline)) uint64_t turn(uint64_t x, uint64_t n)
{
	for (; n; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

/* The first phases are functions of their own. */
static __attribute__((noinline)) uint64_t first(uint64_t x, uint64_t n) { return turn(x, n); }
static __attribute__((noinline)) uint64_t second(uint64_t x, uint64_t n) { return turn(x, n + 1); }
static __attribute__((noinline)) uint64_t third(uint64_t x, uint64_t n) { return turn(x, n + 2); }
static uint64_t (*const functions[])(uint64_t, uint64_t) = {first, second, third};

static void *work(void *unused)
{
	uint64_t x = 88172645463325252, state = 1;

	for (int round = 0; round < times; round++)
		for (int i = 0; i + 1 < count; i += 2) {
			prctl(PR_SET_NAME, phases[i]);
			x = functions[i / 2 < 3 ? i / 2 : 2](x, length(strtoull(phases[i + 1], 0, 10), &state));
		}
	return (void *)x;
}

int main(int argc, char **argv)
{
	uint64_t start, package, dram;
	pthread_t others[63];
	int threads = 1;

	for (; argc > 1 && strchr("xtr", *argv[argc - 1]) && argv[argc - 1][1]; argc--)
		*(*argv[argc - 1] == 'x' ? &times : *argv[argc - 1] == 't' ? &threads : &longest) = atoi(argv[argc - 1] + 1);
	if (threads < 1 || threads > 64)
		return 2;
	phases = argv + 1;
	count = argc - 1;
	package = meter("intel-rapl:0", "energy_uj");
	dram = meter("intel-rapl:0:0", "energy_uj");
	start = now();
	for (int i = 1; i < threads; i++)
		if (pthread_create(&others[i - 1], 0, work, 0))
			return 1;
	work(0);
	for (int i = 1; i < threads; i++)
		pthread_join(others[i - 1], 0);
	start = now() - start;
	printf("ns %llu package_uj %llu dram_uj %llu\n", (unsigned long long)start, (unsigned long long)used("intel-rapl:0", package),
	       (unsigned long long)used("intel-rapl:0:0", dram));
	return 0;
}
