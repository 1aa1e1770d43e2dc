// Compares the resident memory of two JACK clients, with and without the segments that JACK shares
// among all of its clients.
#include "resident.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  resident node, peer;
  if (count != 3) {
    fputs("usage: resident-memory NODE_PROCESS PEER_PROCESS\n", stderr);
    return 64;
  }
  if (!read_resident(atoi(arguments[1]), &node) || !read_resident(atoi(arguments[2]), &peer)) {
    fputs("resident-memory: a process doesn't exist, or can't be inspected\n", stderr);
    return 66;
  }
  const char *name = peer_name("jack_thru");
  print_row((table_row){"resident memory", "MB", node.whole, name, peer.whole, NO_GOAL, 0});
  print_row((table_row){
      "  without JACK's shared segments", "MB", node.own, name, peer.own, FIGURE_AT_MOST,
      100});
  return 0;
}
