/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * The program's registers, as records have them: struct pt_regs of x86-64. They are loaded through the pointer's type: a
 * kernel in lockdown (confidentiality) refuses a program that reads its memory by helper.
 */
#ifndef EBB_REGISTERS_H
#define EBB_REGISTERS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define USER_CODE 0x33 /* the code segment of 64-bit programs */

#if defined(__TARGET_ARCH_arm64)

/* Places in the kernel's struct pt_regs, in words (struct user_pt_regs in asm/ptrace.h). */
enum { REG_X29 = 29, REG_SP = 31, REG_PC = 32, REG_PSTATE = 33 };

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
	const __u64 *regs = (void *)bpf_task_pt_regs((void *)task);

	__builtin_memset(to, 0, sizeof *to);
	if (!regs || regs[REG_PSTATE] & PSR_MODE32_BIT)
		return -1;
	to->rbp = regs[REG_X29];
	to->rip = regs[REG_PC];
	to->rsp = regs[REG_SP];
	return 0;
}

#else

#include <linux/ptrace.h>

/*
 * Places in words. Since Linux 6.9 the kernel has these two in 16 bits, and the verifier lets nobody read beyond a member.
 */
enum { REG_CS = 17, REG_SS = 20 };

static __always_inline long read_registers(struct pt_regs *to, const void *task)
{
	const struct pt_regs *regs = (void *)bpf_task_pt_regs((void *)task);
	const __u64 *from = (void *)regs;

	if (!regs)
		return -1;
#pragma unroll
	for (int i = 0; i < sizeof *to / 8; i++)
		((__u64 *)to)[i] = i == REG_CS || i == REG_SS ? *(const __u16 *)&from[i] : from[i];
	return 0;
}

#endif

#endif
