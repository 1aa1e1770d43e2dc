// Floods the node and a plain liblo server with the same gains in alternation, and compares how
// many per second they process, with none lost.
#define _GNU_SOURCE
#include "clock.h"
#include "osc.h"
#include "statistics.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

// A window ends with a ping, and at most two are in flight: as much as the smallest usual socket
// buffer holds. The node answers pings before the audio thread has applied the earlier messages, so
// every few windows there is also a sync, which bounds the messages in flight.
enum { WINDOW = 200, AHEAD = 2, SYNC_EVERY = 20, WINDOWS = 1000, ROUNDS = 7 };

typedef struct {
  const char *name;
  int socket;
  double rates[ROUNDS];
} receiver;

static uint8_t gains[WINDOW][OSC_LONGEST];
static struct iovec vectors[WINDOW + 2];
static struct mmsghdr headers[WINDOW + 2];

static void prepare(void) {
  for (int i = 0; i < WINDOW; i++) {
    vectors[i].iov_base = gains[i];
    vectors[i].iov_len = osc_float(gains[i], "/live/gain", -0.05f * (float)i);
  }
  for (int i = 0; i < WINDOW + 2; i++) {
    headers[i].msg_hdr.msg_iov = &vectors[i];
    headers[i].msg_hdr.msg_iovlen = 1;
  }
}

static bool send_window(int socket, int32_t token) {
  uint8_t ping[OSC_LONGEST], sync[OSC_LONGEST];
  vectors[WINDOW] = (struct iovec){ping, osc_int(ping, "/ping", token)};
  vectors[WINDOW + 1] = (struct iovec){sync, osc_int(sync, "/sync", token)};
  int length = (token + 1) % SYNC_EVERY == 0 ? WINDOW + 2 : WINDOW + 1;
  for (int sent = 0; sent < length;) {
    int count = sendmmsg(socket, headers + sent, (unsigned)(length - sent), 0);
    if (count <= 0) return false;
    sent += count;
  }
  return true;
}

typedef struct {
  int32_t pong, synced;
} answers;

static bool wait_for(int socket, answers *latest, int32_t pong, int32_t synced) {
  uint8_t packet[1024];
  while (latest->pong < pong || latest->synced < synced) {
    ssize_t count = recv(socket, packet, sizeof packet, 0);
    if (count < 0) return false;
    osc_read_int(packet, (size_t)count, "/pong", &latest->pong);
    osc_read_int(packet, (size_t)count, "/synced", &latest->synced);
  }
  return true;
}

static bool ask(int socket, const char *address, int32_t *value) {
  uint8_t question[OSC_LONGEST];
  return osc_ask(socket, question, osc_empty(question, address), address, value);
}

// Runs one flood. Returns messages per second, or 0 if one was lost or refused.
static double flood(const receiver *to) {
  int32_t before, after, refused;
  answers latest = {-1, -1};
  if (!ask(to->socket, "/status/messages", &before)) return 0;
  uint64_t start = nanoseconds();
  for (int32_t window = 0; window < WINDOWS; window++) {
    // Not the last sync, which may be in flight, but the one before.
    int32_t synced = (window / SYNC_EVERY - 1) * SYNC_EVERY - 1;
    if (!wait_for(to->socket, &latest, window - AHEAD, synced)) return 0;
    if (!send_window(to->socket, window)) return 0;
  }
  if (!wait_for(to->socket, &latest, WINDOWS - 1, WINDOWS - 1)) return 0;
  uint64_t end = nanoseconds();
  if (!ask(to->socket, "/status/messages", &after)) return 0;
  if (!ask(to->socket, "/status/refused", &refused)) return 0;
  int32_t sent = WINDOWS * (WINDOW + 1) + WINDOWS / SYNC_EVERY + 1;
  if (after - before != sent || refused != 0) {
    fprintf(
        stderr, "message-rate: sent %s %d messages; it received %d, and refused %d\n", to->name, sent,
        after - before, refused);
    return 0;
  }
  return sent / ((double)(end - start) / 1e9);
}

int main(int count, char **arguments) {
  if (count != 3) {
    fputs("usage: message-rate NODE_PORT PEER_PORT\n", stderr);
    return 64;
  }
  receiver receivers[2] = {{.name = "syrinx"}, {.name = peer_name("liblo")}};
  prepare();
  for (int i = 0; i < 2; i++) {
    receivers[i].socket = osc_socket((uint16_t)atoi(arguments[1 + i]));
    if (receivers[i].socket < 0) return 1;
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < 2; i++) {
      receivers[i].rates[round] = flood(&receivers[i]);
      if (receivers[i].rates[round] == 0) {
        fprintf(stderr, "message-rate: %s lost messages or did not reply\n", receivers[i].name);
        return 1;
      }
    }
  }
  for (int i = 0; i < 2; i++) sort_values(receivers[i].rates, ROUNDS);
  print_row((table_row){
      .label = "OSC messages applied, none lost",
      .unit = "/s",
      .figure = quantile(receivers[0].rates, ROUNDS, 0.5),
      .peer = peer_name("liblo receives"),
      .peer_figure = quantile(receivers[1].rates, ROUNDS, 0.5),
      .goal = RATIO_AT_LEAST,
      .limit = 0.5,
  });
  return 0;
}
