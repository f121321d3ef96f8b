// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// Profiling one invocation: when it is a function's turn, and what is read at its begin and end.
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "thread.h"

#define MOST_PROBE 20000  // ns
// A thread that was switched out has been away from its CPU for longer than LEAST_AWAY. So none was
// if wall and CPU time agree to that, or if there was no more time than SHORTEST.
#define LEAST_AWAY 500   // ns
#define SHORTEST 1000    // ns
// The two clocks drift apart by less than LEAST_AWAY in that time: the kernel corrects one of them,
// by some 50 ppm at most, and the other not.
#define FRESH 10000000  // ns
#define MOST_TRIES 3

static PLAIN uint64_t now(clockid_t clock)
{
    struct timespec at;
    if (clock_gettime(clock, &at))
        return 0;
    return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

static PLAIN uint64_t switches(void)
{
    struct rusage use;
    if (getrusage(RUSAGE_THREAD, &use))
        return 0;
    return (uint64_t)use.ru_nvcsw + (uint64_t)use.ru_nivcsw;
}

// clocks reads both clocks at an invocation's begin, CPU time first.
static PLAIN void clocks(struct thread *t, struct frame *f)
{
    f->counted = ebb_read_counters(t, f->counts);
    f->cpu = now(CLOCK_THREAD_CPUTIME_ID);
    f->begin = now(CLOCK_MONOTONIC);
}

// look counts the thread's switches.
static PLAIN void look(struct thread *t, uint64_t at)
{
    t->switches = switches();
    t->looked = at;
}

// read_begin reads what an invocation begins with. The number of switches takes a system call, and
// is still known where the thread has not been away from its CPU since just before it was counted.
static PLAIN void read_begin(struct thread *t, struct frame *f, uint64_t at)
{
    int known = at - t->looked < FRESH;
    for (int tries = 0;; tries++) {
        clocks(t, f);
        uint64_t away = f->begin - f->cpu;
        known = known && away - t->away + LEAST_AWAY <= 2 * LEAST_AWAY;
        if (known || tries == MOST_TRIES)
            break;
        t->away = away;
        look(t, at);
        known = 1;
    }
    f->switches = t->switches;
}

// ebb_calibrate finds what the clocks add to an invocation, the least of some tries.
void ebb_calibrate(struct thread *t)
{
    t->bias = t->cpu_bias = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        uint64_t cpu = now(CLOCK_THREAD_CPUTIME_ID), begin = now(CLOCK_MONOTONIC);
        uint64_t took = now(CLOCK_MONOTONIC) - begin;
        uint64_t used = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
        t->bias = took < t->bias ? took : t->bias;
        t->cpu_bias = used < t->cpu_bias ? used : t->cpu_bias;
    }
}

// less is a - b, and 0 where that is below it.
static PLAIN uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// probed adds what the hooks took, in CPU time. One that took long had lost its CPU meanwhile, and
// was itself like the one before.
static PLAIN void probed(struct thread *t, uint64_t took)
{
    if (took <= MOST_PROBE)
        t->usual = took;
    t->probes += t->usual;
}

// show has the hooks see the innermost frame.
static PLAIN void show(struct thread *t)
{
    uint32_t depth = t->segment->head.depth;
    if (depth == 0 || depth > EBB_FRAMES) {
        t->segment->head.depth = 0;
        t->top = 0, t->top_cfa = UINTPTR_MAX, t->nested = 0;
        return;
    }
    struct frame *f = &t->segment->frames[depth - 1];
    t->top = f->function, t->top_cfa = f->cfa;
    t->nested = f->nested, t->recursions = f->recursions;
}

// abandon drops frames whose functions were left without a return, as by longjmp: a call from a
// place further out, or from the same place, shows that they are over.
static PLAIN void abandon(struct thread *t, uint64_t function, uint64_t site, uintptr_t cfa)
{
    struct head *h = &t->segment->head;
    int some = 0;
    while (h->depth > 0) {
        struct frame *f = &t->segment->frames[h->depth - 1];
        // An inlined function has the stack and the site of the one that it is inlined in.
        int same = cfa == f->cfa && (site != f->site || function == f->function);
        if (cfa <= f->cfa && !same)
            break;
        h->depth--, h->abandoned++, some = 1;
    }
    if (some)
        show(t);
}

// begin profiles an invocation from now on.
static PLAIN void begin(struct thread *t, uint64_t function, uint64_t site, uintptr_t cfa,
                        uint64_t call, uint64_t stands)
{
    uint64_t entered = now(CLOCK_MONOTONIC);
    struct head *h = &t->segment->head;
    abandon(t, function, site, cfa);
    if (h->depth >= EBB_FRAMES || t->roams) {
        h->dropped++;
        if (function == t->top)
            t->nested++, t->recursions++;
        return;
    }
    struct frame *f = &t->segment->frames[h->depth];
    if (h->depth > 0)
        f[-1].nested = t->nested, f[-1].recursions = t->recursions;
    f->function = function, f->site = site, f->cfa = cfa, f->nested = 0;
    f->call = call, f->stands = stands, f->recursions = 0;
    for (uint32_t i = 0; i < h->depth; i++)
        f->recursions |= t->segment->frames[i].function == function;
    read_begin(t, f, entered);
    probed(t, f->begin - entered);
    // Waiting threads come on at the end of a system call. After that the caches are cold, and the
    // invocation is not like others: another call of the function will do.
    if (stands > 1 && f->begin - entered > MOST_PROBE) {
        h->dropped++;
        if (function == t->top)
            t->nested++, t->recursions++;
        return;
    }
    f->probes = t->probes;
    h->depth++;
    show(t);
}

