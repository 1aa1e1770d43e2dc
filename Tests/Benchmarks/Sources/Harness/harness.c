#include "harness.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

// One run measures all effects at this rate.
static const double rate = 48000;
enum { most_effects = 64, most_settings = 32 };

static effect known[most_effects];
static int known_count;

typedef struct {
  long frame;  // 0 for initial settings
  effect_key key;
  double value;
} setting;

static const char *const key_names[EFFECT_KEYS] = {
    [EFFECT_SEMITONES] = "semitones", [EFFECT_FORMANTS] = "formants", [EFFECT_SECONDS] = "seconds",
    [EFFECT_DAMPING] = "damping",     [EFFECT_FEEDBACK] = "feedback", [EFFECT_GLIDES] = "glides",
    [EFFECT_THRESHOLD] = "threshold",
};

static _Noreturn void quit(const char *what, const char *which) {
  fprintf(stderr, "effects: %s %s\n", what, which);
  exit(64);
}

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The thread's CPU clock excludes other work of the machine, but reading it takes a fifth of a
// microsecond: for long blocks only.
static clockid_t clock_for(double block_ns) {
  return block_ns > 20000 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
}

static void add(const effect *effects, int count) {
  for (int i = 0; i < count && known_count < most_effects; ++i) known[known_count++] = effects[i];
}

static void load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) quit("can't load a peer:", dlerror());
  const effect *(*list)(int *) = (const effect *(*)(int *))dlsym(library, "peer_effects");
  if (!list) quit("no peers in", path);
  int count = 0;
  const effect *effects = list(&count);
  add(effects, count);
}

static const effect *find(const char *name) {
  for (int i = 0; i < known_count; ++i) {
    if (!strcmp(known[i].name, name)) return &known[i];
  }
  quit("unknown effect", name);
}

static float *read_samples(const char *path, long *count) {
  FILE *file = fopen(path, "rb");
  if (!file) quit("can't read", path);
  fseek(file, 0, SEEK_END);
  *count = ftell(file) / (long)sizeof(float);
  rewind(file);
  float *samples = calloc((size_t)*count + 1, sizeof(float));
  if (fread(samples, sizeof(float), (size_t)*count, file) != (size_t)*count)
    quit("can't read", path);
  fclose(file);
  return samples;
}

static void write_samples(const char *path, const float *samples, long count) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(samples, sizeof(float), (size_t)count, file) != (size_t)count || fclose(file))
    quit("can't write", path);
}

// `key=value`, or `seconds:key=value` for later.
static setting parse(const char *text) {
  setting result = {0, EFFECT_KEYS, 0};
  const char *colon = strchr(text, ':');
  if (colon) {
    result.frame = (long)(atof(text) * rate);
    text = colon + 1;
  }
  const char *equals = strchr(text, '=');
  for (int key = 0; equals && key < EFFECT_KEYS; ++key) {
    size_t length = strlen(key_names[key]);
    if ((size_t)(equals - text) == length && !strncmp(text, key_names[key], length))
      result.key = (effect_key)key;
  }
  if (result.key == EFFECT_KEYS) quit("unknown setting", text);
  result.value = atof(equals + 1);
  return result;
}

static int parse_all(char **texts, int count, setting *settings) {
  if (count > most_settings) quit("too many settings", "");
  for (int i = 0; i < count; ++i) settings[i] = parse(texts[i]);
  return count;
}

// Applies the settings that are due in the block at `start`.
static void apply(const effect *effect, void *unit, const setting *settings, int count, long start,
                  int block) {
  for (int i = 0; i < count; ++i) {
    if (settings[i].frame >= start && settings[i].frame < start + block)
      effect->set(unit, settings[i].key, settings[i].value);
  }
}

// Renders a mono file, played on both sides, to an interleaved stereo file.
static void render(const effect *effect, const char *from, const char *to, int block,
                   const setting *settings, int count) {
  long frames;
  float *in = read_samples(from, &frames);
  float *out = calloc((size_t)(2 * frames + 2), sizeof(float));
  float *left = calloc((size_t)block, sizeof(float)), *right = calloc((size_t)block, sizeof(float));
  void *unit = effect->make(rate, block);
  for (long start = 0; start + block <= frames; start += block) {
    apply(effect, unit, settings, count, start, block);
    const float *inputs[] = {in + start, in + start};
    effect->process(unit, inputs, (float *[]){left, right}, block);
    for (int i = 0; i < block; ++i) {
      out[2 * (start + i)] = left[i];
      out[2 * (start + i) + 1] = right[i];
    }
  }
  effect->end(unit);
  write_samples(to, out, 2 * frames);
}

