#include "osc.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static const int patience_seconds = 5;

static size_t padded(size_t length) { return (length / 4 + 1) * 4; }

static size_t header(uint8_t *packet, const char *address, const char *tags) {
  size_t length = padded(strlen(address));
  memset(packet, 0, OSC_LONGEST);
  memcpy(packet, address, strlen(address));
  memcpy(packet + length, tags, strlen(tags));
  return length + padded(strlen(tags));
}

static size_t word(uint8_t *packet, const char *address, const char *tags, uint32_t bits) {
  size_t length = header(packet, address, tags);
  bits = htonl(bits);
  memcpy(packet + length, &bits, 4);
  return length + 4;
}

size_t osc_float(uint8_t *packet, const char *address, float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return word(packet, address, ",f", bits);
}

size_t osc_int(uint8_t *packet, const char *address, int32_t value) {
  return word(packet, address, ",i", (uint32_t)value);
}

size_t osc_string(uint8_t *packet, const char *address, const char *text) {
  size_t length = header(packet, address, ",s");
  memcpy(packet + length, text, strlen(text));
  return length + padded(strlen(text));
}

size_t osc_empty(uint8_t *packet, const char *address) { return header(packet, address, ","); }

bool osc_read_int(const uint8_t *packet, size_t length, const char *address, int32_t *value) {
  size_t tags = padded(strlen(address));
  if (length < tags + 4 || memcmp(packet, address, strlen(address) + 1) != 0) return false;
  if (memcmp(packet + tags, ",i", 2) != 0) return false;
  const uint8_t *end = memchr(packet + tags, 0, length - tags);
  if (!end) return false;
  size_t data = tags + padded((size_t)(end - packet) - tags);
  if (length < data + 4) return false;
  uint32_t bits;
  memcpy(&bits, packet + data, 4);
  *value = (int32_t)ntohl(bits);
  return true;
}

int osc_socket(uint16_t port) {
  struct sockaddr_in peer = {
      .sin_family = AF_INET,
      .sin_port = htons(port),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
  struct timeval patience = {.tv_sec = patience_seconds};
  int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  if (connect(descriptor, (struct sockaddr *)&peer, sizeof peer) == 0 &&
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0) {
    return descriptor;
  }
  close(descriptor);
  return -1;
}

bool osc_ask(
    int socket, const uint8_t *question, size_t length, const char *answer, int32_t *value) {
  uint8_t packet[1024];
  if (send(socket, question, length, 0) != (ssize_t)length) return false;
  while (true) {
    ssize_t count = recv(socket, packet, sizeof packet, 0);
    if (count < 0) return false;
    if (osc_read_int(packet, (size_t)count, answer, value)) return true;
  }
}