// end writes the record of the innermost frame.
static PLAIN void end(struct thread *t)
{
    uint64_t ended = now(CLOCK_MONOTONIC);
    struct head *h = &t->segment->head;
    struct frame *f = &t->segment->frames[--h->depth];
    struct record *r = &t->segment->records[h->records % EBB_RECORDS];
    uint64_t wall = ended - f->begin, used = wall, bias = t->bias;
    if (wall > SHORTEST)
        used = now(CLOCK_THREAD_CPUTIME_ID) - f->cpu, bias = t->cpu_bias;
    __atomic_store_n(&r->number, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    uint64_t counts[EBB_COUNTERS] = {0};
    int counted = f->counted && ebb_read_counters(t, counts) == f->counted;
    uint64_t probes = t->probes - f->probes;
    r->function = f->function, r->call = f->call, r->stands = f->stands;
    r->begin = f->begin, r->end = f->begin + less(wall, t->bias);
    r->cpu = less(used, bias + probes);
    r->tid = t->tid;
    r->switches = 0;
    if (wall > used + LEAST_AWAY) {
        look(t, ended);
        t->away = f->begin - f->cpu + (wall - used);
        r->switches = (uint32_t)(t->switches - f->switches) & ~(EBB_COUNTED | EBB_RECURSIVE);
    }
    for (int i = 0; i < EBB_COUNTERS; i++)
        r->counts[i] = counted ? counts[i] - f->counts[i] : 0;
    if (counted)
        r->switches |= EBB_COUNTED;
    if (t->recursions > 0)
        r->switches |= EBB_RECURSIVE;
    __atomic_store_n(&r->number, h->records + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&h->records, h->records + 1, __ATOMIC_RELEASE);
    show(t);
    probed(t, now(CLOCK_MONOTONIC) - ended);
}

// find returns a function's entry, and makes one if need be; NULL where there is no room. Between
// any two of its steps a signal's handler may call functions, and so find.
static PLAIN struct entry *find(struct thread *t, uint64_t function)
{
    uint32_t *functions = &t->segment->head.functions;
    for (uint32_t at = ebb_place(function);; at = (at + 1) & (EBB_ENTRIES - 1)) {
        uint64_t *place = &t->table[at].function;
        uint64_t there = __atomic_load_n(place, __ATOMIC_RELAXED);
        if (there == 0) {
            if (__atomic_load_n(functions, __ATOMIC_RELAXED) >= EBB_MOST_FUNCTIONS)
                return 0;
            if (__atomic_compare_exchange_n(place, &there, function, 0, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)) {
                __atomic_fetch_add(functions, 1, __ATOMIC_RELAXED);
                return &t->table[at];
            }
        }
        if (there == function)
            return &t->table[at];
    }
}

// interrupted says whether a signal's handler has come between while an invocation was begun or
// ended. A call from further out shows that the handler has jumped out of that.
static PLAIN int interrupted(struct thread *t, uintptr_t cfa)
{
    return t->busy != 0 && cfa < t->busy;
}

// ebb_search counts a call of which the hook did not see the entry at once.
void ebb_search(uint64_t function, uint64_t site, uintptr_t cfa)
{
    struct thread *t = &ebb_thread;
    if (!t->table && (!ebb_shared || !ebb_attach_thread(t)))
        return;
    struct entry *e = find(t, function);
    if (!e) {
        ebb_count(&t->segment->head.uncounted);
        if (function == t->top)
            t->nested++, t->recursions++;
        return;
    }
    ebb_count(&e->calls);
    if (e->calls == e->next || e->period != *t->period)
        ebb_due(e, function, site, cfa);
    else if (function == t->top)
        t->nested++, t->recursions++;
}

// ebb_due begins a record if it is the function's turn. The call is counted already.
void ebb_due(struct entry *e, uint64_t function, uint64_t site, uintptr_t cfa)
{
    struct thread *t = &ebb_thread;
    if (!interrupted(t, cfa)) {
        uint32_t period = *t->period;
        t->busy = cfa;
        if (t->segment && ebb_shared->claims[t->number].pid != (uint32_t)getpid()) {
            // By a call that runs no handlers, such as _Fork. The count was the parent's.
            __atomic_fetch_sub(&e->calls, 1, __ATOMIC_RELAXED);
            ebb_leave_after_fork();
            ebb_search(function, site, cfa);
            return;
        }
        if (e->period != period)
            ebb_turn(t, e, period);
        if (e->next == e->calls && !e->frozen) {
            uint64_t stands = ebb_picked(t, e);
            begin(t, function, site, cfa, e->calls, stands);
            t->busy = 0;
            return;
        }
        t->busy = 0;
    }
    if (function == t->top)
        t->nested++, t->recursions++;
}

// ebb_left ends the innermost record if its function returns, and drops those that were left.
void ebb_left(uint64_t function, uintptr_t cfa)
{
    struct thread *t = &ebb_thread;
    if (!t->segment || interrupted(t, cfa))
        return;
    t->busy = cfa;
    struct head *h = &t->segment->head;
    while (h->depth > 0) {
        struct frame *f = &t->segment->frames[h->depth - 1];
        if (f->function == function) {
            end(t);
            break;
        }
        if (cfa <= f->cfa)
            break;
        h->depth--, h->abandoned++;
        show(t);
    }
    t->busy = 0;
}
