/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* The kernel's types and functions that the programs use. */
#ifndef EBB_KERNEL_H
#define EBB_KERNEL_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include <stdbool.h>

/* The kernel's types, as far as they are used. The loader relocates the accesses. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct bpf_local_storage;
struct linux_binprm;
struct pt_regs {
#if defined(__TARGET_ARCH_arm64)
	int syscallno;
#else
	unsigned long orig_ax;
#endif
};
struct cfs_rq {
	int throttle_count; /* its own quota and those of the groups above it that are used up */
};
struct sched_entity {
	__u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
};
struct kernfs_node {
	__u64 id;
};
struct cgroup;
struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};
struct cgroup_root;
struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	struct cgroup_root *root; /* its hierarchy's */
};
struct css_set {
	struct cgroup *dfl_cgrp;
};
struct signal_struct {
	int nr_threads;
};
typedef struct {
	__u32 val;
} kuid_t;
struct cred {
	kuid_t uid;
	kuid_t euid;
	kuid_t suid;
};
struct task_struct;
struct mm_struct {
	struct task_struct *owner;
};
struct task_struct {
	unsigned int __state;
	unsigned int flags;
	int pid;
	int tgid;
	char comm[16];
	unsigned long nvcsw;
	unsigned long nivcsw;
	__u64 start_time;
	struct sched_entity se;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct mm_struct *mm;
	struct signal_struct *signal;
	struct css_set *cgroups;
	const struct cred *real_cred;
	struct bpf_local_storage *bpf_storage;
};
struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 seq_num;
};
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
#pragma clang attribute pop

/* Linux 6.2. */
extern void *bpf_rdonly_cast(const void *, __u32) __attribute__((weak)) __ksym;

/* Linux 6.2, too. */
extern struct task_struct *bpf_task_from_pid(int pid) __attribute__((weak)) __ksym;
extern void bpf_task_release(struct task_struct *) __attribute__((weak)) __ksym;

/*
 * A task of which only a pointer is read, and nobody goes on from there but to read. Where the verifier trusts a task, it
 * looks through all of the kernel's types, up to four times, for what each pointer in it is worth: for 250 ms of a start,
 * before this. The cast is none at run time.
 */
static __always_inline struct task_struct *look_at(struct task_struct *task)
{
	return bpf_rdonly_cast ? bpf_rdonly_cast(task, bpf_core_type_id_kernel(struct task_struct)) : task;
}

/* include/linux/sched.h */
#define TASK_DEAD 0x80
#define TASK_WAKING 0x200
#define PF_EXITING 0x4
#define PF_IO_WORKER 0x10     /* io_uring's threads */
#define PF_USER_WORKER 0x4000 /* since Linux 6.4 these and vhost's */
#define PF_KTHREAD 0x200000
#define CLOCK_MONOTONIC 1

/* System calls. */
enum {
#if defined(__TARGET_ARCH_arm64)
	NR_EXIT = 93,
	NR_EXIT_GROUP = 94,
	NR_FUTEX = 98,
#else
	NR_EXIT = 60,
	NR_FUTEX = 202,
	NR_EXIT_GROUP = 231,
#endif
	NR_FUTEX_WAITV = 449,
	NR_FUTEX_WAKE = 454,
	NR_FUTEX_WAIT = 455,
	NR_FUTEX_REQUEUE = 456,
};

/* The system call that a thread with these registers is in; negative: none. */
static __always_inline long syscall_in(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_arm64)
	return regs->syscallno;
#else
	return regs->orig_ax;
#endif
}

#endif
