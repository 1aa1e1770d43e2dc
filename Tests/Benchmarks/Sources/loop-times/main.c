// Compares the block times of two clients of one graph that do the same work, over the same blocks:
// `loop-times WHAT LIMIT NODE LOOPER`, where LIMIT is that of the ratio.
#include "ending.h"
#include "statistics.h"
#include "table.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>

// 20 s at 48 kHz with 64 frames, after one in which the requested work starts.
enum { WARM_UP_BLOCKS = 750, BLOCKS = 15000 };
enum { NODE, LOOPER, CLIENTS };

static timed_client clients[CLIENTS] = {
    [NODE] = {.name = "syrinx"},
    [LOOPER] = {.name = "sooperlooper"},
};
static double sorted[CLIENTS][BLOCKS];
static double means[CLIENTS];

static bool measure(char **paths) {
  for (int i = 0; i < CLIENTS; i++) {
    if (!look_at_times(&clients[i], paths[i])) return false;
  }
  if (!skip_blocks(clients, CLIENTS, WARM_UP_BLOCKS)) return false;
  if (!wait_for_blocks(clients, CLIENTS, BLOCKS)) return false;
  for (int i = 0; i < CLIENTS; i++) {
    take_times(&clients[i], sorted[i], BLOCKS);
    for (int block = 0; block < BLOCKS; block++) means[i] += sorted[i][block] / BLOCKS;
    sort_values(sorted[i], BLOCKS);
  }
  return true;
}

static void report(const char *what, const char *figure, double node, double looper, double limit) {
  char label[128];
  snprintf(label, sizeof label, "%s, %s", what, figure);
  print_row((table_row){
      .label = label,
      .unit = "us",
      .figure = node,
      .peer = peer_name(clients[LOOPER].name),
      .peer_figure = looper,
      .goal = limit > 0 ? RATIO_AT_MOST : NO_GOAL,
      .limit = limit,
  });
}

static double quantile_of(int client, double share) {
  return quantile(sorted[client], BLOCKS, share);
}

int main(int count, char **arguments) {
  if (count != 3 + CLIENTS) {
    fputs("usage: loop-times WHAT LIMIT NODE LOOPER: their files of times\n", stderr);
    return 64;
  }
  end_politely();
  if (!measure(arguments + 3)) return 1;
  const char *what = arguments[1];
  double limit = atof(arguments[2]);
  report(what, "median", quantile_of(NODE, 0.5), quantile_of(LOOPER, 0.5), limit);
  report(what, "mean", means[NODE], means[LOOPER], limit);
  report(what, "p99.9", quantile_of(NODE, 0.999), quantile_of(LOOPER, 0.999), 0);
  report(what, "longest", quantile_of(NODE, 1), quantile_of(LOOPER, 1), 0);
  return 0;
}
