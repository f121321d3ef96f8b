/* threads DIRECTORY N US: N threads, each in the threaded cgroup of its number, sleep for so long again and again. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *directory;
static struct timespec period;

static void *sleeps(void *number)
{
	char text[4096];
	int file;

	snprintf(text, sizeof text, "%s/%ld/cgroup.threads", directory, (long)number);
	file = open(text, O_WRONLY);
	snprintf(text, sizeof text, "%ld", (long)syscall(SYS_gettid));
	if (file < 0 || write(file, text, strlen(text)) < 0) {
		perror("enter a cgroup");
		exit(1);
	}
	close(file);
	for (;;)
		nanosleep(&period, 0);
}

int main(int argc, char **argv)
{
	pthread_attr_t small;

	if (argc != 4)
		return 2;
	directory = argv[1];
	period.tv_nsec = atol(argv[3]) * 1000;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (long i = 0; i < atol(argv[2]); i++) {
		pthread_t thread;

		if (pthread_create(&thread, &small, sleeps, (void *)i))
			return 1;
	}
	puts("all");
	fflush(stdout);
	pause();
}
