// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// Which calls are profiled. SAFARI takes the first call of a function in each period. That call is
// not like the others: in a period with an expensive call there are few, so expensive ones are
// taken too often or too rarely. Here a function's calls are cut into blocks by their number, about
// one for a period, and one call of each block is taken by chance, which stands for the block.
#include "thread.h"

#define NEVER UINT64_MAX

enum {
    LONGEST_WAIT = 4,  // periods after which a block without a record is too large
    MOST_CALLS = 1 << 30,
};

// below returns a number from 0 to n - 1 (xorshift64).
static PLAIN uint64_t below(struct thread *t, uint64_t n)
{
    t->chance ^= t->chance << 13;
    t->chance ^= t->chance >> 7;
    t->chance ^= t->chance << 17;
    return n ? t->chance % n : 0;
}

static PLAIN struct plan *plan_of(struct thread *t, struct entry *e)
{
    return &t->segment->plans[e - t->table];
}

static PLAIN uint32_t at_least_one(uint32_t n) { return n ? n : 1; }

// wanted returns how many records a function gets in a period: the number that each gets, or its
// part of those that the thread's functions share where that is more. So the few functions of a
// small program have narrow intervals, and the many of a large one cost no more.
static PLAIN uint32_t wanted(const struct thread *t)
{
    const struct settings *s = &ebb_shared->settings;
    uint32_t part = s->divided / at_least_one(t->segment->head.functions);
    return part > s->records ? part : at_least_one(s->records);
}

// freeze keeps the distance to the call that will be taken.
static PLAIN void freeze(struct entry *e, struct plan *p)
{
    if (e->frozen)
        return;
    e->next = e->next >= e->calls ? e->next - e->calls : 0;
    p->start = e->calls - p->start;
    e->frozen = 1;
}

static PLAIN void thaw(struct entry *e, struct plan *p)
{
    if (!e->frozen)
        return;
    e->next += e->calls;
    p->start = e->calls > p->start ? e->calls - p->start : 0;
    e->frozen = 0;
}

// take_first is SAFARI's rule. The record stands for as many calls as the last period had.
static PLAIN void take_first(struct entry *e, struct plan *p)
{
    uint64_t calls = e->calls - 1 - p->start;
    p->size = calls ? calls : 1;
    p->start = e->calls - 1;
    p->made = 0;
    e->next = e->calls;
}

// ebb_turn begins a period for a function. The present call is counted already.
void ebb_turn(struct thread *t, struct entry *e, uint32_t period)
{
    const struct settings *s = &ebb_shared->settings;
    uint32_t groups = at_least_one(s->groups);
    struct plan *p = plan_of(t, e);
    e->period = period;
    if (p->size == 0) {
        p->size = 1, p->start = e->calls - 1, p->since = period;
        e->next = e->calls;
    }
    if (period == 0 || (groups > 1 && ebb_group(t, e->function) % groups != period % groups)) {
        freeze(e, p);
        return;
    }
    thaw(e, p);
    if (s->pick == EBB_FIRST_CALL) {
        take_first(e, p);
        return;
    }
    uint32_t waited = (period - p->since) / groups;
    if (waited > LONGEST_WAIT && e->next > e->calls) {
        uint64_t calls = (e->calls - p->start) / waited;
        p->size = calls ? calls : 1;
        p->start = e->calls - 1;
        p->since = period, p->made = 0;
        e->next = e->calls + below(t, p->size);
    }
}

// ebb_picked plans the next block, while the present call is profiled, and returns the number of
// calls that this one stands for. Blocks double until one fills a period.
uint64_t ebb_picked(struct thread *t, struct entry *e)
{
    const struct settings *s = &ebb_shared->settings;
    struct plan *p = plan_of(t, e);
    uint32_t most = wanted(t), groups = at_least_one(s->groups);
    uint64_t stands = p->size, size = p->size;
    if (s->pick == EBB_FIRST_CALL) {
        e->next = ++p->made < at_least_one(s->records) ? e->calls + 1 : NEVER;
        return stands;
    }
    uint32_t passed = (e->period - p->since) / groups;
    if (e->period == p->since) {
        if (++p->made > most && size < MOST_CALLS)
            size *= 2;
    } else {
        uint64_t slower = (uint64_t)at_least_one(passed) * most / at_least_one(p->made);
        if (slower > 1)
            size = size / slower ? size / slower : 1;
        p->made = 1;
    }
    p->since = e->period;
    p->start += p->size;
    p->size = size;
    e->next = p->start + 1 + below(t, size);
    if (e->next <= e->calls)
        e->next = e->calls + 1;
    return stands;
}
