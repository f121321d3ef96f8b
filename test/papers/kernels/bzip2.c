// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// bzip2 ROUNDS: compresses and unpacks text of its own with Debian's bzip2, in memory.
#include <string.h>

#include "bzlib.h"
#include "kernels.h"

enum { SIZE = 1 << 20 };

static char text[SIZE], packed[SIZE + SIZE / 64 + 600], unpacked[SIZE];

// write_text makes words of a few letters, of which some come often.
APART void write_text(void)
{
    uint32_t state = 1;
    for (int i = 0; i < SIZE;) {
        state = state * 1664525 + 1013904223;
        uint32_t word = (state >> 24) * (state >> 24) >> 6;
        for (int k = 0; k < 3 + (int)(word % 7) && i < SIZE; k++)
            text[i++] = (char)('a' + (word * 31 + (uint32_t)k * 17) % 26);
        if (i < SIZE)
            text[i++] = state >> 16 & 15 ? ' ' : '\n';
    }
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : 3;
    double began = seconds(), sum = 0;
    write_text();
    for (long n = 0; n < rounds; n++) {
        unsigned size = sizeof packed, whole = SIZE;
        if (BZ2_bzBuffToBuffCompress(packed, &size, text, SIZE, 9, 0, 0) ||
            BZ2_bzBuffToBuffDecompress(unpacked, &whole, packed, size, 0, 0) || whole != SIZE ||
            memcmp(text, unpacked, SIZE))
            return 1;
        sum += size;
    }
    finish(began, sum);
    return 0;
}

void bz_internal_error(int code) { exit(code); }
