// Compares the times that the callback timer has recorded for several clients of one graph, over
// the same blocks.
#include "empty-client.h"
#include "ending.h"
#include "statistics.h"
#include "table.h"
#include "times.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM_UP_BLOCKS = 2000, BLOCKS = 16000 };
enum { NODE, LOOPER, THRU, EMPTY, BESIDE, CLIENTS };

static timed_client clients[CLIENTS] = {
    [NODE] = {.name = "syrinx"},
    [LOOPER] = {.name = "sooperlooper"},
    [THRU] = {.name = "jack_thru"},
    [EMPTY] = {.name = "empty callback"},
    [BESIDE] = {.name = "before"},
};
// One fewer without another build of the node.
static int count = CLIENTS;
static double sorted[CLIENTS][BLOCKS];

static bool measure(char **paths) {
  for (int i = 0; i < count; i++) {
    if (!look_at_times(&clients[i], paths[i])) return false;
  }
  if (!skip_blocks(clients, (size_t)count, WARM_UP_BLOCKS)) return false;
  if (!wait_for_blocks(clients, (size_t)count, BLOCKS)) return false;
  for (int i = 0; i < count; i++) {
    take_times(&clients[i], sorted[i], BLOCKS);
    sort_values(sorted[i], BLOCKS);
  }
  return true;
}

static void report(const char *label, double share, goal_kind goal) {
  for (int i = LOOPER; i < count; i++) {
    print_row((table_row){
        .label = i == LOOPER ? label : "",
        .unit = "us",
        .figure = quantile(sorted[NODE], BLOCKS, share),
        .peer = clients[i].name,
        .peer_figure = quantile(sorted[i], BLOCKS, share),
        .goal = i == LOOPER ? goal : NO_GOAL,
        .limit = 1.0 / 3,
    });
  }
}

int main(int count_of_arguments, char **arguments) {
  count = count_of_arguments - 1;
  if (count != EMPTY + 1 && count != BESIDE + 1) {
    fputs("usage: callback-times NODE LOOPER THRU EMPTY [NODE]: their files of times\n", stderr);
    return 64;
  }
  end_politely();
  jack_client_t *empty = join_empty(NULL);
  if (!empty) {
    fputs("callback-times: can't join the JACK server\n", stderr);
    return 69;
  }
  bool is_done = measure(arguments + 1);
  jack_client_close(empty);
  if (!is_done) return 1;
  report("idle callback, median", 0.5, RATIO_AT_MOST);
  report("idle callback, 99.9th percentile", 0.999, NO_GOAL);
  return 0;
}
