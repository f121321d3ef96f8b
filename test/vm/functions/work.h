/*
 * Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
 *
 * What the instrumented programs have in common: the clocks, the machine's meters, and work of a known size.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

static PLAIN uint64_t number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof text - 1) < 0)
		exit(3);
	close(fd);
	return strtoull(text, 0, 10);
}

static PLAIN uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t x = 88172645463325252;

static inline PLAIN __attribute__((always_inline)) void work(uint64_t n)
{
	for (; n; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
}
