// A JACK client that does nothing unless it is given work, in the same graph and under the same
// timer as the measured client. Its time is the overhead of the timer itself, with caches as cold
// as for the others.
#pragma once

#include <jack/jack.h>
#include <stdint.h>

// The name that it requests.
#define EMPTY_CLIENT_NAME "bench-empty"

// Joins the server; if a port such as "bench-sound:left" is given, waits for a block from it. Returns null
// on failure.
jack_client_t *join_empty(const char *source);

// Makes each block run this many iterations of arithmetic from now on, without use of the caches.
void keep_busy(uint64_t rounds);

// The number of iterations that take this long without interruptions.
uint64_t rounds_within(double microseconds);
