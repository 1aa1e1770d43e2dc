#pragma once

#include "samples.h"

#include <stdbool.h>
#include <stddef.h>

// A client whose process callback is timed.
typedef struct {
  const char *name;
  callback_samples *samples;
  // The block before which its times are not looked at.
  uint64_t start;
} timed_client;

// Looks at the file that the client's timer writes; says so where there is none.
bool look_at_times(timed_client *client, const char *path);

// Waits until each client has processed so many blocks from now on, and lets their times be those
// after them; says so where one stands still.
bool skip_blocks(timed_client *clients, size_t count, uint64_t blocks);

// Waits for so many blocks of each client.
bool wait_for_blocks(const timed_client *clients, size_t count, uint64_t blocks);

// The microseconds that each of so many blocks took, in their order.
void take_times(const timed_client *client, double *microseconds, uint64_t blocks);
