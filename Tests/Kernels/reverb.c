// The loops of the reverb, compared bit for bit with a scalar reference, and with exact sums within the
// rounding error.
#include "check.h"

#include <CRealtime.h>
#include <math.h>
#include <string.h>

#pragma clang fp contract(off)

enum { most_frames = 160, most_apart = 16, before = 4 };
enum { room = before + most_frames + most_apart + 8 };

static float inputs[16][room], outputs[8][room], gains[16];
static const float *from[16];
static float *to[8];
static const float untouched = 12345;

// Sum minus product, and product minus sum.
static float taken(float sum, float a, float b) { return added(sum, -a, b); }
static float less(float sum, float a, float b) { return added(-sum, a, b); }

// Random numbers, and pointers with only the alignment of a float.
static void prepare(void) {
  for (int line = 0; line < 16; line++) {
    fill(inputs[line], room);
    from[line] = inputs[line] + before + random_whole(0, most_apart - 1);
  }
  for (int line = 0; line < 8; line++) {
    for (long at = 0; at < room; at++) outputs[line][at] = untouched;
    to[line] = outputs[line] + 1 + random_whole(0, most_apart - 1);
  }
  fill(gains, 16);
}

static void compare(
    const char *name, int line, long frame, long frames, float is, float should_be, double exact) {
  if (bits(is) != bits(should_be))
    fault("%s: frame %ld of %ld, line %d, is %.9g; the scalar reference is %.9g", name, frame, frames,
          line, is, should_be);
  // Sums of at most 18 numbers from -1 to 1, each rounded at most eight times.
  if (!(fabs(is - exact) <= 18 * 8 * 0x1p-24))
    fault("%s: frame %ld of %ld, line %d, is %.9g; the exact sum is %.9g", name, frame, frames, line, is,
          exact);
}

// Checks that nothing is written before the first frame or after the last.
static void check_ends(const char *name, const float *line, long frames) {
  if (line[-1] != untouched || line[frames] != untouched)
    fault("%s writes more than %ld frames", name, frames);
}

// The sign of an entry of a Hadamard matrix.
static int sign(int row, int column) { return __builtin_parity(row & column) ? -1 : 1; }

// The sums and differences of two pairs, in the order of the kernels.
static void spread(const float *pairs, float *four) {
  four[0] = pairs[0] + pairs[2];
  four[1] = pairs[1] + pairs[3];
  four[2] = pairs[0] - pairs[2];
  four[3] = pairs[1] - pairs[3];
}

static void check_diffusing(long frames, digest *all) {
  const float tangent = random_number();
  rt_reverb_diffuse(from, gains, tangent, to, frames);
  for (long frame = 0; frame < frames; frame++) {
    float halves[2][4];
    double exact[2][4] = {0};
    for (int half = 0; half < 2; half++) {
      float pairs[4];
      for (int lane = 4 * half; lane < 4 * half + 4; lane += 2) {
        const float other = from[lane + 1][frame] * gains[lane + 1];
        pairs[lane & 3] = added(other, from[lane][frame], gains[lane]);
        pairs[(lane & 3) + 1] = less(other, from[lane][frame], gains[lane]);
      }
      spread(pairs, halves[half]);
      for (int row = 0; row < 4; row++)
        for (int lane = 0; lane < 4; lane++)
          exact[half][row] +=
              sign(row, lane) * (double)from[4 * half + lane][frame] * gains[4 * half + lane];
    }
    for (int row = 0; row < 4; row++) {
      compare("rt_reverb_diffuse", row, frame, frames, to[row][frame],
              added(halves[0][row], halves[1][row], tangent),
              exact[0][row] + exact[1][row] * tangent);
      compare("rt_reverb_diffuse", row + 4, frame, frames, to[row + 4][frame],
              taken(halves[1][row], halves[0][row], tangent),
              exact[1][row] - exact[0][row] * tangent);
    }
  }
  for (int line = 0; line < 8; line++) {
    take(all, to[line], frames * 4);
    check_ends("rt_reverb_diffuse", to[line], frames);
  }
}

// The weights of one line, without fused operations: Lagrange's cubic times three zeros.
static void weigh(float x, const float *zeros, float *six) {
  const float first = zeros[0], second = zeros[8], third = zeros[16];
  const float outer = x * (x - 1) * (x - 2) * (-1.0f / 6), here = (x + 1) * (x - 1) * (x - 2) * 0.5f;
  const float next = (x + 1) * x * (x - 2) * -0.5f, last = (x + 1) * x * (x - 1) * (1.0f / 6);
  six[0] = outer * first;
  six[1] = here * first + outer * second;
  six[2] = next * first + here * second + outer * third;
  six[3] = last * first + next * second + here * third;
  six[4] = last * second + next * third;
  six[5] = last * third;
}

