#define _GNU_SOURCE
#include "board.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_PARTS 8

post_id id_of(uint64_t run, uint64_t number) {
  post_id id;
  memcpy(id.bytes, &run, 8);
  memcpy(id.bytes + 8, &number, 8);
  return id;
}

void write_id(const post_id *id, char text[37]) {
  char *place = text;
  for (int i = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *place++ = '-';
    place += sprintf(place, "%02x", id->bytes[i]);
  }
}

bool read_id(const char *text, post_id *id) {
  for (int i = 0; i < 16; i++) {
    if (*text == '-') text++;
    unsigned byte;
    if (sscanf(text, "%2x", &byte) != 1) return false;
    id->bytes[i] = (uint8_t)byte;
    text += 2;
  }
  return true;
}

board board_at(uint16_t port) { return (board){.port = port, .socket = -1}; }

void leave(board *board) {
  if (board->socket >= 0) close(board->socket);
  free(board->received);
  *board = board_at(board->port);
}

static bool join(board *board) {
  if (board->socket >= 0) return true;
  struct sockaddr_in place = {
      .sin_family = AF_INET, .sin_port = htons(board->port),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  board->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int one = 1;
  setsockopt(board->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return connect(board->socket, (struct sockaddr *)&place, sizeof place) == 0;
}

static bool send_all(int socket, struct iovec *parts, int count) {
  while (count > 0) {
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)count};
    ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0) return false;
    while (count > 0 && (size_t)sent >= parts->iov_len) {
      sent -= (ssize_t)parts->iov_len;
      parts++;
      count--;
    }
    if (count > 0) {
      parts->iov_base = (char *)parts->iov_base + sent;
      parts->iov_len -= (size_t)sent;
    }
  }
  return true;
}

// Waits for a complete header and body. Returns the length of the header in bytes, or 0.
static size_t receive(board *board) {
  size_t filled = 0, head = 0, length = 0;
  while (head == 0 || filled < head + length) {
    if (filled + 1 >= board->room) {
      board->room = board->room ? board->room * 2 : 65536;
      board->received = realloc(board->received, board->room);
      if (!board->received) return 0;
    }
    ssize_t count = recv(board->socket, board->received + filled, board->room - filled - 1, 0);
    if (count <= 0) return 0;
    filled += (size_t)count;
    board->received[filled] = 0;
    char *end = head ? NULL : strstr(board->received, "\r\n\r\n");
    if (!end) continue;
    head = (size_t)(end - board->received) + 4;
    const char *said = strcasestr(board->received, "content-length:");
    if (said && said < end) length = strtoul(said + 15, NULL, 10);
  }
  return head;
}

int ask(board *board, const char *const *parts, const size_t *sizes, int count, const char **body) {
  struct iovec vectors[MOST_PARTS];
  for (int i = 0; i < count; i++) vectors[i] = (struct iovec){(void *)parts[i], sizes[i]};
  size_t head = join(board) && send_all(board->socket, vectors, count) ? receive(board) : 0;
  int status = 0;
  if (head == 0 || sscanf(board->received, "HTTP/1.1 %d", &status) != 1) {
    leave(board);
    return 0;
  }
  if (body) *body = board->received + head;
  return status;
}
