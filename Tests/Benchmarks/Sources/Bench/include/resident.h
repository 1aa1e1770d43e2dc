#pragma once

#include <stdbool.h>

// The resident memory of a process in MB: in total, without the segments that JACK shares among its
// clients, and of that the proportional share of memory that other processes map.
typedef struct {
  double whole, own, proportional;
} resident;

// Reads it. Returns false if the process doesn't exist or is not readable.
bool read_resident(int process, resident *result);
