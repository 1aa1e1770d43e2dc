#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A connection to a feed server on this machine, kept open.
typedef struct {
  uint16_t port;
  int socket;
  char *received;
  size_t room;
} board;

typedef struct {
  uint8_t bytes[16];
} post_id;

// Makes a unique id from the numbers of the post and the run.
post_id id_of(uint64_t run, uint64_t number);

void write_id(const post_id *id, char text[37]);

bool read_id(const char *text, post_id *id);

board board_at(uint16_t port);

void leave(board *board);

// Sends a multipart request and waits for the whole response. Returns its status and its body,
// which is valid until the next one, or 0 if the connection ends.
int ask(board *board, const char *const *parts, const size_t *sizes, int count, const char **body);
