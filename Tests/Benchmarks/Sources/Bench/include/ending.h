#pragma once

#include <stdbool.h>

// Lets SIGTERM only set a flag: a client that dies inside a block takes the JACK server with it.
void end_politely(void);

bool is_ending(void);
