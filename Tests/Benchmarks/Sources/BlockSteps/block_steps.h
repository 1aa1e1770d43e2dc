#pragma once

#include <stdatomic.h>
#include <stdint.h>

enum { STEPPED_BLOCKS = 9, MOST_STEPS = 80000 };

// What was to be executed next, and what the registers held: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx,
// rsp, as the kernel puts them in a signal's frame.
typedef struct {
  uint64_t place, registers[16];
} block_step;

// The file in which a client leaves the steps of its blocks.
typedef struct {
  // How many blocks are still to be stepped through, set by whoever asks.
  _Atomic uint32_t wanted;
  uint32_t counts[STEPPED_BLOCKS];
  block_step steps[STEPPED_BLOCKS][MOST_STEPS];
} stepped_blocks;
