#pragma once

typedef enum { NO_GOAL, RATIO_AT_MOST, RATIO_AT_LEAST, FIGURE_AT_MOST, FIGURE_AT_LEAST } goal_kind;

// A figure of the node, compared with that of another program.
typedef struct {
  const char *label, *unit;
  double figure;
  const char *peer;
  double peer_figure;
  goal_kind goal;
  double limit;
} table_row;

void print_row(table_row row);

// Returns the name of the peer: what BENCH_PEER says, or else its usual name.
const char *peer_name(const char *usual);
