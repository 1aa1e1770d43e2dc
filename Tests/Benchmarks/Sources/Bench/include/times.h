#pragma once

#include "samples.h"

#include <stdbool.h>
#include <stddef.h>

// A client whose process callback is timed.
typedef struct {
  const char *name;
  callback_samples *samples;
  // Times before this block are ignored.
  uint64_t start;
} timed_client;

// Maps the file that the client's timer writes; reports a missing file.
bool look_at_times(timed_client *client, const char *path);

// Waits until each client has processed this many more blocks, and starts their times there;
// reports a client that is stuck.
bool skip_blocks(timed_client *clients, size_t count, uint64_t blocks);

// Waits for this many blocks of each client.
bool wait_for_blocks(const timed_client *clients, size_t count, uint64_t blocks);

// The times of this many blocks in microseconds, in order.
void take_times(const timed_client *client, double *microseconds, uint64_t blocks);
