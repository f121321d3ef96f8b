/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Copyright 2026 The ebb authors. */
/*
 * Some programs run where the kernel may take the CPU from a thread: a probe of the target's, a walk over threads. Who is
 * preempted with a place in the ring but no record there holds up the reader, for as long as others keep the CPU from it.
 */
#ifndef EBB_HOLD_H
#define EBB_HOLD_H

#include "kernel.h"

/* Linux 6.10. Before, a reader waits for a moment (read.go). */
extern void bpf_preempt_disable(void) __attribute__((weak)) __ksym;
extern void bpf_preempt_enable(void) __attribute__((weak)) __ksym;

/* The CPU is this thread's until release. */
static __always_inline void hold(void)
{
	if (bpf_preempt_disable)
		bpf_preempt_disable();
}

static __always_inline void release(void)
{
	if (bpf_preempt_enable)
		bpf_preempt_enable();
}

#endif
