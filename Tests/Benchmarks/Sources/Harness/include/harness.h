#pragma once

#include "effect.h"

// Does what the arguments say, with the effects given and those of the peers named before the
// verb; returns the exit code.
int harness_main(int argc, char **argv, const effect *effects, int count);

// Calls to the allocator and to mutexes since the last call, while counting was on.
typedef struct {
  long allocations, frees, locks;
} call_counts;

void count_calls(int on);
call_counts counted_calls(void);