static void check_weighing(long frames, digest *all) {
  if (frames == 0) return;
  const float depth = 20 * random_number();
  uint32_t phases[9];
  float sway[9], was[9], zeros[49], result[97];
  int32_t offsets[9];
  for (int line = 0; line < 9; line++)
    phases[line] = (uint32_t)random_whole(0, UINT32_MAX), was[line] = 20 * random_number();
  fill(zeros, 49);
  memcpy(sway, was, sizeof was);
  rt_reverb_weigh(phases + 1, depth, sway + 1, zeros + 1, result + 1, offsets + 1, frames);
  for (int line = 1; line < 9; line++) {
    const double turns = (double)phases[line] / 4294967296.0;
    if (!(fabs(sway[line] - depth * sin(2 * M_PI * turns)) <= 1.2e-3 * fabs(depth)))
      fault("a line sways by %g at %g turns, times %g", sway[line], turns, depth);
    if (offsets[line] != floor(was[line]))
      fault("a line is read %d further back, not %g", offsets[line], floor(was[line]));
    float then[6], later[6];
    weigh(was[line] - (float)offsets[line], zeros + line, then);
    weigh(sway[line] - (float)offsets[line], zeros + 24 + line, later);
    for (int weight = 0; weight < 6; weight++) {
      const float step = (later[weight] - then[weight]) * (1 / (float)frames);
      if (bits(result[8 * weight + line]) != bits(then[weight])
          || bits(result[48 + 8 * weight + line]) != bits(step))
        fault("weight %d of line %d is %.9g, and its step %.9g; the scalar reference is %.9g and %.9g",
              weight, line - 1, result[8 * weight + line], result[48 + 8 * weight + line],
              then[weight], step);
    }
  }
  take(all, sway + 1, 32), take(all, offsets + 1, 32), take(all, result + 1, 96 * 4);
}

static void check_reading_ends(long frames, digest *all) {
  static float table[97], written[8 * most_frames + 2];
  fill(table, 97);
  // Steps as small as between two chunks, so that no weight grows large.
  for (int each = 49; each < 97; each++) table[each] /= most_frames;
  const long first = random_whole(0, 7), count = random_whole(1, 8 - first);
  for (long at = 0; at < 8 * most_frames + 2; at++) written[at] = untouched;
  rt_reverb_read(from, table + 1 + first, written + 1, count, frames);
  for (int line = 0; line < count; line++) {
    const float *result = written + 1 + line * frames;
    for (long frame = 0; frame < frames; frame++) {
      float pairs[3], weights[6];
      double exact = 0;
      for (int weight = 0; weight < 6; weight++) {
        const float start = table[1 + 8 * weight + first + line];
        const float step = table[49 + 8 * weight + first + line];
        // Eight interleaved weights, each of which grows by eight steps.
        float grown = added(start, (float)(frame & 7), step);
        for (long eights = 0; eights < frame / 8; eights++) grown += 8 * step;
        weights[weight] = grown;
        exact += grown * (double)from[line][frame + 1 - weight];
        if (!(fabs(grown - (start + (double)frame * step)) <= 32 * 0x1p-24))
          fault("weight %d of frame %ld is %.9g", weight, frame, grown);
      }
      for (int pair = 0; pair < 3; pair++) {
        const float *here = from[line] + frame - 2 * pair;
        pairs[pair] = added(here[0] * weights[2 * pair + 1], here[1], weights[2 * pair]);
      }
      compare("rt_reverb_read", line, frame, frames, result[frame], (pairs[0] + pairs[1]) + pairs[2],
              exact);
    }
  }
  take(all, written + 1, count * frames * 4);
  check_ends("rt_reverb_read", written + 1, count * frames);
}

// Eight contiguous delay lines, unaligned, with a margin before and after.
static float lines[2][8 * most_frames + most_apart + 8];

static float *random_lines(int which) {
  fill(lines[which], 8 * most_frames + most_apart + 8);
  return lines[which] + 1 + random_whole(0, most_apart - 1);
}

static void check_feeding(long frames, digest *all) {
  const float *old = random_lines(0), *new = random_lines(1);
  rt_reverb_feed(old, new, to, frames);
  for (long frame = 0; frame < frames; frame++) {
    float halves[2][4];
    for (int half = 0; half < 2; half++) {
      float pairs[4];
      for (int pair = 0; pair < 4; pair += 2) {
        const float *two = old + (4 * half + pair) * frames + frame;
        pairs[pair] = two[0] + two[frames];
        pairs[pair + 1] = two[0] - two[frames];
      }
      spread(pairs, halves[half]);
    }
    for (int row = 0; row < 8; row++) {
      const float high = halves[0][row & 3], low = halves[1][row & 3];
      double exact = new[row * frames + frame];
      for (int line = 0; line < 8; line++)
        exact += sign(row, line) * (double)old[line * frames + frame];
      compare("rt_reverb_feed", row, frame, frames, to[row][frame],
              new[row * frames + frame] + (row < 4 ? high + low : high - low), exact);
    }
  }
  for (int line = 0; line < 8; line++) {
    take(all, to[line], frames * 4);
    check_ends("rt_reverb_feed", to[line], frames);
  }
}

