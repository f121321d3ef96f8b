// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// The hooks that methods call which the Java agent has instrumented, as native methods of its class
// Hooks. They take numbers alone, so that no header of a JDK is needed. The agent has a method call
// both hooks however it is left, so a call's depth stands for its place in the stack: code that the
// virtual machine compiles anew or inlines has other stack pointers by its end than at its begin.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "thread.h"

#define unlikely(x) __builtin_expect(!!(x), 0)
#define NATIVE(type) __attribute__((visibility("default"))) PLAIN type

enum { NOT_COUNTED = -1, DUE = -2 };  // Hooks.java has these too

static __thread uint32_t depth __attribute__((tls_model("initial-exec")));

// place is below that of the caller, and above all places of native code.
static PLAIN uintptr_t place(uint32_t at) { return UINTPTR_MAX - 16 * ((uintptr_t)at + 1); }

// Agent_OnLoad has a virtual machine take the library as an agent's (-agentpath), in which it finds
// native methods.
NATIVE(int32_t) Agent_OnLoad(void *vm, char *options, void *reserved)
{
    (void)vm, (void)options, (void)reserved;
    return 0;
}

NATIVE(int32_t) Java_ebb_Hooks_count(void *env, void *class, int64_t function)
{
    (void)env, (void)class;
    struct thread *t = &ebb_thread;
    uint64_t f = (uint64_t)function;
    if (unlikely(!t->table))
        return NOT_COUNTED;
    struct entry *e = &t->table[ebb_place(f)];
    if (unlikely(e->function != f))
        return NOT_COUNTED;
    ebb_count(&e->calls);
    if (unlikely(e->calls == e->next || e->period != *t->period))
        return DUE;
    if (unlikely(f == t->top))
        t->recursions++;
    return (int32_t)(depth++ & INT32_MAX);
}

// Java_ebb_Hooks_begin goes on where count could not. A virtual thread's call may end in another
// thread, so none is profiled.
NATIVE(int32_t) Java_ebb_Hooks_begin(void *env, void *class, int64_t function, uint8_t counted,
                                     uint8_t is_virtual)
{
    (void)env, (void)class;
    struct thread *t = &ebb_thread;
    uint64_t f = (uint64_t)function;
    uint32_t at = depth++ & INT32_MAX;
    t->roams = is_virtual;
    if (counted)
        ebb_due(&t->table[ebb_place(f)], f, f, place(at));
    else
        ebb_search(f, f, place(at));
    return (int32_t)at;
}

// Java_ebb_Hooks_exit ends a call. Calls within it that were left without this hook, as where the
// stack overflows in it, are over too.
NATIVE(void) Java_ebb_Hooks_exit(void *env, void *class, int64_t function, int32_t at)
{
    (void)env, (void)class;
    uintptr_t own = place(depth = (uint32_t)at);
    if (unlikely(own > ebb_thread.top_cfa))
        ebb_left(0, own);
    if (unlikely(own == ebb_thread.top_cfa))
        ebb_left((uint64_t)function, own);
}

// Java_ebb_Hooks_caught ends the calls that an exception has left up to the one that catches it.
// Some have not called exit: those of constructors whose object had not begun.
NATIVE(void) Java_ebb_Hooks_caught(void *env, void *class, int32_t at)
{
    (void)env, (void)class;
    depth = (uint32_t)at + 1;
    if (unlikely(place(depth) >= ebb_thread.top_cfa))
        ebb_left(0, place(at));
}

// dump is the header of a jitdump.
struct dump {
    uint32_t magic, version, size, machine, pad, pid;
    uint64_t at, flags;
};

// Java_ebb_Hooks_names makes the file in which the agent names its functions, a jitdump, and returns
// its descriptor: -1 where ebb does not follow the program, -2 where there can be none. ebb finds
// it by its mapping.
NATIVE(int32_t) Java_ebb_Hooks_names(void *env, void *class)
{
    (void)env, (void)class;
    if (!ebb_shared)
        return -1;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct dump head = {.magic = 0x4A695444, .version = 1, .size = sizeof head,
                        .pid = (uint32_t)getpid(),
                        .at = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec};
    int fd = memfd_create("ebb-java", MFD_CLOEXEC);
    if (fd < 0)
        return -2;
    if (write(fd, &head, sizeof head) == sizeof head &&
        mmap(0, EBB_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED)
        return fd;
    close(fd);
    return -2;
}
