/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * vhost MS: gives the kernel's vhost packets to read from this program's memory, until its thread has used MS ms of CPU
 * time. Prints "process=NS own=NS thread=TID used=NS": the process's clock, that of its own thread, and vhost's thread.
 * No packet has a receiver, so none is answered.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/vhost.h>
#include <linux/virtio_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PACKETS = 32, SIZE = 60 << 10, ROOM = 64 << 10, RING = 8192, SENT = 1, QUEUES = 2 };

struct header { /* struct virtio_vsock_hdr */
	__le64 from, to;
	__le32 from_port, to_port, length;
	__le16 type, operation;
	__le32 flags, allocated, forwarded;
} __attribute__((packed));

static char *memory;
static int vhost, kick[QUEUES], call[QUEUES];

static void check(long result, const char *what)
{
	if (result < 0) {
		perror(what);
		exit(1);
	}
}

static long used(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void queue(unsigned int i, struct vring *ring)
{
	struct vhost_vring_state size = {.index = i, .num = PACKETS}, first = {.index = i};
	struct vhost_vring_addr at = {.index = i};
	struct vhost_vring_file file = {.index = i};

	vring_init(ring, PACKETS, memory + PACKETS * ROOM + i * RING, 64);
	at.desc_user_addr = (unsigned long)ring->desc;
	at.avail_user_addr = (unsigned long)ring->avail;
	at.used_user_addr = (unsigned long)ring->used;
	check(ioctl(vhost, VHOST_SET_VRING_NUM, &size), "number");
	check(ioctl(vhost, VHOST_SET_VRING_BASE, &first), "base");
	check(ioctl(vhost, VHOST_SET_VRING_ADDR, &at), "address");
	check(file.fd = kick[i] = eventfd(0, 0), "eventfd");
	check(ioctl(vhost, VHOST_SET_VRING_KICK, &file), "kick");
	check(file.fd = call[i] = eventfd(0, 0), "eventfd");
	check(ioctl(vhost, VHOST_SET_VRING_CALL, &file), "call");
}

static void open_vhost(struct vring rings[QUEUES])
{
	struct {
		struct vhost_memory head;
		struct vhost_memory_region all;
	} table = {.head.nregions = 1};
	__u64 id = 3;
	int running = 1;

	check(vhost = open("/dev/vhost-vsock", O_RDWR), "/dev/vhost-vsock");
	check(ioctl(vhost, VHOST_SET_OWNER, NULL), "owner");
	table.all.guest_phys_addr = table.all.userspace_addr = (unsigned long)memory;
	table.all.memory_size = PACKETS * ROOM + QUEUES * RING;
	check(ioctl(vhost, VHOST_SET_MEM_TABLE, &table), "memory");
	for (int i = 0; i < QUEUES; i++)
		queue(i, &rings[i]);
	check(ioctl(vhost, VHOST_VSOCK_SET_GUEST_CID, &id), "id");
	check(ioctl(vhost, VHOST_VSOCK_SET_RUNNING, &running), "start");
}

/* What a task of this name has used, in ns; its number in *tid. */
static long of_task(const char *dir, const char *name, long *tid)
{
	DIR *all = opendir(dir);
	struct dirent *e;
	char path[300], text[64];
	long ns = -1;
	FILE *f;

	while (all && ns < 0 && (e = readdir(all))) {
		snprintf(path, sizeof path, "%s/%s/comm", dir, e->d_name);
		text[0] = 0;
		f = fopen(path, "r");
		if (!f)
			continue;
		if (!fgets(text, sizeof text, f))
			text[0] = 0;
		fclose(f);
		text[strcspn(text, "\n")] = 0;
		if (strcmp(text, name))
			continue;
		snprintf(path, sizeof path, "%s/%s/schedstat", dir, e->d_name);
		f = fopen(path, "r");
		if (f && fscanf(f, "%ld", &ns) == 1)
			*tid = atol(e->d_name);
		if (f)
			fclose(f);
	}
	if (all)
		closedir(all);
	return ns;
}

/* vhost's thread: one of this process's, or before Linux 6.4 the kernel's. */
static long of_vhost(long *tid)
{
	char name[32];
	long ns;

	snprintf(name, sizeof name, "vhost-%d", getpid());
	ns = of_task("/proc/self/task", name, tid);
	return ns >= 0 ? ns : of_task("/proc", name, tid);
}

int main(int argc, char **argv)
{
	struct vring rings[QUEUES], *ring = &rings[SENT];
	long most = atol(argv[1]) * 1000000, ns, tid = 0;
	__u64 n;

	memory = mmap(NULL, PACKETS * ROOM + QUEUES * RING, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(memory == MAP_FAILED ? -1 : 0, "memory");
	open_vhost(rings);
	for (int i = 0; i < PACKETS; i++) {
		struct header h = {.from = 3, .to = 99, .length = SIZE, .type = 1, .operation = 5};

		memcpy(memory + i * ROOM, &h, sizeof h);
		ring->desc[i].addr = (unsigned long)(memory + i * ROOM);
		ring->desc[i].len = sizeof h + SIZE;
		ring->avail->ring[i] = i;
	}
	while ((ns = of_vhost(&tid)) < most) {
		check(ns, "vhost's thread");
		for (int i = 0; i < 8; i++) {
			__atomic_store_n(&ring->avail->idx, ring->avail->idx + PACKETS, __ATOMIC_RELEASE);
			n = 1;
			check(write(kick[SENT], &n, sizeof n), "kick");
			while (__atomic_load_n(&ring->used->idx, __ATOMIC_ACQUIRE) != ring->avail->idx)
				check(read(call[SENT], &n, sizeof n), "call");
		}
	}
	printf("process=%ld own=%ld thread=%ld used=%ld\n", used(CLOCK_PROCESS_CPUTIME_ID), used(CLOCK_THREAD_CPUTIME_ID),
	       tid, ns);
	return 0;
}
