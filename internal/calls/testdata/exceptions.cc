// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// exceptions: functions that are left by exceptions, and calls from constructors of globals.
#include "self.h"

static uint64_t throwers, catchers, deep, made;

struct Global {
    APART Global() { made++; }
};
static Global global;

APART void thrower(int n)
{
    throwers++;
    if (n == 0)
        throw 1;
    thrower(n - 1);
}
APART void deeper() { deep++; thrower(2); }
APART void catcher()
{
    catchers++;
    try {
        deeper();
    } catch (int) {
        work(10);
    }
}

int main()
{
    for (int i = 0; i < 3000; i++)
        catcher();
    say((void *)&thrower, throwers);
    say((void *)&deeper, deep);
    say((void *)&catcher, catchers);
    return made != 1;
}
