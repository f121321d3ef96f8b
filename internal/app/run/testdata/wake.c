/*
 * Waits for a timer of MS milliseconds N times, and does nothing else: the least that a program pays which acts once a
 * quantum. Prints its CPU time per wait in ns.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

static long long cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000LL + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 400, ms = argc > 2 ? atoi(argv[2]) : 5;
	struct itimerspec t = {{0, ms * 1000000L}, {0, ms * 1000000L}};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	long long begun;
	uint64_t k;

	if (fd < 0 || timerfd_settime(fd, 0, &t, NULL))
		return 1;
	begun = cpu_ns();
	for (int i = 0; i < n; i++)
		if (read(fd, &k, sizeof k) != sizeof k)
			return 1;
	printf("%lld\n", (cpu_ns() - begun) / n);
	return 0;
}
