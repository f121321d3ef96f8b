/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/* headless N: N threads that sleep again and again. The first thread ends when its input does; the others are killed. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *stay(void *unused)
{
	for (;;)
		usleep(1000);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;
	char c;

	for (int i = 0; i < atoi(argv[1]); i++)
		if (pthread_create(&t, NULL, stay, NULL))
			return 1;
	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	pthread_exit(NULL);
}