// The approximate time of a block.
static double rough_block_time(const effect *effect, const float *in, long frames, int block,
                               const setting *settings, int count) {
  float *left = calloc((size_t)block + 2, sizeof(float));
  float *right = calloc((size_t)block + 2, sizeof(float));
  void *unit = effect->make(rate, block);
  apply(effect, unit, settings, count, 0, block);
  uint64_t sum = 0, rounds = 0;
  for (long start = 0; start + block <= frames && start < 20000; start += block) {
    uint64_t before = now(CLOCK_MONOTONIC);
    const float *inputs[] = {in + start, in + start};
    effect->process(unit, inputs, (float *[]){left, right}, block);
    if (start > 10000) sum += now(CLOCK_MONOTONIC) - before, ++rounds;
  }
  effect->end(unit);
  return rounds ? (double)sum / (double)rounds : 0;
}

// Prints block times. Each block's time is the minimum of all runs, at least `runs` of them, which
// excludes other work of the machine. The first tenth, with cold caches and pages, is excluded,
// too.
static void time_blocks(const effect *effect, const char *from, int block, int runs,
                        const setting *settings, int count) {
  long frames;
  float *in = read_samples(from, &frames);
  long blocks = frames / block;
  uint64_t *least = malloc((size_t)blocks * sizeof(uint64_t));
  float *other = malloc((size_t)frames * sizeof(float));
  for (long i = 0; i < frames; ++i) other[i] = in[frames - 1 - i];
  float *left = calloc((size_t)block + 2, sizeof(float));
  float *right = calloc((size_t)block + 2, sizeof(float));
  clockid_t clock = clock_for(rough_block_time(effect, in, frames, block, settings, count));
  // As many runs of fast effects as fit into a second: the minimum is then more reliable.
  uint64_t began = now(CLOCK_MONOTONIC);
  for (int run = 0; run < runs || (run < 100 && now(CLOCK_MONOTONIC) - began < 1000000000); ++run) {
    void *unit = effect->make(rate, block);
    for (long i = 0; i < blocks; ++i) {
      long start = i * block;
      apply(effect, unit, settings, count, start, block);
      const float *inputs[] = {in + start, other + start};
      uint64_t before = now(clock);
      effect->process(unit, inputs, (float *[]){left, right}, block);
      uint64_t taken = now(clock) - before;
      if (run == 0 || taken < least[i]) least[i] = taken;
    }
    effect->end(unit);
  }
  double sum = 0, longest = 0;
  long first = blocks / 10;
  for (long i = first; i < blocks; ++i) {
    sum += (double)least[i];
    if ((double)least[i] > longest) longest = (double)least[i];
  }
  double mean = sum / (double)(blocks - first);
  printf("{\"ns_per_frame\": %.4f, \"mean_ns\": %.1f, \"longest_ns\": %.1f, "
         "\"longest_percent\": %.4f, \"longest_by_mean\": %.4f}\n",
         mean / block, mean, longest, longest / block * rate * 1e-7, longest / mean);
}

// Prints the calls to the allocator and mutexes while the pitch sweeps up and down, and the longest
// block. Each block's time is the minimum of three sweeps.
static void sweep(const effect *effect, const char *from, int block) {
  long frames;
  float *in = read_samples(from, &frames);
  float *left = calloc((size_t)block, sizeof(float)), *right = calloc((size_t)block, sizeof(float));
  enum { blocks = 3563, settled = 200, sweeps = 3 };  // 9.5 s of 128 frames
  static uint64_t least[blocks];
  call_counts all = {0, 0, 0};
  clockid_t clock = clock_for(rough_block_time(effect, in, frames, block, NULL, 0));
  for (int run = 0; run < sweeps; ++run) {
    void *unit = effect->make(rate, block);
    effect->set(unit, EFFECT_SEMITONES, 0);
    all = (call_counts){0, 0, 0};
    for (long i = -settled; i < blocks; ++i) {
      long start = (i + settled) * block % (frames - block);
      const float *inputs[] = {in + start, in + start};
      count_calls(1);
      uint64_t before = now(clock);
      if (i >= 0) effect->set(unit, EFFECT_SEMITONES, 12 * sin(0.01 * (double)i));
      effect->process(unit, inputs, (float *[]){left, right}, block);
      uint64_t taken = now(clock) - before;
      count_calls(0);
      if (i < 0) continue;
      call_counts these = counted_calls();
      all.allocations += these.allocations;
      all.frees += these.frees;
      all.locks += these.locks;
      if (run == 0 || taken < least[i]) least[i] = taken;
    }
    effect->end(unit);
  }
  double longest = 0;
  for (long i = 0; i < blocks; ++i) {
    if ((double)least[i] > longest) longest = (double)least[i];
  }
  printf("{\"allocations\": %ld, \"frees\": %ld, \"locks\": %ld, \"longest_percent\": %.3f}\n",
         all.allocations, all.frees, all.locks, longest / block * rate * 1e-7);
}

