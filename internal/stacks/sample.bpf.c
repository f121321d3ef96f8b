//go:build ignore

/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Samples the stack of whatever a CPU runs each time its clock event fires, if it is a thread of the target. Threads that
 * sleep are not sampled, and not woken. Beside the walk by frame pointers it takes the program's registers and the top of
 * its stack, by which user space walks through code that keeps no frame pointers.
 *
 * The map of followed threads is the tracer's own (epochs/bpf/thread.h), put in by the loader.
 */
#include "../../epochs/bpf/thread.h"
#include "registers.h"
#include <bpf/bpf_core_read.h>

#define MAX_FRAMES 127 /* the kernel's bound, /proc/sys/kernel/perf_event_max_stack */
#define PAGE 4096
#define MAX_PAGES 6
#define RED_ZONE 128 /* below the stack pointer, which functions use, too (System V ABI of AMD64, 3.2.2) */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} samples SEC(".maps");

/*
 * A record is written as far as it goes: frames of the kernel, frames of the program, the top of the program's stack. The
 * last page is never filled; it is there for the verifier, which adds up the largest of all parts.
 */
struct sample {
	__u64 at;
	__u32 tid;
	__u32 pid;
	__u16 cpu;
	__u16 maps; /* another one where the process's mappings may have changed; 0: they are gone */
	__s16 kernel; /* bytes of frames; below zero: the error */
	__s16 user;
	__u64 stack; /* bytes of the stack, from the red zone on */
	__u64 mounted; /* the Java thread that it runs as (carriers); 0: not known; ITSELF: none but itself */
	struct pt_regs regs;
	__u8 rest[2 * 8 * MAX_FRAMES + (MAX_PAGES + 1) * PAGE];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct sample);
} scratch SEC(".maps");

/*
 * Threads of Java machines that say in their own memory which virtual thread they carry: where that is, by the process and
 * the thread's own block. User space puts them in; a machine without virtual threads has none here.
 */
struct carrier_key {
	__u64 block;
	__u64 pid;
};

struct carrier {
	__u64 at; /* of the number; with a field, of the reference to the object that has it */
	__u64 field; /* where the object has it */
	__u64 own; /* the thread's own number */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct carrier_key);
	__type(value, struct carrier);
} carriers SEC(".maps");

__u64 carrying; /* entries in carriers, by user space */
__u32 carriers_version; /* another one after each change of carriers */

/*
 * What carriers said of some threads that each CPU sampled, by their blocks: one place in memory to read where that map has
 * three. Between two samples a program has used its caches for something else.
 */
struct known_carrier {
	__u64 block;
	__u32 pid;
	__u32 version;
	struct carrier carrier; /* at 0: it is none */
};

#define KNOWN_CARRIERS 8

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KNOWN_CARRIERS);
	__type(key, __u32);
	__type(value, struct known_carrier);
} known_carriers SEC(".maps");

#define ITSELF (~0ULL)

/* How many bytes of the stack are taken, at most MAX_PAGES pages; 0: neither these nor frames. */
const volatile __u32 depth = MAX_PAGES * PAGE;
const volatile __u32 half_full = 1 << 21; /* of the ring */

/* Written by user space: how old a process must be before its threads are sampled (young). */
__u64 young_ns;

__u64 lost;
__u64 taken;
__u64 shallow; /* samples without the stack, for want of room */
__u64 spent; /* ns in this program, without the interrupt around it */

/* The members of the kernel's structures that are read; the loader finds their offsets. */
struct sched_entity {
	__u64 sum_exec_runtime;
} __attribute__((preserve_access_index));

struct mm_struct {
	unsigned long start_stack;
	unsigned long exec_vm;
} __attribute__((preserve_access_index));

struct thread_struct {
	unsigned long fsbase; /* of x86 alone */
} __attribute__((preserve_access_index));

