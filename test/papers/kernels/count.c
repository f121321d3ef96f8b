// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// Hooks that count calls, and print their number when the program ends.
#include "kernels.h"

static uint64_t calls;

QUIET void __cyg_profile_func_enter(void *function, void *site)
{
    (void)function, (void)site;
    calls++;
}

QUIET void __cyg_profile_func_exit(void *function, void *site) { (void)function, (void)site; }

__attribute__((destructor)) static QUIET void say(void)
{
    printf("calls %llu\n", (unsigned long long)calls);
}
