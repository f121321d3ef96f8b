//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Looks at the stack of whatever a CPU runs each time its clock event fires, if it is a thread of the target. Threads that
 * sleep are not looked at, and not woken.
 *
 * The map of followed threads is the tracer's own (epochs/bpf/state.h), put in by the loader.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define MAX_FRAMES 127 /* the kernel's bound, /proc/sys/kernel/perf_event_max_stack */

struct task_struct;

/* As in epochs/bpf/state.h; the loader finds out when the sizes differ. */
struct thread {
	__u64 wake_at;
	__s32 waker;
	__u8 off;
	bool seed;
	__u16 unused;
	__u64 rest[9];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} samples SEC(".maps");

/* A record is written up to the last of its frames: the kernel's first, then the program's. */
struct sample {
	__u64 at;
	__u32 tid;
	__u32 pid;
	__u32 cpu;
	__s16 kernel; /* bytes of frames; below zero: the error */
	__s16 user;
	__u64 frames[2 * MAX_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sample);
} scratch SEC(".maps");

__u64 lost;
__u64 taken;

SEC("perf_event")
int on_clock(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, (void *)task, 0, 0);
	__u64 ids = bpf_get_current_pid_tgid();
	__u32 zero = 0, size;
	struct sample *s;
	long kernel, user;

	if (!t || t->seed)
		return 0;
	s = bpf_map_lookup_elem(&scratch, &zero);
	if (!s)
		return 0;
	__sync_fetch_and_add(&taken, 1);
	s->at = bpf_ktime_get_ns();
	s->tid = ids;
	s->pid = ids >> 32;
	s->cpu = bpf_get_smp_processor_id();
	kernel = bpf_get_stack(ctx, s->frames, 8 * MAX_FRAMES, 0);
	s->kernel = kernel;
	if (kernel < 0)
		kernel = 0;
	if (kernel > 8 * MAX_FRAMES)
		kernel = 8 * MAX_FRAMES;
	user = bpf_get_stack(ctx, (void *)s->frames + kernel, 8 * MAX_FRAMES, BPF_F_USER_STACK);
	s->user = user;
	if (user < 0)
		user = 0;
	size = __builtin_offsetof(struct sample, frames) + kernel + user;
	if (size > sizeof *s)
		size = sizeof *s;
	if (bpf_ringbuf_output(&samples, s, size, BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&lost, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
