/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The ebb authors. */
/* Prints what the plugin would read, for a test and for whoever wonders why sacct shows nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"

static int read_file(const char *path, const char *step, const char *started)
{
	struct energy e;

	if (jobs_read(path, step, started ? strtoull(started, NULL, 10) : jobs_now(), &e)) {
		puts("unknown");
		return 1;
	}
	printf("%" PRIu64 "\n", e.nj);
	return 0;
}

static int step_of_input(void)
{
	static char text[1 << 16];
	char step[128];

	text[fread(text, 1, sizeof text - 1, stdin)] = 0;
	if (jobs_step(text, step, sizeof step)) {
		puts("none");
		return 1;
	}
	puts(step);
	return 0;
}

static int own_step(void)
{
	char step[128];

	if (jobs_own_step(step, sizeof step)) {
		puts("none");
		return 1;
	}
	puts(step);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "step"))
		return step_of_input();
	if (argc == 2 && !strcmp(argv[1], "own"))
		return own_step();
	if (argc == 3 || argc == 4)
		return read_file(argv[1], argv[2], argc == 4 ? argv[3] : NULL);
	fputs("usage: reader FILE JOB.STEP [BEGIN OF THE STEP IN NS]\n       reader step < /proc/PID/cgroup\n"
	      "       reader own\n", stderr);
	return 2;
}
