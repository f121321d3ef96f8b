/*
 * churn DIRECTORY NAME US N: N times makes a cgroup below the directory, starts a child in it that computes for so many
 * microseconds, and removes it. Prints the cgroups' numbers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int fails(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	char path[4096];
	struct stat st;

	if (argc != 5)
		return 2;
	for (long n = 0; n < atol(argv[4]); n++) {
		struct clone_args args = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD};
		pid_t pid;

		snprintf(path, sizeof path, "%s/%s-%ld", argv[1], argv[2], n);
		if (mkdir(path, 0755))
			return fails("mkdir");
		args.cgroup = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if ((int)args.cgroup < 0 || fstat(args.cgroup, &st))
			return fails("open");
		pid = syscall(SYS_clone3, &args, sizeof args);
		if (!pid) {
			while (used() < atoll(argv[3]) * 1000)
				;
			_exit(0);
		}
		if (pid < 0)
			return fails("clone3");
		close(args.cgroup);
		while (waitpid(pid, 0, 0) < 0)
			if (errno != EINTR)
				return fails("waitpid");
		while (rmdir(path)) /* the child may not have left its CPU yet */
			if (errno != EBUSY)
				return fails("rmdir");
		printf("%llu\n", (unsigned long long)st.st_ino);
		fflush(stdout);
	}
	return 0;
}