struct task_struct {
	struct sched_entity se;
	int pid, tgid;
	struct task_struct *group_leader;
	__u64 start_time;
	struct mm_struct *mm;
	struct thread_struct thread;
} __attribute__((preserve_access_index));

/* Linux 6.2. */
extern void *bpf_rdonly_cast(const void *, __u32) __attribute__((weak)) __ksym;

/* As in the tracer (kernel.h): the verifier looks through all types for what a trusted pointer is. */
static __always_inline struct task_struct *look_at(struct task_struct *task)
{
	return bpf_rdonly_cast ? bpf_rdonly_cast(task, bpf_core_type_id_kernel(struct task_struct)) : task;
}

/* Since Linux 6.4, and from 6.13 on. */
struct mm_struct___counted {
	int mm_lock_seq;
} __attribute__((preserve_access_index));

struct seqcount {
	unsigned int sequence;
} __attribute__((preserve_access_index));

struct mm_struct___sequenced {
	struct seqcount mm_lock_seq;
} __attribute__((preserve_access_index));

/* How often the mappings were locked for a change. A kernel that does not count that has the number of pages of code. */
static __always_inline __u16 maps_of(struct task_struct *task)
{
	struct mm_struct *mm = task->mm;

	if (bpf_core_field_exists(((struct mm_struct___sequenced *)mm)->mm_lock_seq.sequence))
		return ((struct mm_struct___sequenced *)mm)->mm_lock_seq.sequence;
	if (bpf_core_field_exists(((struct mm_struct___counted *)mm)->mm_lock_seq))
		return ((struct mm_struct___counted *)mm)->mm_lock_seq;
	return mm->exec_vm;
}

/*
 * Of a process that ends soon nobody can read what its code is called. Its first thread is young before it has used so
 * much CPU time since it is followed, and another thread only where the whole process is: a thread's beginning is sampled.
 */
static __always_inline bool young(struct task_struct *task, const struct thread *t)
{
	__u64 at, since;

	if (task->pid == task->tgid) {
		at = task->se.sum_exec_runtime;
		since = t->run_before;
	} else {
		since = task->group_leader->start_time;
		barrier(); /* else one load serves both, and the verifier knows one structure for it */
		at = bpf_ktime_get_ns();
	}
	return at - since < young_ns;
}

#if defined(__TARGET_ARCH_arm64)

static __always_inline __u64 mounted_on(struct task_struct *task, __u32 pid)
{
	return 0; /* nobody tried it there */
}

/* Nobody walks by these registers (registers.h), so no stack is copied: they say where the program is. */
static __always_inline void take_stack(struct sample *s, struct task_struct *task, __u32 at)
{
	if (!depth)
		s->regs.cs = USER_CODE;
}

#else

/* Returns what is known of a thread with this block; 0 cannot be. */
static __always_inline struct carrier *carrier_of(__u64 block, __u32 pid)
{
	struct carrier_key key = { .block = block, .pid = pid };
	__u32 place = (block >> 12) % KNOWN_CARRIERS; /* blocks are as far apart as stacks */
	struct known_carrier *k = bpf_map_lookup_elem(&known_carriers, &place);
	struct carrier *c;

	if (!k)
		return 0;
	if (k->block == block && k->pid == pid && k->version == carriers_version)
		return &k->carrier;
	k->block = block;
	k->pid = pid;
	k->version = carriers_version; /* read first: a change meanwhile is one more look */
	c = bpf_map_lookup_elem(&carriers, &key);
	if (c)
		k->carrier = *c;
	else
		k->carrier.at = 0;
	return &k->carrier;
}

/* Who is mounted changes while a stack waits to be walked, so it is read here, by at most two reads of its own memory. */
static __always_inline __u64 mounted_on(struct task_struct *task, __u32 pid)
{
	struct carrier *c;
	__u64 at, number = 0;

	if (!carrying)
		return 0;
	c = carrier_of(task->thread.fsbase, pid);
	if (!c || !c->at)
		return 0;
	at = c->at;
	if (c->field) {
		if (bpf_probe_read_user(&at, sizeof at, (void *)at) || !at)
			return 0;
		at += c->field;
	}
	if (bpf_probe_read_user(&number, sizeof number, (void *)at))
		return 0;
	return number == c->own ? ITSELF : number;
}

