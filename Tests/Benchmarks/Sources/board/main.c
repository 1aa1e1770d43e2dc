// Measures feed servers under load:
//   board post CLIENTS POSTS BYTES PORT...   posts clips, and checks that each is stored once; prints
//                                            posts per second, and the median and p99 in ms
//   board pages POSTS RUNS PORT              gets pages of 50 at random offsets; prints the same times
//   board row LABEL UNIT FIGURE PEER PEER-FIGURE [most GOAL]
#include "board.h"
#include "clock.h"
#include "statistics.h"
#include "table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAVE_HEADER 44
#define MOST_RESENT 20

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static struct {
  uint64_t run;
  size_t posts, size;
  char *audio;
  uint16_t ports[8];
  int port_count;
  double *milliseconds;
  _Atomic size_t next, failed, resent;
} load;

static _Noreturn void fail(const char *message) {
  fprintf(stderr, "board: %s\n", message);
  exit(70);
}

static void put(uint8_t *place, uint32_t value, int count) {
  for (int i = 0; i < count; i++) place[i] = (uint8_t)(value >> (8 * i));
}

// Returns a WAV file of noise in base64; empty for no bytes.
static char *make_audio(size_t bytes, size_t *length) {
  *length = 0;
  char *text = calloc(1, bytes / 3 * 4 + 8);
  if (bytes < WAVE_HEADER) return text;
  bytes = bytes / 6 * 6 + 2;  // whole frames, and whole letters
  bytes -= (bytes - WAVE_HEADER) % 2;
  uint8_t *wave = malloc(bytes + 2);
  memcpy(wave, "RIFF....WAVEfmt ", 16);
  put(wave + 4, (uint32_t)bytes - 8, 4);
  put(wave + 16, 16, 4);
  put(wave + 20, 1, 2);
  put(wave + 22, 1, 2);
  put(wave + 24, 48000, 4);
  put(wave + 28, 96000, 4);
  put(wave + 32, 2, 2);
  put(wave + 34, 16, 2);
  memcpy(wave + 36, "data", 4);
  put(wave + 40, (uint32_t)(bytes - WAVE_HEADER), 4);
  uint32_t state = 1;
  for (size_t i = WAVE_HEADER; i < bytes; i++) {
    state = state * 1664525u + 1013904223u;
    wave[i] = (uint8_t)(state >> 24);
  }
  wave[bytes] = wave[bytes + 1] = 0;
  for (size_t i = 0; i < bytes; i += 3) {
    uint32_t three = (uint32_t)wave[i] << 16 | (uint32_t)wave[i + 1] << 8 | wave[i + 2];
    size_t left = bytes - i;
    text[(*length)++] = base64[three >> 18];
    text[(*length)++] = base64[three >> 12 & 63];
    text[(*length)++] = left > 1 ? base64[three >> 6 & 63] : '=';
    text[(*length)++] = left > 2 ? base64[three & 63] : '=';
  }
  free(wave);
  return text;
}

static void *post_some(void *context) {
  int client = (int)(intptr_t)context;
  board board = board_at(load.ports[client % load.port_count]);
  size_t number;
  while ((number = atomic_fetch_add(&load.next, 1)) < load.posts) {
    post_id id = id_of(load.run, number);
    char text[37], head[256], first[256];
    write_id(&id, text);
    int begun = snprintf(
        first, sizeof first,
        "{\"username\":\"client %d\",\"message\":\"post %zu\",\"id\":\"%s\",\"audio\":\"", client,
        number, text);
    int size = snprintf(
        head, sizeof head,
        "POST /postaudio HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Content-Length: %zu\r\n\r\n",
        (size_t)begun + load.size + 2);
    const char *parts[] = {head, first, load.audio, "\"}"};
    size_t sizes[] = {(size_t)size, (size_t)begun, load.size, 2};
    uint64_t start = nanoseconds();
    // Like nodes: a post without a reply, or refused for now, is sent again with the same id.
    int status = ask(&board, parts, sizes, 4, NULL);
    for (int again = 0; again < MOST_RESENT && (status == 0 || status == 503); again++) {
      atomic_fetch_add(&load.resent, 1);
      sleep_microseconds(200000);
      status = ask(&board, parts, sizes, 4, NULL);
    }
    if (status != 200) {
      fprintf(stderr, "board: the response to a post is %d\n", status);
      atomic_fetch_add(&load.failed, 1);
    }
    load.milliseconds[number] = (double)(nanoseconds() - start) / 1e6;
  }
  leave(&board);
  return NULL;
}

