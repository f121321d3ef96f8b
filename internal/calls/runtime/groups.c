// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// Into which group a function falls (SAFARI, section III.B).
#define _GNU_SOURCE
#include <dlfcn.h>

#include "thread.h"

// rank orders names as an alphabet does, by their first two characters.
static PLAIN uint32_t rank(const char *name)
{
    uint32_t first = (unsigned char)name[0];
    return first * 256 + (first ? (unsigned char)name[1] : 0);
}

// ebb_group is a number whose remainder by the groups' number says which group a function is in.
uint32_t ebb_group(struct thread *t, uint64_t function)
{
    (void)t;
    const struct settings *s = &ebb_shared->settings;
    uint64_t mixed = (function ^ s->seed) * 0x9e3779b97f4a7c15u;
    Dl_info found;
    switch (s->grouping) {
    case EBB_BY_CHANCE:
        return (uint32_t)(mixed >> 40);
    case EBB_BY_NAME:
        // Only exported functions have a name that the program itself can look up.
        if (dladdr((void *)function, &found) && found.dli_sname &&
            (uint64_t)found.dli_saddr == function)
            return rank(found.dli_sname);
    }
    return (uint32_t)(function >> 4);
}
