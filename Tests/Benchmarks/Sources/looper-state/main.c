// Prints the state number of SooperLooper's first loop: `looper-state PORT`. SooperLooper replies
// only to an address in the query, which `syrinx send` doesn't include.
#include "osc.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Adds a text with one to four zeros, padded to whole words.
static size_t add(char *packet, size_t length, const char *text) {
  size_t count = strlen(text);
  memcpy(packet + length, text, count);
  memset(packet + length + count, 0, 4 - count % 4);
  return length + (count / 4 + 1) * 4;
}

static uint16_t port_of(int descriptor) {
  struct sockaddr_in own;
  socklen_t size = sizeof own;
  return getsockname(descriptor, (struct sockaddr *)&own, &size) == 0 ? ntohs(own.sin_port) : 0;
}

int main(int count, char **arguments) {
  int port = count == 2 ? atoi(arguments[1]) : 0;
  int descriptor = port > 0 && port < 65536 ? osc_socket((uint16_t)port) : -1;
  if (descriptor < 0) {
    fputs("usage: looper-state PORT\n", stderr);
    return 64;
  }
  char packet[256], back[64];
  snprintf(back, sizeof back, "osc.udp://127.0.0.1:%d/", port_of(descriptor));
  size_t length = 0;
  const char *texts[] = {"/sl/0/get", ",sss", "state", back, "/state"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    length = add(packet, length, texts[i]);
  }
  if (send(descriptor, packet, length, 0) != (ssize_t)length) return 69;
  // An address of 8 bytes, tags of 8 for i s f, an int, a text of 8, and the number.
  ssize_t received = recv(descriptor, packet, sizeof packet, 0);
  if (received != 32 || strcmp(packet, "/state") != 0 || strcmp(packet + 8, ",isf") != 0) {
    fputs("looper-state: no reply\n", stderr);
    return 69;
  }
  uint32_t bits;
  memcpy(&bits, packet + 28, 4);
  bits = ntohl(bits);
  float state;
  memcpy(&state, &bits, 4);
  printf("%d\n", (int)state);
  close(descriptor);
  return 0;
}
