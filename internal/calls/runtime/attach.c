// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// How a process and its threads come to the memory that ebb shares with them.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "thread.h"

__thread struct thread ebb_thread = {.top_cfa = UINTPTR_MAX, .counter = -1, .second = -1};
struct shared *ebb_shared;

static uint64_t born;      // when this process began to use the library
static pthread_key_t key;  // whose destructor sees a thread's end
static int have_key;

// The descriptor may be closed, or another file's by now: the inode says whose it is.
static PLAIN int is_shared(int fd, unsigned long long inode)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) || st.st_ino != inode)
        return 0;
    int seals = fcntl(fd, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) && (size_t)st.st_size >= sizeof(struct shared);
}

// another opens the memory through a process that still has the descriptor. The kernel's link has
// to be followed, so the file behind it is looked at first: by now it may be a FIFO, whose opening
// waits, or a device, which opening changes.
static PLAIN int another(int pid, int fd, unsigned long long inode)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_ino != inode)
        return -1;
    return open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static PLAIN void map(int fd)
{
    void *at = mmap(0, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        return;
    struct shared *s = at;
    if (s->settings.magic != EBB_MAGIC || s->settings.version != EBB_VERSION) {
        munmap(at, sizeof(struct shared));
        return;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    born = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    ebb_shared = s;
}

// leave gives a thread's segment to the next thread of its process.
static PLAIN void leave(void *of)
{
    struct thread *t = of;
    if (!t->segment)
        return;
    struct claim *c = &ebb_shared->claims[t->number];
    t->segment->head.abandoned += t->segment->head.depth;
    t->segment->head.depth = 0;
    t->table = 0, t->segment = 0;
    t->top = 0, t->top_cfa = UINTPTR_MAX, t->nested = 0, t->busy = 0;
    ebb_close_counters(t);
    __atomic_store_n(&c->state, EBB_LEFT, __ATOMIC_RELEASE);
}

// ebb_leave_after_fork gives a forked process segments of its own: its memory has the parent's.
void ebb_leave_after_fork(void)
{
    struct thread *t = &ebb_thread;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    born = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    t->table = 0, t->segment = 0;
    t->top = 0, t->top_cfa = UINTPTR_MAX, t->nested = 0, t->busy = 0;
    ebb_close_counters(t);
}

// attach finds the memory that EBB_FUNCTIONS names: a descriptor, its inode, and ebb's process.
__attribute__((constructor)) static PLAIN void attach(void)
{
    // NULL in a set-user-ID program, whose caller may have made the variable up.
    const char *given = secure_getenv("EBB_FUNCTIONS");
    int fd, pid;
    unsigned long long inode;
    if (ebb_shared || !given || sscanf(given, "%d:%llu:%d", &fd, &inode, &pid) != 3)
        return;
    int from[] = {pid, getppid()};
    if (is_shared(fd, inode)) {
        map(fd);
    } else {
        for (int i = 0; i < 2 && !ebb_shared; i++) {
            int opened = another(from[i], fd, inode);
            if (is_shared(opened, inode))
                map(opened);
            if (opened >= 0)
                close(opened);
        }
    }
    if (!ebb_shared)
        return;
    have_key = pthread_key_create(&key, leave) == 0;
    pthread_atfork(0, 0, ebb_leave_after_fork);
}

// claim takes a segment: one that a thread of this process has left, or else a free one.
static PLAIN int claim(void)
{
    uint32_t pid = (uint32_t)getpid();
    for (int pass = 0; pass < 2; pass++) {
        uint32_t wanted = pass == 0 ? EBB_LEFT : EBB_FREE;
        for (int i = 0; i < EBB_SEGMENTS; i++) {
            struct claim *c = &ebb_shared->claims[i];
            if (__atomic_load_n(&c->state, __ATOMIC_ACQUIRE) != wanted)
                continue;
            if (pass == 0 && (c->pid != pid || ebb_shared->segments[i].head.born != born))
                continue;
            if (__atomic_compare_exchange_n(&c->state, &wanted, EBB_TAKEN, 0,
                                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                return i;
            wanted = pass == 0 ? EBB_LEFT : EBB_FREE;
        }
    }
    return -1;
}

// enter gives the thread a segment, and reports whether there was one.
static PLAIN int enter(struct thread *t)
{
    int i = claim();
    if (i < 0) {
        __atomic_fetch_add(&ebb_shared->settings.refused, 1, __ATOMIC_RELAXED);
        return 0;
    }
    struct segment *s = &ebb_shared->segments[i];
    s->head.born = born;
    s->head.depth = 0;
    __atomic_store_n(&ebb_shared->claims[i].pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
    t->tid = (uint32_t)syscall(SYS_gettid);
    t->number = (uint32_t)i;
    t->chance = born ^ ((uint64_t)t->tid << 32) ^ 0x9e3779b97f4a7c15u;
    t->period = &ebb_shared->settings.period;
    t->segment = s;
    t->table = s->entries;
    ebb_calibrate(t);
    ebb_open_counters(t);
    if (have_key)
        pthread_setspecific(key, t);
    return 1;
}

// ebb_attach_thread gives the thread a segment, and reports whether there was one. Meanwhile no
// handler runs: there would be no place yet to count what it calls.
int ebb_attach_thread(struct thread *t)
{
    static __thread int refused __attribute__((tls_model("initial-exec")));
    if (refused || t->busy)
        return 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    t->busy = UINTPTR_MAX;
    refused = !enter(t);
    t->busy = 0;
    pthread_sigmask(SIG_SETMASK, &before, 0);
    return !refused;
}
