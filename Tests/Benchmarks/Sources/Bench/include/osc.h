#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OSC_LONGEST 64

// Write a message with one argument, or with none, and return its length. It must fit in OSC_LONGEST.
size_t osc_float(uint8_t *packet, const char *address, float value);
size_t osc_int(uint8_t *packet, const char *address, int32_t value);
size_t osc_string(uint8_t *packet, const char *address, const char *text);
size_t osc_empty(uint8_t *packet, const char *address);

// Reads the first argument, an int, of a message to this address; false for any other packet.
bool osc_read_int(const uint8_t *packet, size_t length, const char *address, int32_t *value);

// Opens a socket that talks to a port of this machine only, with a receive timeout of some seconds.
// Returns -1 on failure.
int osc_socket(uint16_t port);

// Sends a query, and waits for the int with which its reply starts.
bool osc_ask(
    int socket, const uint8_t *question, size_t length, const char *answer, int32_t *value);
