/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * storm N MOVES DIR...: creates N processes, in turn in each of the cgroups, of which MOVES, spread evenly, move themselves
 * to the next of them as the last thing that they do. At most 64 live at one time. Prints "created=N".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 16, LIVE = 64 };

static pid_t create(int in)
{
	struct clone_args args;

	memset(&args, 0, sizeof args);
	args.flags = CLONE_INTO_CGROUP;
	args.exit_signal = SIGCHLD;
	args.cgroup = in;
	return syscall(SYS_clone3, &args, sizeof args);
}

static void reap(void)
{
	int status;

	if (wait(&status) < 0 || status)
		_exit(1);
}

int main(int argc, char **argv)
{
	int groups = argc - 3, n, every, dir[MOST], procs[MOST];
	char path[4096];

	if (groups < 1 || groups > MOST)
		return 2;
	n = atoi(argv[1]);
	every = atoi(argv[2]) > 0 ? n / atoi(argv[2]) : 0;
	for (int i = 0; i < groups; i++) {
		snprintf(path, sizeof path, "%s/cgroup.procs", argv[3 + i]);
		dir[i] = open(argv[3 + i], O_RDONLY | O_CLOEXEC);
		procs[i] = open(path, O_WRONLY | O_CLOEXEC);
		if (dir[i] < 0 || procs[i] < 0)
			return 3;
	}
	for (int i = 0; i < n; i++) {
		pid_t child;

		if (i >= LIVE)
			reap();
		child = create(dir[i % groups]);
		if (child < 0)
			return 4;
		if (!child)
			_exit(every && i % every == 0 && write(procs[(i + 1) % groups], "0", 1) != 1);
	}
	for (int i = 0; i < n && i < LIVE; i++)
		reap();
	printf("created=%d\n", n);
	return 0;
}
