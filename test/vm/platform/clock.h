/* Copyright 2026 The ebb authors. SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
#ifndef CLOCK_H
#define CLOCK_H

#include <linux/cpufreq.h>

#include "platform.h"

/* clock.c */
int taken(void);			/* of a request: 1, 0 when it is to be ignored, or an error */
void clock_becomes(const struct cpumask *cpus, unsigned int khz);
unsigned int current_khz(unsigned int cpu);
void domain_of(struct cpufreq_policy *policy);	/* the CPUs that share it */

extern struct cpufreq_driver table_driver;	/* table.c */
int table_fill(void);
void table_free(void);
extern struct cpufreq_driver stepless_driver;	/* stepless.c */
extern struct cpufreq_driver active_driver;	/* active.c */

#endif
