// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// Prints the library's idea of the shared memory, for the comparison with Go's.
#include <stddef.h>
#include <stdio.h>

#include "layout.h"

int main(void)
{
    printf("%zu %zu %zu %zu %zu %zu %zu %zu %zu %zu %zu %d %d %d\n", sizeof(struct shared),
           offsetof(struct shared, claims), offsetof(struct shared, segments),
           sizeof(struct segment), offsetof(struct segment, entries), sizeof(struct entry),
           offsetof(struct segment, records), sizeof(struct record),
           offsetof(struct settings, period), offsetof(struct settings, refused),
           offsetof(struct settings, uncounted_counters), EBB_SEGMENTS, EBB_ENTRIES, EBB_RECORDS);
    return 0;
}
