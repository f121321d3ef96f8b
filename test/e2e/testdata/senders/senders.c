/*
 * Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
 *
 * senders: two threads that send 3 bytes in one function for each that they send in another, to a third that reads in a
 * fourth function. All over loopback; prints the bytes of each function.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define THREADS 2
#define ROUNDS 2000
#define PIECE 400

static char buffer[3 * PIECE];

static long checked(long n)
{
	if (n < 0)
		exit(1);
	return n;
}

/* None of them ends in a call, which would leave it before. */
__attribute__((noinline)) long much(int fd)
{
	long n = checked(send(fd, buffer, 3 * PIECE, 0));

	return n + 1;
}

__attribute__((noinline)) long little(int fd)
{
	struct iovec parts[2] = { { buffer, PIECE - 1 }, { buffer, 1 } };
	long n = checked(writev(fd, parts, 2));

	return n + 1;
}

__attribute__((noinline)) long take(int fd, char *into, size_t size)
{
	long n = checked(read(fd, into, size));

	return n + 1;
}

static void *receive(void *p)
{
	static char into[65536];
	long n, *sum = malloc(sizeof *sum);

	for (*sum = 0; (n = take(*(int *)p, into, sizeof into) - 1) > 0;)
		*sum += n;
	return sum;
}

/* Both are called at one place, so that the place does not distinguish them. */
static void *send_all(void *p)
{
	static long (*const ways[4])(int) = { much, little, much, little };

	for (volatile int i = 0; i < 2 * ROUNDS; i++)
		ways[i % 4](*(int *)p);
	return 0;
}

int main(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof at;
	int l = socket(AF_INET, SOCK_STREAM, 0), to = socket(AF_INET, SOCK_STREAM, 0), from;
	pthread_t receiver, senders[THREADS];
	void *sum;

	checked(bind(l, (void *)&at, sizeof at));
	checked(listen(l, 1));
	checked(getsockname(l, (void *)&at, &size));
	checked(connect(to, (void *)&at, sizeof at));
	from = checked(accept(l, 0, 0));
	pthread_create(&receiver, 0, receive, &from);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&senders[i], 0, send_all, &to);
	for (int i = 0; i < THREADS; i++)
		pthread_join(senders[i], 0);
	close(to);
	pthread_join(receiver, &sum);
	usleep(500000); /* who looks on finds the program's files by its process */
	printf("much %d\nlittle %d\ntake %ld\n", THREADS * ROUNDS * 3 * PIECE, THREADS * ROUNDS * PIECE, *(long *)sum);
	return 0;
}
