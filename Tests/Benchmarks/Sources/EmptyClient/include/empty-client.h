// A client of JACK that does nothing, in the same graph and under the same timer as what is measured: what it
// takes is what the timer itself takes there, with the caches as cold as they are for the others.
#pragma once

#include <jack/jack.h>

// The name that it asks for.
#define EMPTY_CLIENT_NAME "bench-empty"

// Joins the server; waits for the block of a port, such as "bench-sound:left", where that is not null.
// Null where that can't be done.
jack_client_t *join_empty(const char *source);
