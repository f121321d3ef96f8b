/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * The caller that sent or received, by its stack. Bytes are counted by thread and by a number made of the stack; what user space
 * needs to name it is written once for each, where it is first seen.
 *
 * The walk by frame pointers leaves out who called code without them, and that is just who is looked for: the C library's
 * send keeps none. Where in its frame the return address lies is user space's business. Here it is enough that other
 * callers get another number, so all words go into it that can be that address: those of the stack's top that lie in the
 * program's own code. Words that are nothing of the kind make two numbers of one stack at worst.
 */
#ifndef EBB_CALLER_H
#define EBB_CALLER_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "../stacks/registers.h"

#define MAX_FRAMES 127 /* as many as the kernel walks for samples */
#define TOP_WORDS 64   /* of the stack, in which a return address is looked for */
#define TOP (8 * TOP_WORDS)
#define PAGE 4096
#define DEPTH (2 * PAGE) /* bytes of the stack that are written, from its pointer on */
#define RED_ZONE 128    /* and so many below it, which functions use, too (System V ABI) */
#define MAX_CALLERS 65536

const volatile bool by_caller; /* set by the loader */
__u64 unseen;		       /* stacks for which there was no room, each time that they came */

/* It is written up to the last byte of the stack: frames first, then the stack from below its pointer on. */
struct caller_record {
	__u64 at;
	__u64 caller;
	__u32 pid;
	__u32 tid;
	__u32 frames; /* bytes */
	__u32 stack;  /* bytes, the red zone's among them */
	struct pt_regs regs;
	__u8 rest[8 * MAX_FRAMES + RED_ZONE + DEPTH + PAGE]; /* the last page is for the verifier, which adds up the largest of all */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct caller_record);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} records SEC(".maps");

struct caller_key {
	__u32 pid;
	__u32 tid;
	__u64 caller;
};

struct caller_count {
	__u64 bytes[4]; /* by enum way */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, MAX_CALLERS);
	__type(key, struct caller_key);
	__type(value, struct caller_count);
} callers SEC(".maps");

/* A step of a number that other words make another one: a round of a generator by Steele and Vigna (SplitMix64). */
static __always_inline __u64 mixed(__u64 h, __u64 w)
{
	h = (h ^ w) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

/* Reads page by page: a read that touches one that is not there fails as a whole. */
static __always_inline __u32 copy_stack(struct caller_record *r, __u32 at, __u64 sp)
{
	__u32 n = 0, piece = PAGE - (sp & (PAGE - 1)), i;

	for (i = 0; i < DEPTH / PAGE + 1; i++) {
		if (n >= DEPTH)
			break;
		if (piece > DEPTH - n)
			piece = DEPTH - n;
		if (piece > PAGE || at > 8 * MAX_FRAMES + RED_ZONE || bpf_probe_read_user(r->rest + at + n, piece, (void *)(sp + n)))
			break;
		n += piece;
		piece = PAGE;
	}
	return n;
}

/* The number of the stack by which the current thread is in a system call, with its frames in r; 0 where there is none. */
static __always_inline __u64 caller_of(struct task_struct *task, struct caller_record *r)
{
	__u64 h = 0, *words = (void *)r->rest, begin, end, sp;
	__u64 frame[2]; /* the caller's frame pointer, and the address in it */
	__u32 i;

	if (!task->mm || read_registers(&r->regs, task))
		return 0;
	/*
	 * The same addresses in another program are another stack. The verifier lets nobody reckon with a pointer, but what was
	 * written to a map is a number.
	 */
	*(volatile __u64 *)&r->at = (__u64)task->mm;
	h = *(volatile __u64 *)&r->at;
	begin = task->mm->start_code;
	end = task->mm->end_code;
	sp = r->regs.rsp;
	if (!bpf_probe_read_user(words, TOP, (void *)sp)) {
		/* The walk finds those beyond the frame that the frame pointer marks. */
		__u64 own = r->regs.rbp - sp < TOP ? (r->regs.rbp - sp) / 8 : TOP_WORDS;

		for (i = 0; i < TOP_WORDS && i < own; i++)
			if (words[i] - begin < end - begin)
				h = mixed(h, words[i]);
	}
	words[0] = r->regs.rip;
	h = mixed(h, words[0]);
	frame[0] = r->regs.rbp;
	for (i = 1; i < MAX_FRAMES; i++) {
		__u64 at = frame[0];

		if (bpf_probe_read_user(frame, sizeof frame, (void *)at) || !frame[1])
			break;
		words[i] = frame[1];
		h = mixed(h, words[i]);
		if (frame[0] <= at) {
			i++;
			break;
		}
	}
	r->frames = 8 * i;
	return h ? h : 1;
}

/* Where the bytes of the current thread's caller are counted; 0 when there is no room. */
static __always_inline struct caller_count *caller(struct task_struct *task)
{
	struct caller_count *c, new = {};
	__u64 ids = bpf_get_current_pid_tgid();
	struct caller_key k = {.pid = ids >> 32, .tid = ids};
	struct caller_record *r;
	__u32 zero = 0;
	__u64 size;

	r = bpf_map_lookup_elem(&scratch, &zero);
	if (!r)
		return 0;
	k.caller = caller_of(task, r);
	if (!k.caller)
		return 0;
	c = bpf_map_lookup_elem(&callers, &k);
	if (c)
		return c;
	r->at = bpf_ktime_get_ns();
	r->caller = k.caller;
	r->pid = k.pid;
	r->tid = k.tid;
	if (r->frames > 8 * MAX_FRAMES)
		return 0;
	/* It is zero where its page has never been touched. */
	bpf_probe_read_user(r->rest + r->frames, RED_ZONE, (void *)(r->regs.rsp - RED_ZONE));
	r->stack = RED_ZONE + copy_stack(r, r->frames + RED_ZONE, r->regs.rsp);
	size = __builtin_offsetof(struct caller_record, rest) + r->frames + r->stack;
	asm volatile("" : "+r"(size)); /* the same register is compared and used */
	if (size > sizeof *r)
		size = sizeof *r;
	/* A stack without a record gets no entry either: it may get both the next time. */
	if (bpf_ringbuf_output(&records, r, size, BPF_RB_NO_WAKEUP) || bpf_map_update_elem(&callers, &k, &new, BPF_NOEXIST)) {
		__sync_fetch_and_add(&unseen, 1);
		return 0;
	}
	return bpf_map_lookup_elem(&callers, &k);
}

#endif
