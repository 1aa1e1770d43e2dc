// A client of JACK that does nothing unless it is kept busy, in the same graph and under the same timer as what is measured: what it
// takes is what the timer itself takes there, with the caches as cold as they are for the others.
#pragma once

#include <jack/jack.h>
#include <stdint.h>

// The name that it asks for.
#define EMPTY_CLIENT_NAME "bench-empty"

// Joins the server; waits for the block of a port, such as "bench-sound:left", where that is not null.
// Null where that can't be done.
jack_client_t *join_empty(const char *source);

// Has each block of it do so many rounds of arithmetic from now on, which need nothing of the caches.
void keep_busy(uint64_t rounds);

// How many rounds take so long while nothing interrupts them.
uint64_t rounds_within(double microseconds);