// Reads all pages, and counts the lost and the duplicate posts of this run.
static void check(uint16_t port, size_t *lost, size_t *doubled) {
  uint8_t *seen = calloc(load.posts, 1);
  board board = board_at(port);
  long before = 0;
  *lost = *doubled = 0;
  for (bool goes_on = true; goes_on;) {
    char head[256], from[64] = "";
    if (before) snprintf(from, sizeof from, "&before=%ld", before);
    int size = snprintf(
        head, sizeof head, "GET /posts?limit=200%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", from);
    const char *parts[] = {head}, *body;
    size_t sizes[] = {(size_t)size};
    if (ask(&board, parts, sizes, 1, &body) != 200) fail("can't read a page");
    goes_on = false;
    for (const char *place = body; (place = strstr(place, "\"number\":")); place++) {
      goes_on = true;
      before = strtol(place + 9, NULL, 10);
      const char *text = strstr(place, "\"id\":\"");
      post_id id;
      uint64_t run, number;
      if (!text || !read_id(text + 6, &id)) fail("can't parse a page");
      memcpy(&run, id.bytes, 8);
      memcpy(&number, id.bytes + 8, 8);
      if (run != load.run || number >= load.posts) continue;
      if (seen[number]++) (*doubled)++;
    }
  }
  for (size_t i = 0; i < load.posts; i++) *lost += !seen[i];
  leave(&board);
  free(seen);
}

static void post(int count, char **words) {
  if (count < 4) fail("takes CLIENTS POSTS BYTES PORT...");
  int clients = atoi(words[0]);
  load.run = nanoseconds();
  load.posts = strtoul(words[1], NULL, 10);
  load.audio = make_audio(strtoul(words[2], NULL, 10), &load.size);
  for (int i = 3; i < count && load.port_count < 8; i++) {
    load.ports[load.port_count++] = (uint16_t)atoi(words[i]);
  }
  load.milliseconds = calloc(load.posts, sizeof *load.milliseconds);
  pthread_t *threads = calloc((size_t)clients, sizeof *threads);
  uint64_t start = nanoseconds();
  for (int i = 0; i < clients; i++) {
    if (pthread_create(&threads[i], NULL, post_some, (void *)(intptr_t)i)) fail("can't start a thread");
  }
  for (int i = 0; i < clients; i++) pthread_join(threads[i], NULL);
  double seconds = (double)(nanoseconds() - start) / 1e9;
  size_t lost, doubled;
  check(load.ports[0], &lost, &doubled);
  if (load.failed || lost || doubled) {
    fprintf(
        stderr, "board: %zu posts failed, %zu are lost, %zu are duplicates\n", load.failed, lost,
        doubled);
    exit(70);
  }
  if (load.resent) fprintf(stderr, "board: %zu posts were sent again\n", load.resent);
  sort_values(load.milliseconds, load.posts);
  printf(
      "%.1f %.2f %.2f\n", (double)load.posts / seconds,
      quantile(load.milliseconds, load.posts, 0.5), quantile(load.milliseconds, load.posts, 0.99));
}

static void pages(int count, char **words) {
  if (count != 3) fail("takes POSTS RUNS PORT");
  uint32_t posts = (uint32_t)strtoul(words[0], NULL, 10), state = 7;
  size_t runs = strtoul(words[1], NULL, 10);
  board board = board_at((uint16_t)atoi(words[2]));
  double *milliseconds = calloc(runs, sizeof *milliseconds);
  for (size_t run = 0; run < runs; run++) {
    state = state * 1664525u + 1013904223u;
    uint32_t before = 51 + (uint32_t)((uint64_t)state * (posts - 50) >> 32);
    char head[256];
    int size = snprintf(
        head, sizeof head,
        "GET /posts?limit=50&before=%u HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", before);
    const char *parts[] = {head}, *body;
    size_t sizes[] = {(size_t)size}, found = 0;
    uint64_t start = nanoseconds();
    if (ask(&board, parts, sizes, 1, &body) != 200) fail("can't read a page");
    milliseconds[run] = (double)(nanoseconds() - start) / 1e6;
    for (const char *place = body; (place = strstr(place, "\"number\":")); place++) found++;
    if (found != 50) fail("a page is incomplete");
  }
  leave(&board);
  sort_values(milliseconds, runs);
  printf("%.2f %.2f\n", quantile(milliseconds, runs, 0.5), quantile(milliseconds, runs, 0.99));
}

static void row(int count, char **words) {
  if (count != 5 && count != 7) fail("takes LABEL UNIT FIGURE PEER PEER-FIGURE [most GOAL]");
  table_row row = {
      .label = words[0], .unit = words[1], .figure = atof(words[2]), .peer = words[3],
      .peer_figure = atof(words[4]), .goal = count == 7 ? FIGURE_AT_MOST : NO_GOAL,
      .limit = count == 7 ? atof(words[6]) : 0};
  print_row(row);
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (strcmp(what, "post") == 0) {
    post(count - 2, words + 2);
  } else if (strcmp(what, "pages") == 0) {
    pages(count - 2, words + 2);
  } else if (strcmp(what, "row") == 0) {
    row(count - 2, words + 2);
  } else {
    fail("takes post, pages or row");
  }
  return 0;
}
