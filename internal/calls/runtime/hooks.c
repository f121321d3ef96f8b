// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// The hooks that the compiler calls at the beginning and the end of each function
// (-finstrument-functions). A call that is not profiled reads the period's number and no clock.
#include "thread.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define EXPORTED __attribute__((visibility("default"))) PLAIN

EXPORTED void __cyg_profile_func_enter(void *function, void *site);
EXPORTED void __cyg_profile_func_exit(void *function, void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
    struct thread *t = &ebb_thread;
    uint64_t f = (uint64_t)function;
    if (unlikely(!t->table)) {
        ebb_search(f, (uint64_t)site, (uintptr_t)__builtin_dwarf_cfa());
        return;
    }
    struct entry *e = &t->table[ebb_place(f)];
    if (unlikely(e->function != f)) {
        ebb_search(f, (uint64_t)site, (uintptr_t)__builtin_dwarf_cfa());
        return;
    }
    ebb_count(&e->calls);
    if (unlikely(e->calls == e->next || e->period != *t->period)) {
        ebb_due(e, f, (uint64_t)site, (uintptr_t)__builtin_dwarf_cfa());
        return;
    }
    if (unlikely(f == t->top))
        t->nested++, t->recursions++;
}

void __cyg_profile_func_exit(void *function, void *site)
{
    (void)site;
    struct thread *t = &ebb_thread;
    uintptr_t cfa = (uintptr_t)__builtin_dwarf_cfa();
    if (unlikely(cfa > t->top_cfa)) {
        ebb_left((uint64_t)function, cfa);
        return;
    }
    if (likely((uint64_t)function != t->top))
        return;
    if (t->nested) {
        t->nested--;
        return;
    }
    ebb_left((uint64_t)function, cfa);
}
