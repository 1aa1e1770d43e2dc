// Compares the resident memory of two JACK clients, with and without the segments that JACK
// shares among all of its clients.
#include "table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char shared_segments[] = "/dev/shm/jack";

typedef struct {
  double whole, own;
} resident;

// Sums up the resident kilobytes of all mappings.
static bool read_resident(const char *process, resident *result) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%d/smaps", atoi(process));
  FILE *file = fopen(path, "r");
  if (!file) return false;
  bool is_shared = false;
  double whole = 0, shared = 0;
  while (fgets(line, sizeof line, file)) {
    long kilobytes;
    if (sscanf(line, "Rss: %ld kB", &kilobytes) == 1) {
      whole += (double)kilobytes;
      if (is_shared) shared += (double)kilobytes;
    } else if (strchr("0123456789abcdef", line[0])) {
      // Only the head of a mapping begins so; the names of its properties have capitals.
      is_shared = strstr(line, shared_segments) != NULL;
    }
  }
  fclose(file);
  *result = (resident){whole / 1024, (whole - shared) / 1024};
  return whole > 0;
}

int main(int count, char **arguments) {
  resident node, peer;
  if (count != 3) {
    fputs("usage: resident-memory NODE_PROCESS PEER_PROCESS\n", stderr);
    return 64;
  }
  if (!read_resident(arguments[1], &node) || !read_resident(arguments[2], &peer)) {
    fputs("resident-memory: a process is not there, or not ours to look at\n", stderr);
    return 66;
  }
  print_row((table_row){"resident memory", "MB", node.whole, "jack_thru", peer.whole, NO_GOAL, 0});
  print_row((table_row){
      "  without JACK's shared segments", "MB", node.own, "jack_thru", peer.own, FIGURE_AT_MOST,
      40});
  return 0;
}
