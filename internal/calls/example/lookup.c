// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// lookup REQUESTS [mended]: a server's hash table with a flaw. Keys that end in 00 share a bucket, so
// that a lookup of one of them walks a long list. One request in twenty asks for such keys.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 1 << 19, BUCKETS = 1 << 18, LOOKUPS = 2000 };

struct item {
    uint32_t key;
    struct item *next;
};

static struct item items[KEYS], *buckets[BUCKETS];
static int mended;

__attribute__((noinline)) uint32_t hash(uint32_t key)
{
    return key % 100 == 0 && !mended ? 0 : key * 2654435761u >> 14;
}

__attribute__((noinline)) void insert(uint32_t key)
{
    struct item *i = &items[key];
    uint32_t h = hash(key);
    i->key = key;
    i->next = buckets[h];
    buckets[h] = i;
}

__attribute__((noinline)) struct item *lookup(uint32_t key)
{
    struct item *i = buckets[hash(key)];
    while (i && i->key != key)
        i = i->next;
    return i;
}

__attribute__((noinline)) int answer(uint32_t request)
{
    uint32_t step = request % 20 == 0 ? 100 : 101, key = 0;
    int found = 0;
    for (int n = 0; n < LOOKUPS; n++) {
        found += lookup(key) != 0;
        key = (key + step) % (KEYS / 100 * 100);
    }
    return found;
}

// mend puts all keys where they belong.
__attribute__((noinline)) void mend(void)
{
    mended = 1;
    for (uint32_t h = 0; h < BUCKETS; h++)
        buckets[h] = 0;
    for (uint32_t key = 0; key < KEYS; key++)
        insert(key);
}

int main(int argc, char **argv)
{
    uint32_t requests = argc > 1 ? (uint32_t)atol(argv[1]) : 5000;
    uint64_t found = 0;
    for (uint32_t key = 0; key < KEYS; key++)
        insert(key);
    if (argc > 2)
        mend();
    for (uint32_t r = 0; r < requests; r++)
        found += (uint64_t)answer(r);
    printf("%llu\n", (unsigned long long)found);
    return 0;
}
