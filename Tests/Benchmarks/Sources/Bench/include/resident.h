#pragma once

#include <stdbool.h>

// The resident memory of a process in MB: all of it, that without the segments that JACK shares
// among its clients, and of that the part that is its own where others map the same.
typedef struct {
  double whole, own, proportional;
} resident;

// Reads it; false where the process is not there, or not ours to look at.
bool read_resident(int process, resident *result);
