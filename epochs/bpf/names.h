/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * A thread is known by its id in the machine's first PID namespace (task->pid), here and in user space. This is which id
 * it has in ebb's own namespace, where that is another one: /proc and the kernel's calls know it there by that id. And
 * which one it has in its own, that of a container it may be in: programs there, and itself, know it by that one.
 */
#ifndef EBB_NAMES_H
#define EBB_NAMES_H

#include "kernel.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct ns_common {
	unsigned int inum;
};
struct pid_namespace {
	struct ns_common ns;
};
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[1]; /* level + 1 of them, from the first namespace on */
};
struct task_struct___names {
	struct pid *thread_pid;
	struct task_struct___names *group_leader;
};
#pragma clang attribute pop

struct number { /* struct upid, whose places are no relocations of their own */
	int nr;
	struct pid_namespace *ns;
};

#define MAX_LEVEL 32 /* MAX_PID_NS_LEVEL */

/* Set by the loader: the inode number of ebb's PID namespace; 0: it is the first one. */
const volatile __u32 own_namespace;

enum way { OWN_OF_FIRST = 1, FIRST_OF_OWN };

struct name {
	__u32 way; /* an enum way */
	__u32 id;  /* what it is asked by */
};

/* Its size is set by the loader. The oldest go first: nobody asks for a thread that has ended. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2);
	__type(key, struct name);
	__type(value, __u32);
} names SEC(".maps");

/* A process's or a thread's id in ebb's namespace, where the kernel says how many numbers it has. */
static __always_inline __u32 own_number(struct pid *pid)
{
	const struct number *numbers = (void *)pid + bpf_core_field_offset(pid->numbers);

	/* The verifier follows the loop and knows each place, and therefore the type of what is there. */
	for (__u32 i = 1; i <= MAX_LEVEL && i <= pid->level; i++)
		if (numbers[i].ns->ns.inum == own_namespace)
			return numbers[i].nr;
	return 0;
}

/*
 * The same before Linux 6.5, whose verifier lets nobody read beyond the one number that the type has, and which has no
 * other way than by helper. In lockdown (confidentiality) that kernel refuses it.
 */
static __noinline __u32 read_number(struct pid *pid)
{
	__u32 level = pid->level;
	struct upid *number;

	for (__u32 i = 1; i <= MAX_LEVEL && i <= level; i++) {
		number = &pid->numbers[0];
		number += i;
		if (BPF_CORE_READ(number, ns, ns.inum) == own_namespace)
			return BPF_CORE_READ(number, nr);
	}
	return 0;
}

/* A process's or a thread's id in ebb's namespace; 0 where it has none. Every thread has one of the kernel's pids. */
static __noinline __u32 own_id(struct pid *pid)
{
	if (!pid)
		return 0;
	return bpf_core_field_size(pid->numbers) ? read_number(pid) : own_number(pid);
}

/* A process's id in ebb's namespace; 0 where it has none. */
static __always_inline __u32 own_process(struct task_struct *task)
{
	if (!own_namespace)
		return task->tgid;
	return own_id(((struct task_struct___names *)task)->group_leader->thread_pid);
}

/*
 * A thread's id in its own PID namespace, where that is not the first one. 0: it is the first one, or the kernel does not
 * say how many numbers a pid has (before Linux 6.5, and 6.1 in its newer versions).
 */
static __noinline __u32 inner_number(struct pid *pid)
{
	const struct number *numbers;

	if (!pid || !pid->level)
		return 0;
	if (bpf_rdonly_cast) {
		/* The cast takes any place for a pid's. With the loop a third of a switch's verifying was here. */
		numbers = bpf_rdonly_cast((void *)pid + pid->level * sizeof *numbers, bpf_core_type_id_kernel(struct pid));
		numbers = (void *)numbers + bpf_core_field_offset(pid->numbers);
		return numbers->nr;
	}
	numbers = (void *)pid + bpf_core_field_offset(pid->numbers);
	for (__u32 i = 1; i <= MAX_LEVEL && i <= pid->level; i++) /* as in own_number */
		if (i == pid->level)
			return numbers[i].nr;
	return 0;
}

static __always_inline __u32 inner_id(struct task_struct *task)
{
	if (bpf_core_field_size(struct pid, numbers))
		return 0;
	return inner_number(((struct task_struct___names *)look_at(task))->thread_pid);
}

/* Keeps the two ids of a thread that is followed from now on. */
static __always_inline void remember(struct task_struct *task)
{
	struct name own = {.way = OWN_OF_FIRST}, first = {.way = FIRST_OF_OWN};
	__u32 pid, id;

	if (!own_namespace)
		return;
	own.id = pid = task->pid;
	first.id = id = own_id(((struct task_struct___names *)task)->thread_pid);
	if (!id) {
		bpf_map_delete_elem(&names, &own); /* of a thread before it */
		return;
	}
	bpf_map_update_elem(&names, &own, &id, BPF_ANY);
	bpf_map_update_elem(&names, &first, &pid, BPF_ANY);
}

#endif
