/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright 2026 The ebb authors. */
#define _GNU_SOURCE
#include "jobs.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 50000000ULL  /* ns */
#define GRACE 5000000000ULL /* ns that a busy machine may keep ebb from writing */
#define MOST (4 << 20)        /* bytes of ebb's file */
#define CHILDREN 64           /* of this process that are looked at */

uint64_t jobs_now(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

/* Reads a file as a string, which the caller frees. A queue or a device could keep the reader waiting. */
static char *whole(const char *path, size_t most, int ordinary, uint64_t until)
{
	struct stat st;
	size_t size = 0, room = 4096;
	ssize_t n = -1;
	char *text = NULL, *more;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || (ordinary && !S_ISREG(st.st_mode)))
		goto out;
	while (room <= most && jobs_now() < until) {
		more = realloc(text, room + 1);
		if (!more)
			break;
		text = more;
		n = read(fd, text + size, room - size);
		if (n <= 0)
			break;
		size += (size_t)n;
		if (size == room)
			room *= 2;
	}
out:
	close(fd);
	if (n != 0) {
		free(text);
		return NULL;
	}
	text[size] = 0;
	return text;
}

/* Reads a number in decimal and the one character behind it. */
static int number(const char **text, char behind, uint64_t *out)
{
	uint64_t n = 0;
	const char *p = *text;

	if (!isdigit((unsigned char)*p))
		return -1;
	for (; isdigit((unsigned char)*p); p++) {
		if (n > (UINT64_MAX - 9) / 10)
			return -1;
		n = n * 10 + (uint64_t)(*p - '0');
	}
	if (*p != behind)
		return -1;
	*text = p + 1;
	*out = n;
	return 0;
}

static int find(const char *text, const char *step, uint64_t started, struct energy *out)
{
	static const char head[] = "ebb-jobs 1 ";
	uint64_t begin, at, every, now = jobs_now();
	size_t len = strlen(step);

	if (strncmp(text, head, sizeof head - 1))
		return -1;
	text += sizeof head - 1;
	if (number(&text, ' ', &begin) || number(&text, ' ', &at) || number(&text, '\n', &every))
		return -1;
	/*
	 * A step that ran before ebb did has used more than ebb has seen. A time to come is of another boot, whose file
	 * stayed.
	 */
	if (begin > started || at > now || now - at > 3 * every + GRACE)
		return -1;
	while (*text) {
		uint64_t nj;

		if (number(&text, ' ', &nj))
			return -1;
		if (!strncmp(text, step, len) && text[len] == '\n') {
			out->nj = nj;
			out->at = at;
			return 0;
		}
		text = strchr(text, '\n');
		if (!text)
			return -1;
		text++;
	}
	return -1;
}

int jobs_read(const char *path, const char *step, uint64_t started, struct energy *out)
{
	char *text = whole(path, MOST, 1, jobs_now() + PATIENCE);
	int result = text ? find(text, step, started, out) : -1;

	free(text);
	return result;
}

int jobs_step(const char *cgroups, char *step, size_t size)
{
	static const char job[] = "/job_", in[] = "/step_";
	const char *at = cgroups;

	while ((at = strstr(at, job))) {
		const char *number, *name;
		size_t digits, len;
		int n;

		at += sizeof job - 1;
		number = at;
		digits = strspn(number, "0123456789");
		name = number + digits;
		if (!digits || strncmp(name, in, sizeof in - 1))
			continue;
		name += sizeof in - 1;
		len = strcspn(name, "/\n");
		if (!len)
			continue;
		n = snprintf(step, size, "%.*s.%.*s", (int)digits, number, (int)len, name);
		return n > 0 && (size_t)n < size ? 0 : -1;
	}
	return -1;
}

static int step_of(const char *pid, char *step, size_t size, uint64_t until)
{
	char path[64], *text;
	int result;

	snprintf(path, sizeof path, "/proc/%s/cgroup", pid);
	text = whole(path, 1 << 16, 0, until);
	result = text ? jobs_step(text, step, size) : -1;
	free(text);
	return result;
}

int jobs_own_step(char *step, size_t size)
{
	char path[64], *text, *pid, *rest;
	uint64_t until = jobs_now() + PATIENCE;
	int result = step_of("self", step, size, until), left = CHILDREN;

	if (!result)
		return 0;
	/* The children of the first thread alone: Slurm starts tasks from it. */
	snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
	text = whole(path, 1 << 16, 0, until);
	if (!text)
		return -1;
	for (pid = strtok_r(text, " \n", &rest); pid && result && left-- > 0; pid = strtok_r(NULL, " \n", &rest))
		result = step_of(pid, step, size, until);
	free(text);
	return result;
}
