//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Counts calls of functions in threads of the target, at their entries, and wakes nobody. User space reads the entries of
 * the CPUs at the end.
 *
 * The map of followed threads is the tracer's (epochs/bpf/thread.h), put in by the loader.
 */
#include "../../epochs/bpf/thread.h"
#include <bpf/bpf_tracing.h>

struct count {
	__u64 calls;
	__u64 others; /* by programs that are not the target, which pay for the breakpoint as well */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* the loader's */
	__type(key, __u32);
	__type(value, struct count);
} counts SEC(".maps");

/* The cookie is the function's number. Before Linux 6.6 the loader makes a program of single breakpoints of it. */
SEC("uprobe.multi")
int on_call(void *ctx)
{
	__u32 function = bpf_get_attach_cookie(ctx);
	struct count *c = bpf_map_lookup_elem(&counts, &function);

	if (!c)
		return 0;
	/* Atomic: another thread may run on this CPU in between. */
	if (is_followed(bpf_task_storage_get(&threads, (void *)bpf_get_current_task_btf(), 0, 0)))
		__sync_fetch_and_add(&c->calls, 1);
	else
		__sync_fetch_and_add(&c->others, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
