#pragma once

#include "effect.h"

// Runs the arguments' command with the effects given and those of the peers named before it.
// Returns the exit code.
int harness_main(int argc, char **argv, const effect *effects, int count);

// Calls to the allocator and to mutexes since the last call, while counting was on.
typedef struct {
  long allocations, frees, locks;
} call_counts;

void count_calls(int on);
call_counts counted_calls(void);
