// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// loads LIBRARY: a program that loads a library while it runs.
#include <dlfcn.h>

#include "self.h"

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
    if (!library)
        return 1;
    void (*plugged)(void) = (void (*)(void))dlsym(library, "plugged");
    void (*tell)(void) = (void (*)(void))dlsym(library, "tell");
    for (int i = 0; i < 5000; i++)
        plugged();
    tell();
    return 0;
}
