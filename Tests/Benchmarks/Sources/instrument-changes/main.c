// Makes a node play one instrument after the other in cycles, and prints its resident memory after
// each cycle: freed memory must return to the system.
#include "osc.h"
#include "resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// The maximum difference of a cycle from the first, in which each instrument was the first of its
// kind.
static const double most_growth = 10;

static bool change(int socket, const char *name) {
  static const char address[] = "/grid/instrument";
  uint8_t packet[OSC_LONGEST], answer[2048];
  size_t length = osc_string(packet, address, name);
  if (send(socket, packet, length, 0) != (ssize_t)length) return false;
  while (true) {
    ssize_t count = recv(socket, answer, sizeof answer - 1, 0);
    if (count < 0) {
      fprintf(stderr, "instrument-changes: no reply to %s\n", name);
      return false;
    }
    answer[count] = 0;
    if (strcmp((char *)answer, "/reply") == 0) return true;
    if (strcmp((char *)answer, "/error") == 0) {
      fprintf(stderr, "instrument-changes: can't change to %s: ", name);
      // The texts of the message are separated by zeros.
      for (ssize_t i = 0; i < count; i++) {
        if (answer[i]) {
          fputc(answer[i], stderr);
        } else if (i > 0 && answer[i - 1]) {
          fputc(' ', stderr);
        }
      }
      fputc('\n', stderr);
      return false;
    }
  }
}

int main(int count, char **arguments) {
  if (count < 6) {
    fputs("usage: instrument-changes PROCESS PORT CHANGES INSTRUMENT INSTRUMENT...\n", stderr);
    return 64;
  }
  int process = atoi(arguments[1]), changes = atoi(arguments[3]), names = count - 4;
  int socket = osc_socket((uint16_t)atoi(arguments[2]));
  if (socket < 0) return 69;
  double first = 0, last = 0;
  printf("%-10s%-16s%12s%12s%12s\n", "changes", "instrument", "private MB", "PSS MB", "RSS MB");
  for (int done = 0; done <= changes; done++) {
    const char *name = arguments[4 + (done + names - 1) % names];
    if (!change(socket, name)) return 69;
    if (done % names != 0) continue;
    resident now;
    if (!read_resident(process, &now)) return 66;
    printf(
        "%-10d%-16s%12.1f%12.1f%12.1f\n", done, name, now.own, now.proportional, now.whole);
    fflush(stdout);
    if (done == names) first = now.own;
    last = now.own;
  }
  bool is_flat = last - first <= most_growth;
  printf(
      "\n%+.1f MB from the first cycle to the last; goal: at most %.0f, %s\n", last - first,
      most_growth, is_flat ? "met" : "MISSED");
  return 0;
}
