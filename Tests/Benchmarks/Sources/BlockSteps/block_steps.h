#pragma once

#include <stdatomic.h>
#include <stdint.h>

enum { STEPPED_BLOCKS = 9, MOST_STEPS = 80000 };

// The next instruction and the registers: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, in the
// order of the kernel's signal frame.
typedef struct {
  uint64_t place, registers[16];
} block_step;

// The file to which a client writes the steps of its blocks.
typedef struct {
  // The number of blocks still to step through, set by the reader.
  _Atomic uint32_t wanted;
  uint32_t counts[STEPPED_BLOCKS];
  block_step steps[STEPPED_BLOCKS][MOST_STEPS];
} stepped_blocks;
