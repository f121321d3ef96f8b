/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The ebb authors. */
/* Reads what ebb writes of Slurm's jobs. Nothing here is Slurm's, so that a test needs none. */
#ifndef EBB_JOBS_H
#define EBB_JOBS_H

#include <stddef.h>
#include <stdint.h>

/* What ebb wrote of a step. Times are ns of CLOCK_MONOTONIC. */
struct energy {
	uint64_t nj; /* since the step's begin */
	uint64_t at; /* when ebb read its meters last */
};

/*
 * Finds a step in ebb's file. Refuses, with a result below 0, where the file does not say what the whole step has
 * used: it is not there, no ordinary file, not as ebb writes it, too old, or without the step, or ebb was started after
 * the step was, or reading it would take longer than 50 ms. A single call of the kernel that waits is not bounded: the
 * file must be on a local file system, as /run is.
 */
int jobs_read(const char *path, const char *step, uint64_t started, struct energy *out);

/* Finds "JOB.STEP" in the text of a /proc/PID/cgroup. Below 0: it is no step's, or the name is too long. */
int jobs_step(const char *cgroups, char *step, size_t size);

/*
 * The same of this process, or of the first of its children that is in one. Slurm's own process may be in none. All of
 * it takes 50 ms at most, but for a call of the kernel that waits, and looks at 64 children.
 */
int jobs_own_step(char *step, size_t size);

/* CLOCK_MONOTONIC in ns. */
uint64_t jobs_now(void);

#endif
