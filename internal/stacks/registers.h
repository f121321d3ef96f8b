/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/* The program's registers, as records have them: struct pt_regs of x86-64. */
#ifndef EBB_REGISTERS_H
#define EBB_REGISTERS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define USER_CODE 0x33 /* the code segment of 64-bit programs */

#if defined(__TARGET_ARCH_arm64)

/* What the kernel's struct pt_regs begins with (struct user_pt_regs in asm/ptrace.h). */
struct kernels_regs {
	__u64 x[31];
	__u64 sp;
	__u64 pc;
	__u64 pstate;
};

#define PSR_MODE32_BIT 0x10 /* asm/ptrace.h */

struct pt_regs {
	__u64 unused1[4], rbp, unused2[11], rip, cs, unused3, rsp, unused4;
};

/*
 * Takes those that mean the same. The code segment stays 0, which says that there is nothing to walk a stack by: user space
 * does so for x86-64 alone, and elsewhere goes by the frame pointers that the kernel followed.
 */
static __always_inline long read_registers(struct pt_regs *to, const void *task)
{
	struct kernels_regs from, *regs = (void *)bpf_task_pt_regs((void *)task);

	__builtin_memset(to, 0, sizeof *to);
	if (!regs || bpf_probe_read_kernel(&from, sizeof from, regs) || from.pstate & PSR_MODE32_BIT)
		return -1;
	to->rbp = from.x[29];
	to->rip = from.pc;
	to->rsp = from.sp;
	return 0;
}

#else

#include <linux/ptrace.h>

static __always_inline long read_registers(struct pt_regs *to, const void *task)
{
	void *regs = (void *)bpf_task_pt_regs((void *)task);

	return regs ? bpf_probe_read_kernel(to, sizeof *to, regs) : -1;
}

#endif

#endif
