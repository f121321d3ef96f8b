/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* Whether what goes through a socket leaves the machine. */
#ifndef EBB_PEER_H
#define EBB_PEER_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define AF_INET 2
#define AF_INET6 10
#define IFF_LOOPBACK 0x8

/* The kernel's types, as far as they are used. The loader relocates the accesses. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct in6_addr {
	union {
		__u32 u6_addr32[4];
	} in6_u;
};
struct sock_common {
	__u32 skc_daddr;
	__u32 skc_rcv_saddr;
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};
struct file;
struct socket {
	struct file *file;
};
struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
};
struct net_device {
	unsigned int flags;
};
struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
};
#pragma clang attribute pop

struct address {
	__u32 word[4]; /* in the network's order; IPv4 as ::ffff:a.b.c.d */
};

/* The machine's own addresses, set by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct address);
	__type(value, __u8);
} own SEC(".maps");

static __always_inline bool internet(struct sock *sk)
{
	return sk->__sk_common.skc_family == AF_INET || sk->__sk_common.skc_family == AF_INET6;
}

static __always_inline void mapped(struct address *a, __u32 v4)
{
	a->word[0] = a->word[1] = 0;
	a->word[2] = __builtin_bswap32(0xffff);
	a->word[3] = v4;
}

static __always_inline void copy(struct address *a, const struct in6_addr *v6)
{
	a->word[0] = v6->in6_u.u6_addr32[0];
	a->word[1] = v6->in6_u.u6_addr32[1];
	a->word[2] = v6->in6_u.u6_addr32[2];
	a->word[3] = v6->in6_u.u6_addr32[3];
}

/* Whom the socket is connected to, and the address of its own that it is bound to; zero where it is not. */
static __always_inline void ends(struct sock *sk, struct address *peer, struct address *bound)
{
	struct sock_common *c = &sk->__sk_common;

	if (c->skc_family == AF_INET6) {
		copy(peer, &c->skc_v6_daddr);
		copy(bound, &c->skc_v6_rcv_saddr);
	} else {
		mapped(peer, c->skc_daddr);
		mapped(bound, c->skc_rcv_saddr);
	}
}

static __always_inline bool is_mapped(const struct address *a)
{
	return !a->word[0] && !a->word[1] && a->word[2] == __builtin_bswap32(0xffff);
}

static __always_inline bool unset(const struct address *a)
{
	return !a->word[0] && !a->word[1] && (!a->word[2] || is_mapped(a)) && !a->word[3];
}

static __always_inline bool same(const struct address *a, const struct address *b)
{
	return a->word[0] == b->word[0] && a->word[1] == b->word[1] && a->word[2] == b->word[2] && a->word[3] == b->word[3];
}

static __always_inline bool loopback(const struct address *a)
{
	if (is_mapped(a))
		return (a->word[3] & 0xff) == 127; /* 127.0.0.0/8 */
	return !a->word[0] && !a->word[1] && !a->word[2] && a->word[3] == __builtin_bswap32(1);
}

#endif