// Prints the latency that the effect reports after a second, in frames; -1 if it doesn't.
static void print_delay(const effect *effect, const char *from, int block, const setting *settings,
                        int count) {
  long frames;
  float *in = read_samples(from, &frames);
  float *left = calloc((size_t)block, sizeof(float)), *right = calloc((size_t)block, sizeof(float));
  void *unit = effect->make(rate, block);
  for (long start = 0; start + block <= frames && start < (long)rate; start += block) {
    apply(effect, unit, settings, count, start, block);
    effect->process(unit, (const float *[]){in + start, in + start}, (float *[]){left, right}, block);
  }
  printf("%ld\n", effect->delay ? effect->delay(unit) : -1);
  effect->end(unit);
}

static void stretch(const effect *effect, const char *from, const char *to, double ratio) {
  long frames;
  float *in = read_samples(from, &frames);
  long room = (long)(2.5 * (double)frames) + 65536;
  float *out = calloc((size_t)room, sizeof(float));
  if (!effect->stretch) quit("can't stretch:", effect->name);
  long written = effect->stretch(in, frames, rate, ratio, out, room);
  write_samples(to, out, written);
}

int harness_main(int argc, char **argv, const effect *effects, int count) {
  // Flushes denormals to zero.
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  __asm__ volatile("msr fpcr, %0" ::"r"(fpcr | 1 << 24));
#endif
  add(effects, count);
  int at = 1;
  for (; at + 1 < argc && !strcmp(argv[at], "--peer"); at += 2) load(argv[at + 1]);
  char **rest = argv + at + 1;
  int given = argc - at - 1;
  const char *verb = at < argc ? argv[at] : "";
  setting settings[most_settings];

  if (!strcmp(verb, "list")) {
    for (int i = 0; i < known_count; ++i) printf("%d %s\n", known[i].kinds, known[i].name);
  } else if (!strcmp(verb, "render") && given >= 4) {
    int several = parse_all(rest + 4, given - 4, settings);
    render(find(rest[0]), rest[1], rest[2], atoi(rest[3]), settings, several);
  } else if (!strcmp(verb, "time") && given >= 4) {
    int several = parse_all(rest + 4, given - 4, settings);
    time_blocks(find(rest[0]), rest[1], atoi(rest[2]), atoi(rest[3]), settings, several);
  } else if (!strcmp(verb, "delay") && given >= 3) {
    int several = parse_all(rest + 3, given - 3, settings);
    print_delay(find(rest[0]), rest[1], atoi(rest[2]), settings, several);
  } else if (!strcmp(verb, "sweep") && given == 3) {
    sweep(find(rest[0]), rest[1], atoi(rest[2]));
  } else if (!strcmp(verb, "stretch") && given == 4) {
    stretch(find(rest[0]), rest[1], rest[2], atof(rest[3]));
  } else {
    fprintf(stderr,
            "effects [--peer LIBRARY]... VERB\n"
            "  list\n"
            "  render EFFECT IN OUT BLOCK [[SECONDS:]KEY=VALUE]...\n"
            "  time EFFECT IN BLOCK RUNS [[SECONDS:]KEY=VALUE]...\n"
            "  delay EFFECT IN BLOCK [[SECONDS:]KEY=VALUE]...\n"
            "  sweep EFFECT IN BLOCK\n"
            "  stretch EFFECT IN OUT RATIO\n");
    return 64;
  }
  return 0;
}
