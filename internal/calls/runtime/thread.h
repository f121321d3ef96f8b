// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// A thread's own state, and the parts of the library that the hooks call.
#ifndef EBB_FUNCTIONS_THREAD_H
#define EBB_FUNCTIONS_THREAD_H

#include "layout.h"

#define PLAIN __attribute__((no_instrument_function))
#define HIDDEN __attribute__((visibility("hidden"))) PLAIN
#define COLD HIDDEN __attribute__((noinline, cold))

// thread is what the hooks read. The first line of the cache has all that a skipped call needs.
struct thread {
    struct entry *table;   // of its segment; NULL where it has none
    uint64_t top;          // the function of the innermost profiled invocation; 0: none
    uintptr_t top_cfa;     // the stack pointer of its caller; the highest address: none
    uint64_t nested;       // calls of top within it that have not returned
    const volatile uint32_t *period;
    struct segment *segment;
    uintptr_t busy;        // the stack pointer of the caller that is being profiled; 0: none
    uint64_t recursions;   // times that nested was raised, while top was top
    uint64_t probes;       // CPU time that the hooks have taken, in ns
    uint64_t usual;        // of the last of them that did not lose its CPU
    uint64_t bias, cpu_bias;  // what the clocks say of an invocation that does nothing, in ns
    uint64_t switches;     // of the thread, when they were counted last
    uint64_t looked, away; // when that was; for how long the thread had had no CPU by then, in ns
    uint64_t chance;       // state of the random numbers
    uint32_t number, tid;  // of the segment; of the thread
    int counter, second;   // descriptors of the counters, -1: none; the first reads both
    uint64_t counter_id, second_id;  // by which the kernel knows them
    int roams;  // it is a virtual thread's for now, whose calls may end in another
};

extern __thread struct thread ebb_thread
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

// ebb_shared is the memory shared with ebb; NULL where ebb does not follow the program.
extern struct shared *ebb_shared __attribute__((visibility("hidden")));

HIDDEN void ebb_turn(struct thread *t, struct entry *e, uint32_t period);
HIDDEN uint64_t ebb_picked(struct thread *t, struct entry *e);
HIDDEN void ebb_calibrate(struct thread *t);
HIDDEN int ebb_attach_thread(struct thread *t);
HIDDEN void ebb_leave_after_fork(void);
HIDDEN uint32_t ebb_group(struct thread *t, uint64_t function);
HIDDEN void ebb_open_counters(struct thread *t);
HIDDEN void ebb_close_counters(struct thread *t);
HIDDEN uint64_t ebb_read_counters(struct thread *t, uint64_t counts[EBB_COUNTERS]);

COLD void ebb_search(uint64_t function, uint64_t site, uintptr_t cfa);
COLD void ebb_due(struct entry *e, uint64_t function, uint64_t site, uintptr_t cfa);
COLD void ebb_left(uint64_t function, uintptr_t cfa);

static inline PLAIN uint32_t ebb_place(uint64_t function)
{
    return (uint32_t)(function >> 4) & (EBB_ENTRIES - 1);
}

// ebb_count adds a call. It is one instruction, so that a signal's handler loses none.
static inline PLAIN void ebb_count(uint64_t *calls)
{
#if defined(__x86_64__)
    __asm__ volatile("addq $1, %0" : "+m"(*calls) : : "cc");
#else
    __atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
#endif
}

#endif
