// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// processes HOW: a child that is forked (fork, _Fork, vfork), or executes this program again (exec).
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "self.h"

static uint64_t leaves;

APART void leaf(void) { leaves++; work(10); }

static QUIET void call(int n)
{
    for (int i = 0; i < n; i++)
        leaf();
}

// await returns in a later period: the test writes a byte to the standard input whenever one has
// begun.
static QUIET void await(void)
{
    char byte;
    int flags = fcntl(0, F_GETFL);
    fcntl(0, F_SETFL, flags | O_NONBLOCK);
    while (read(0, &byte, 1) == 1)
        ;
    fcntl(0, F_SETFL, flags);
    if (read(0, &byte, 1) != 1)
        _exit(1);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "child";
    call(1000);
    pid_t child = 0;
    if (!strcmp(how, "fork") || !strcmp(how, "exec") || !strcmp(how, "close"))
        child = fork();
    else if (!strcmp(how, "raw"))
        child = _Fork();
    else if (!strcmp(how, "vfork"))
        child = vfork();
    else
        child = -1;
    if (child == 0) {
        if (!strcmp(how, "close"))
            close_range(3, ~0U, 0);
        if (!strcmp(how, "exec") || !strcmp(how, "vfork") || !strcmp(how, "close")) {
            execl("/proc/self/exe", "processes", (char *)0);
            _exit(1);
        }
        leaves = 0;
        await();
        call(500);
        say((void *)leaf, leaves);
        _exit(0);
    }
    int status = 0;
    if (child > 0)
        waitpid(child, &status, 0);
    call(200);
    say((void *)leaf, leaves);
    return status != 0;
}
