// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
// A library that a program loads while it runs.
#include "self.h"

static uint64_t calls;

APART void plugged(void) { calls++; work(10); }

void tell(void) { say((void *)plugged, calls); }