static void check_hearing(long frames, digest *all) {
  float earlier[2][most_frames];
  for (int side = 0; side < 2; side++) {
    fill(earlier[side], frames);
    memcpy(to[side], earlier[side], (size_t)frames * 4);
  }
  rt_reverb_hear(from, gains, to[0], to[1], frames);
  for (long frame = 0; frame < frames; frame++) {
    float heard[2];
    double exact[2] = {0};
    for (int kind = 0; kind < 2; kind++) {
      float twos[4];
      for (int two = 0; two < 4; two++) {
        const int tap = 8 * kind + 2 * two;
        twos[two] = added(from[tap + 1][frame] * gains[tap + 1], from[tap][frame], gains[tap]);
        exact[kind] += (double)from[tap][frame] * gains[tap];
        exact[kind] += (double)from[tap + 1][frame] * gains[tap + 1];
      }
      heard[kind] = (twos[0] + twos[1]) + (twos[2] + twos[3]);
    }
    compare("rt_reverb_hear", 0, frame, frames, to[0][frame],
            (earlier[0][frame] + heard[0]) + heard[1], earlier[0][frame] + exact[0] + exact[1]);
    compare("rt_reverb_hear", 1, frame, frames, to[1][frame],
            (earlier[1][frame] + heard[0]) - heard[1], earlier[1][frame] + exact[0] - exact[1]);
  }
  for (int side = 0; side < 2; side++) {
    take(all, to[side], frames * 4);
    check_ends("rt_reverb_hear", to[side], frames);
  }
}

static void check_poles(long frames, digest *all) {
  float *sound = random_lines(0);
  static float sent[8 * most_frames];
  memcpy(sent, sound, (size_t)(8 * frames) * 4);
  sound[-1] = sound[8 * frames] = untouched;
  float parts[4][8];
  for (int part = 0; part < 4; part++) fill(parts[part], 8);
  // Poles that ring for some frames, well inside the unit circle.
  for (int line = 0; line < 8; line++) parts[0][line] *= 0.5f, parts[1][line] *= 0.3f;
  rt_poles by, past;
  memcpy(&by.first_low, parts[0], 16), memcpy(&by.first_high, parts[0] + 4, 16);
  memcpy(&by.second_low, parts[1], 16), memcpy(&by.second_high, parts[1] + 4, 16);
  memcpy(&past.first_low, parts[2], 16), memcpy(&past.first_high, parts[2] + 4, 16);
  memcpy(&past.second_low, parts[3], 16), memcpy(&past.second_high, parts[3] + 4, 16);
  const rt_poles last = rt_reverb_poles(sound, by, past, frames);
  for (int line = 0; line < 8; line++) {
    float newer = parts[2][line], older = parts[3][line];
    double exact_newer = newer, exact_older = older;
    for (long frame = 0; frame < frames; frame++) {
      const long place = line * frames + frame;
      const float now = taken(taken(sent[place], parts[1][line], older), parts[0][line], newer);
      const double exact =
          sent[place] - (double)parts[1][line] * exact_older - (double)parts[0][line] * exact_newer;
      compare("rt_reverb_poles", line, frame, frames, sound[place], now, exact);
      older = newer, newer = now;
      exact_older = exact_newer, exact_newer = exact;
    }
    const float first = line < 4 ? last.first_low[line] : last.first_high[line - 4];
    const float second = line < 4 ? last.second_low[line] : last.second_high[line - 4];
    if (bits(first) != bits(newer) || bits(second) != bits(older))
      fault("rt_reverb_poles: the output of line %d is %.9g and %.9g, not %.9g and %.9g", line, second,
            first, older, newer);
  }
  take(all, sound, 8 * frames * 4);
  take(all, &last, sizeof last);
  check_ends("rt_reverb_poles", sound, 8 * frames);
}

void check_reverb(void) {
  static void (*const checks[])(long, digest *) = {
      check_diffusing, check_weighing, check_reading_ends, check_feeding, check_hearing, check_poles};
  static const char *const names[] = {"rt_reverb_diffuse", "rt_reverb_weigh", "rt_reverb_read",
                                      "rt_reverb_feed", "rt_reverb_hear", "rt_reverb_poles"};
  for (int check = 0; check < 6; check++) {
    digest all = {0};
    for (int turn = 0; turn < 120; turn++) {
      prepare();
      const long eights = turn <= most_frames / 8 ? turn : random_whole(1, most_frames / 8);
      checks[check](8 * eights, &all);
    }
    print_digest(names[check], &all);
  }
}
