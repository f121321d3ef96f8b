// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// The memory that a program and ebb share: what ebb sets, which thread has which segment, and a
// segment for each thread. internal/instrumented reads the same bytes in Go; a test compares both.
// All numbers are in the machine's own byte order. Times are nanoseconds of CLOCK_MONOTONIC.
#ifndef EBB_FUNCTIONS_LAYOUT_H
#define EBB_FUNCTIONS_LAYOUT_H

#include <stdint.h>

enum {
    EBB_MAGIC = 0x46626265,
    EBB_VERSION = 1,
    EBB_PAGE = 4096,
    EBB_SEGMENTS = 512,
    EBB_ENTRIES = 1 << 14,
    EBB_MOST_FUNCTIONS = EBB_ENTRIES / 4 * 3,
    EBB_RECORDS = 1 << 12,
    EBB_FRAMES = 64,
    EBB_COUNTERS = 2,
};

// How functions are put into groups, of which one is profiled in a period.
enum { EBB_BY_ADDRESS, EBB_BY_NAME, EBB_BY_CHANCE };

// Which call in a period is profiled.
enum { EBB_ANY_CALL, EBB_FIRST_CALL };

// States of a claim.
enum { EBB_FREE, EBB_TAKEN, EBB_LEFT };

// settings are ebb's, but for refused.
struct settings {
    uint32_t magic, version;
    uint32_t groups;   // m: a group's turn comes in each m-th period
    uint32_t grouping;
    uint32_t pick;
    uint32_t records;  // of a function, a thread and a period, at most
    uint64_t seed;     // of the random groups
    uint32_t types[EBB_COUNTERS];   // of perf_event_attr; both are UINT32_MAX for none
    uint64_t events[EBB_COUNTERS];  // config of perf_event_attr
    uint32_t refused;  // threads that found no segment
    uint32_t uncounted_counters;  // threads whose counters could not be opened
    uint32_t divided;  // records of a thread and a period that its functions share
    uint8_t pad[60];
    uint32_t period;   // the number of the period; 0 while nothing is profiled
};

// claim says whose a segment is.
struct claim {
    uint32_t state, pid;
};

// head is a segment's beginning.
struct head {
    uint64_t born;       // when the process began to use the library
    uint64_t records;    // that were ever written
    uint64_t uncounted;  // calls that no entry counts
    uint64_t dropped;    // records not begun: no frame was left, or the thread lost its CPU
    uint64_t abandoned;  // records whose function was left without a return
    uint32_t functions;  // that have an entry
    uint32_t depth;      // of the frames in use
};

// frame is an invocation that is being profiled.
struct frame {
    uint64_t function, site, cfa, nested;
    uint64_t begin, cpu, switches, probes;
    uint64_t counts[EBB_COUNTERS];
    uint64_t counted;
    uint64_t call, stands, recursions;
};

// entry counts a function's calls in a thread.
struct entry {
    uint64_t function;  // its address; 0 where the entry is free
    uint64_t calls;
    uint64_t next;      // the call that will be profiled
    uint32_t period;    // that next is valid in
    uint32_t frozen;    // next is a distance, while it is another group's turn
};

// plan says which of a function's calls is profiled: one of each block of calls, by chance.
struct plan {
    uint64_t size;   // of the block, in calls
    uint64_t start;  // calls before the block; while frozen: calls of the block until then
    uint32_t since;  // the period of the last record
    uint32_t made;   // records in it
};

// record is a profiled invocation that has ended.
struct record {
    uint64_t number;  // from 1; written last
    uint64_t function;
    uint64_t call;    // its number among the calls that the segment has counted
    uint64_t stands;  // the number of calls that it stands for
    uint64_t begin, end;
    uint64_t cpu;     // of the thread
    uint32_t tid;
    uint32_t switches;  // of the thread, of both kinds, and the two marks below
    uint64_t counts[EBB_COUNTERS];
};

#define EBB_COUNTED 0x80000000u    // counts are valid
#define EBB_RECURSIVE 0x40000000u  // the function called itself, or was called by itself

struct segment {
    struct head head;
    uint8_t pad[EBB_PAGE - sizeof(struct head)];
    struct frame frames[EBB_FRAMES];
    uint8_t pad2[2 * EBB_PAGE - EBB_FRAMES * sizeof(struct frame)];
    struct entry entries[EBB_ENTRIES];
    struct plan plans[EBB_ENTRIES];
    struct record records[EBB_RECORDS];
};

struct shared {
    struct settings settings;
    uint8_t pad[EBB_PAGE - sizeof(struct settings)];
    struct claim claims[EBB_SEGMENTS];
    struct segment segments[EBB_SEGMENTS];
};

#endif
