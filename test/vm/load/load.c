/*
 * Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
 *
 * load NAME@PERMILLE ITERATIONS [NAME@PERMILLE ITERATIONS ...] [xTIMES]
 *
 * Work of a known size and character: each pair is a phase. The names tell the virtual platform how much of the phase's time
 * waits for memory. It prints its own time and what the machine's meters counted meanwhile: "ns 512 package_uj 34 dram_uj 5".
 */
#include <fcntl.h>
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

static uint64_t used(const char *zone, uint64_t before)
{
	uint64_t now = meter(zone, "energy_uj");

	return now >= before ? now - before : now + meter(zone, "max_energy_range_uj") - before;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t x = 88172645463325252, start, package, dram;
	int times = 1;

	if (argc > 1 && argv[argc - 1][0] == 'x')
		times = atoi(argv[--argc] + 1);
	package = meter("intel-rapl:0", "energy_uj");
	dram = meter("intel-rapl:0:0", "energy_uj");
	start = now();
	while (times--)
		for (int i = 1; i + 1 < argc; i += 2) {
			prctl(PR_SET_NAME, argv[i]);
			for (uint64_t n = strtoull(argv[i + 1], 0, 10); n; n--) {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
			}
		}
	start = now() - start;
	printf("ns %llu package_uj %llu dram_uj %llu\n", (unsigned long long)start, (unsigned long long)used("intel-rapl:0", package),
	       (unsigned long long)used("intel-rapl:0:0", dram));
	return x == 0;
}
