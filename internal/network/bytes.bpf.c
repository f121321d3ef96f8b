//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Counts the bytes that the target's threads hand to the internet sockets' send calls and get from their receive calls:
 * payload, as the calls return it, without headers, acknowledgements and retransmissions.
 *
 * All calls that send and receive pass the tracepoints, also io_uring's, and sendfile as of Linux 6.5. Bytes
 * spliced from a socket to a pipe do not.
 *
 * The map of followed threads is the tracer's own (epochs/bpf/thread.h), put in by the loader.
 */
#include "peer.h"
#include <bpf/bpf_tracing.h>

struct mm_struct {
	unsigned long start_code, end_code;
} __attribute__((preserve_access_index));

struct task_struct {
	struct task_struct *group_leader;
	struct mm_struct *mm;
} __attribute__((preserve_access_index));

#include "../../epochs/bpf/thread.h"
#include "caller.h"

#define MSG_PEEK 0x2        /* peeked data is received again */
#define MSG_ERRQUEUE 0x2000 /* what was sent is given back */
#define MAX_KEYS 16384

struct key {
	__u32 pid;
	__u32 tid; /* 0: the threads of a process for which there was no room */
};

enum way { SENT, RECEIVED, LOOP_SENT, LOOP_RECEIVED, WAYS };

struct count {
	__u64 bytes[WAYS];
	char comm[16];
};

/* By thread; when there are too many, what the others do is counted by process. */
struct counts {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, MAX_KEYS);
	__type(key, struct key);
	__type(value, struct count);
} counts SEC(".maps"), rest SEC(".maps");

__u64 untold; /* bytes of processes for which there was no room */

/* A worker that io_uring made was not forked; the process' first thread identifies its owner. */
static __always_inline bool targets(void)
{
	struct task_struct *current = (void *)bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, (void *)current, 0, 0);

	if (!t)
		t = bpf_task_storage_get(&threads, (void *)current->group_leader, 0, 0);
	return is_followed(t);
}

static __always_inline struct count *place_in(void *map, struct key *k)
{
	struct count *c = bpf_map_lookup_elem(map, k), new = {};

	if (c)
		return c;
	bpf_get_current_comm(new.comm, sizeof new.comm);
	bpf_map_update_elem(map, k, &new, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, k);
}

static __always_inline struct count *place(void)
{
	__u64 ids = bpf_get_current_pid_tgid();
	struct key k = {.pid = ids >> 32, .tid = ids};
	struct count *c = place_in(&counts, &k);

	if (c)
		return c;
	k.tid = 0;
	return place_in(&rest, &k);
}

/* Where the last datagram of a thread went. */
struct went {
	__u64 socket;
	bool loopback;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct went);
} last SEC(".maps");

/*
 * An unconnected socket may send to anyone, and only the device shows the receiver. The packet reaches it
 * within the call that sends.
 */
SEC("tp_btf/net_dev_queue")
int BPF_PROG(on_queue, struct sk_buff *skb)
{
	struct sock *sk = skb->sk;
	struct address peer, bound;
	struct socket *socket;
	struct went *w;

	if (!sk || !internet(sk))
		return 0;
	socket = sk->sk_socket;
	if (!socket || !socket->file) /* the kernel's own, such as the one that tells of a closed port */
		return 0;
	ends(sk, &peer, &bound);
	if (!unset(&peer) || !targets())
		return 0;
	w = bpf_task_storage_get(&last, (void *)bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!w)
		return 0;
	w->socket = (__u64)sk;
	w->loopback = skb->dev->flags & IFF_LOOPBACK;
	return 0;
}

/* Whether the bytes stay on this machine. */
static __always_inline bool stays(struct sock *sk, enum way way)
{
	struct address peer, bound;
	struct went *w;
	bool known;

	ends(sk, &peer, &bound);
	if (!unset(&peer))
		return loopback(&peer) || same(&peer, &bound) || bpf_map_lookup_elem(&own, &peer);
	if (way == RECEIVED)
		return loopback(&bound); /* anyone's datagrams come to the other addresses */
	w = bpf_task_storage_get(&last, (void *)bpf_get_current_task_btf(), 0, 0);
	if (!w)
		return false;
	known = w->socket == (__u64)sk;
	w->socket = 0;
	return known && w->loopback;
}

static __always_inline int count(struct sock *sk, int n, enum way way)
{
	struct caller_count *stack;
	struct count *c;

	if (n <= 0 || !internet(sk) || !targets())
		return 0;
	c = place();
	if (!c) {
		__sync_fetch_and_add(&untold, n);
		return 0;
	}
	if (stays(sk, way))
		way += LOOP_SENT;
	if (way >= WAYS)
		return 0;
	/* The thread's first: who reads the stacks' before the threads' finds no byte that is not its thread's. */
	__sync_fetch_and_add(&c->bytes[way], n);
	if (!by_caller)
		return 0;
	stack = caller((void *)bpf_get_current_task_btf());
	if (stack)
		__sync_fetch_and_add(&stack->bytes[way], n);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(on_send, struct sock *sk, int n, int flags)
{
	return count(sk, n, SENT);
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(on_receive, struct sock *sk, int n, int flags)
{
	return flags & (MSG_PEEK | MSG_ERRQUEUE) ? 0 : count(sk, n, RECEIVED);
}

char LICENSE[] SEC("license") = "GPL";