/*
 * How far up a stack is worth to be read: the C library puts a thread's own block, which fsbase points to, above its stack,
 * and the kernel a program's arguments above its first thread's.
 */
static __always_inline __u64 room(struct task_struct *task, __u64 from)
{
	__u64 block = task->thread.fsbase, first = look_at(task)->mm->start_stack, most = depth;

	if (block > from && block - from < most)
		most = block - from;
	if (first > from && first - from < most)
		most = first - from;
	return most;
}

/*
 * Reads the stack page by page: a read fails as a whole if one of its pages is missing. The last bytes can be
 * beyond the thread's stack.
 */
static __always_inline __u64 copy_stack(struct sample *s, __u32 at, __u64 from, __u64 most)
{
	__u64 n = 0, piece = PAGE - (from & (PAGE - 1));
	int i;

	for (i = 0; i <= MAX_PAGES; i++) {
		if (n >= most)
			break;
		if (piece > most - n)
			piece = most - n;
		barrier_var(piece); /* else the compiler leaves out the next line, which the verifier needs */
		if (piece > PAGE || n > MAX_PAGES * PAGE)
			break;
		if (bpf_probe_read_user(s->rest + at + n, piece, (void *)(from + n)))
			break;
		n += piece;
		piece = PAGE;
	}
	return n;
}

static __always_inline void take_stack(struct sample *s, struct task_struct *task, __u32 at)
{
	if (!depth)
		return; /* the registers are all that is wanted */
	if (bpf_ringbuf_query(&samples, BPF_RB_AVAIL_DATA) > half_full)
		__sync_fetch_and_add(&shallow, 1);
	else
		s->stack = copy_stack(s, at, s->regs.rsp - RED_ZONE, room(task, s->regs.rsp - RED_ZONE));
}

#endif

SEC("perf_event")
int on_clock(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, (void *)task, 0, 0);
	__u64 ids = bpf_get_current_pid_tgid();
	__u32 zero = 0, size, at;
	struct sample *s;
	long kernel = 0, user = 0;

	if (!is_followed(t) || young(task, t))
		return 0;
	s = bpf_map_lookup_elem(&scratch, &zero);
	if (!s)
		return 0;
	__sync_fetch_and_add(&taken, 1);
	s->at = bpf_ktime_get_ns();
	s->tid = ids;
	s->pid = ids >> 32;
	s->cpu = bpf_get_smp_processor_id();
	if (depth)
		kernel = bpf_get_stack(ctx, s->rest, 8 * MAX_FRAMES, 0);
	s->kernel = kernel;
	if (kernel < 0)
		kernel = 0;
	if (kernel > 8 * MAX_FRAMES)
		kernel = 8 * MAX_FRAMES;
	if (depth)
		user = bpf_get_stack(ctx, (void *)s->rest + kernel, 8 * MAX_FRAMES, BPF_F_USER_STACK);
	s->user = user;
	if (user < 0)
		user = 0;
	if (user > 8 * MAX_FRAMES)
		user = 8 * MAX_FRAMES;
	at = kernel + user;
	s->maps = maps_of(look_at(task));
	s->stack = 0;
	if (read_registers(&s->regs, task))
		__builtin_memset(&s->regs, 0, sizeof s->regs);
	else
		take_stack(s, task, at);
	s->mounted = mounted_on(task, s->pid); /* behind the stack: the kernel's code that reads it is in the caches by then */
	size = __builtin_offsetof(struct sample, rest) + at + s->stack;
	if (size > sizeof *s)
		size = sizeof *s;
	if (bpf_ringbuf_output(&samples, s, size, BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&lost, 1);
	__sync_fetch_and_add(&spent, bpf_ktime_get_ns() - s->at);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
