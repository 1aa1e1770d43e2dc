#pragma once

#include <stdatomic.h>
#include <stdint.h>

// 87 s of blocks of 64 frames at 48 kHz; the newest overwrite the oldest.
#define SAMPLE_COUNT 65536u

// The file to which a measured client writes the times inside its process callback.
typedef struct {
  _Atomic uint64_t count;
  uint32_t nanoseconds[SAMPLE_COUNT];
} callback_samples;
