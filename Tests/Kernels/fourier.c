// The FFT: passes compared bit for bit with a scalar reference, whole transforms with the DFT in double
// precision, and digests of all results.
#include "check.h"

#include <CRealtime.h>
#include <math.h>
#include <string.h>

#pragma clang fp contract(off)

enum { most_size = 4096, most_passes = 6, room = most_size + 128 };

typedef struct {
  float real, imaginary;
} number;

typedef struct {
  float real[room], imaginary[room];
} numbers;

static float factors[most_passes][2 * most_size + 512];
static rt_fourier_pass passes[most_passes];
static numbers memory[4];
static float pairs[2 * room], turns[most_size + 64];

static rt_planar input(const numbers *from, long at) {
  return (rt_planar){from->real + at, from->imaginary + at};
}
static rt_planar_output output(numbers *to, long at) {
  return (rt_planar_output){to->real + at, to->imaginary + at};
}

// Makes the passes of a transform, in any order of radices, and returns their number.
static int make_passes(long size) {
  long stride = 1;
  int count = 0;
  while (stride < size) {
    const long rest = size / stride;
    // Neither a radix of 2 nor runs shorter than a vector are supported.
    const int can_be_4 = rest != 8, can_be_8 = rest != 4 && rest != 16;
    const long radix = !can_be_4 || (can_be_8 && random_number() < 0) ? 8 : 4;
    const long group = stride == 1 ? 16 : 4;
    float *table = factors[count];
    for (long place = 0; place < rest / radix; place++)
      for (long product = 1; product < radix; product++) {
        const double angle = -2 * M_PI * (double)(place * product) / (double)rest;
        float *at = table + (place / group * (radix - 1) + product - 1) * 2 * group + place % group;
        at[0] = (float)cos(angle), at[group] = (float)sin(angle);
      }
    passes[count++] = (rt_fourier_pass){size, radix, stride, rest == radix, 0, table};
    stride *= radix;
  }
  return count;
}

// --- The reference, one value at a time, in the kernels' order of sums

static number sum(number a, number b) {
  return (number){a.real + b.real, a.imaginary + b.imaginary};
}
static number difference(number a, number b) {
  return (number){a.real - b.real, a.imaginary - b.imaginary};
}
static number product(number a, number b) {
  return (number){a.real * b.real - a.imaginary * b.imaginary,
                  a.real * b.imaginary + a.imaginary * b.real};
}
// The sum with i times `b`, or with -i times it.
static number sideways(number a, number b, float sign) {
  return (number){a.real - sign * b.imaginary, a.imaginary + sign * b.real};
}

static void four_points(number a, number b, number c, number d, number *y) {
  const number even = sum(a, c), odd = sum(b, d);
  const number even_less = difference(a, c), odd_less = difference(b, d);
  y[0] = sum(even, odd), y[4] = difference(even, odd);
  y[2] = sideways(even_less, odd_less, -1), y[6] = sideways(even_less, odd_less, 1);
}

// Writes a radix-4 result to every other position, like the even half of a radix-8 one.
static void eight_points(const number *x, number *y) {
  four_points(sum(x[0], x[4]), sum(x[1], x[5]), sum(x[2], x[6]), sum(x[3], x[7]), y);
  const number a = difference(x[0], x[4]), b = difference(x[1], x[5]);
  const number c = difference(x[2], x[6]), d = difference(x[3], x[7]);
  const number even = sideways(a, c, -1), even_less = sideways(a, c, 1);
  const float b_real = b.real + b.imaginary, b_imaginary = b.imaginary - b.real;
  const float d_real = d.imaginary - d.real, d_imaginary = d.real + d.imaginary;
  const float half = 0.707106781f;
  const number odd = {(b_real + d_real) * half, (b_imaginary - d_imaginary) * half};
  const number odd_less = {(b_real - d_real) * half, (b_imaginary + d_imaginary) * half};
  y[1] = sum(even, odd), y[5] = difference(even, odd);
  y[3] = sideways(even_less, odd_less, -1), y[7] = sideways(even_less, odd_less, 1);
}

static void check_values(const rt_fourier_pass *pass, rt_planar from, const numbers *to, long at) {
  const long apart = pass->size / pass->radix;
  for (long index = 0; index < apart; index++) {
    number x[8], y[8];
    for (long part = 0; part < pass->radix; part++) {
      const long here = index + part * apart;
      x[part] = pass->is_paired ? (number){from.real[2 * here], from.real[2 * here + 1]}
                                : (number){from.real[here], from.imaginary[here]};
    }
    if (pass->radix == 8) eight_points(x, y);
    else four_points(x[0], x[1], x[2], x[3], y);
    const long run = index / pass->stride, group = pass->stride == 1 ? 16 : 4;
    const long first = pass->radix * run * pass->stride + index % pass->stride;
    for (long part = 0; part < pass->radix; part++) {
      number wanted = y[pass->radix == 8 ? part : 2 * part];
      if (part > 0 && !pass->is_last) {
        const float *factor =
            pass->factors + (run / group * (pass->radix - 1) + part - 1) * 2 * group + run % group;
        wanted = product(wanted, (number){factor[0], factor[group]});
      }
      const long place = at + first + part * pass->stride;
      if (bits(to->real[place]) != bits(wanted.real)
          || bits(to->imaginary[place]) != bits(wanted.imaginary))
        fault("value %ld of a pass of %ld with radix %ld and stride %ld is %.9g, %.9g, not %.9g, %.9g",
              place - at, pass->size, pass->radix, pass->stride, to->real[place],
              to->imaginary[place], wanted.real, wanted.imaginary);
    }
  }
}

// Runs all passes, in slices, and returns the buffer with the result.
static const numbers *transform(digest *digest, long size, int is_paired, long *place) {
  const int count = make_passes(size);
  rt_planar from = is_paired ? (rt_planar){pairs + 1, NULL} : input(&memory[0], 1);
  passes[0].is_paired = is_paired;
  for (int index = 0; index < count; index++) {
    const rt_fourier_pass *pass = &passes[index];
    const long values = size / pass->radix, at = random_whole(1, 17);
    const long slices = values >= 16 ? 1 << random_whole(0, 2) : 1;
    numbers *to = &memory[1 + index % 2];
    for (long each = 0; each < room; each++) to->real[each] = to->imaginary[each] = 12345;
    for (long slice = 0; slice < slices; slice++)
      rt_run_fourier_pass(
          pass, from, output(to, at), values * slice / slices, values * (slice + 1) / slices);
    check_values(pass, from, to, at);
    if (to->real[at - 1] != 12345 || to->imaginary[at + size] != 12345)
      fault("a pass of %ld values with radix %ld writes outside", size, pass->radix);
    take(digest, to->real + at, size * 4), take(digest, to->imaginary + at, size * 4);
    from = input(to, at);
    *place = at;
  }
  return &memory[1 + (count - 1) % 2];
}

// Compares some bins with the definition; `step` is the distance between the real parts of two values.
static void check_bins(
    const numbers *is, long at, const float *real, const float *imaginary, long step, long size) {
  double power = 0;
  for (long bin = 0; bin < size; bin++)
    power += pow(is->real[at + bin], 2) + pow(is->imaginary[at + bin], 2);
  for (int check = 0; check < 8; check++) {
    const long bin = random_whole(0, size - 1);
    double a = 0, b = 0;
    for (long index = 0; index < size; index++) {
      const double angle = -2 * M_PI * (double)(bin * index % size) / (double)size;
      const double x = real[index * step], y = imaginary[index * step];
      a += x * cos(angle) - y * sin(angle), b += x * sin(angle) + y * cos(angle);
    }
    const double error = hypot(is->real[at + bin] - a, is->imaginary[at + bin] - b);
    if (!(error <= 1e-6 * sqrt(power / (double)size)))
      fault("bin %ld of %ld is wrong by %g of the RMS", bin, size, error / sqrt(power / (double)size));
  }
}

// Real signals of twice the size: the split and its reverse.
static void check_halves(digest *digest, const numbers *half, long at, long count) {
  for (long bin = 1; bin <= count / 2; bin++) {
    const double angle = -M_PI * (double)bin / (double)count;
    float *turn = turns + (bin - 1) / 16 * 32 + (bin - 1) % 16;
    turn[0] = (float)(0.5 * sin(angle)), turn[16] = (float)(-0.5 * cos(angle));
  }
  numbers *whole = &memory[0], *back = &memory[3];
  const long place = random_whole(1, 9);
  rt_split_spectrum(input(half, at), output(whole, place), count, turns);
  for (long bin = 1; bin < count; bin++) {
    if (bin == count / 2) continue;
    const long low = bin < count / 2 ? bin : count - bin;
    const number a = {half->real[at + low], half->imaginary[at + low]};
    const number b = {half->real[at + count - low], half->imaginary[at + count - low]};
    const number even = {(a.real + b.real) * 0.5f, (a.imaginary - b.imaginary) * 0.5f};
    const float *turn = turns + (low - 1) / 16 * 32 + (low - 1) % 16;
    const number turned =
        product((number){a.real - b.real, a.imaginary + b.imaginary}, (number){turn[0], turn[16]});
    number wanted = bin == low ? sum(even, turned) : difference(even, turned);
    if (bin != low) wanted.imaginary = -wanted.imaginary;
    if (bits(whole->real[place + bin]) != bits(wanted.real)
        || bits(whole->imaginary[place + bin]) != bits(wanted.imaginary))
      fault("bin %ld of %ld after the split is %.9g, %.9g, not %.9g, %.9g", bin, count,
            whole->real[place + bin], whole->imaginary[place + bin], wanted.real, wanted.imaginary);
  }
  rt_merge_spectrum(input(whole, place), output(back, 1), count, turns);
  float most = 0, error = 0;
  for (long bin = 1; bin < count; bin++) {
    if (bin == count / 2) continue;
    most = fmaxf(most, fabsf(half->real[at + bin]));
    error = fmaxf(error, fabsf(back->real[1 + bin] - 2 * half->real[at + bin]));
    error = fmaxf(error, fabsf(back->imaginary[1 + bin] - 2 * half->imaginary[at + bin]));
  }
  if (!(error <= 2e-6f * most)) fault("merging %ld bins is wrong by %g", count, error);
  take(digest, whole->real + place + 1, (count - 1) * 4);
  take(digest, whole->imaginary + place + 1, (count - 1) * 4);
  take(digest, back->real + 2, (count / 2 - 1) * 4);
  take(digest, back->imaginary + 2 + count / 2, (count / 2 - 1) * 4);
  rt_interleave(input(half, at), pairs + 3, count);
  for (long index = 0; index < count; index++)
    if (pairs[3 + 2 * index] != half->real[at + index]
        || pairs[4 + 2 * index] != half->imaginary[at + index])
      fault("interleaved value %ld is wrong", index);
}

void check_fourier(void) {
  digest planar = {0}, paired = {0}, halves = {0};
  for (long size = 64; size <= most_size; size *= 2) {
    for (int turn = 0; turn < 6; turn++) {
      fill(memory[0].real, room), fill(memory[0].imaginary, room), fill(pairs, 2 * room);
      numbers signal = memory[0];
      long at;
      const numbers *spectrum = transform(&planar, size, 0, &at);
      check_bins(spectrum, at, signal.real + 1, signal.imaginary + 1, 1, size);
      spectrum = transform(&paired, size, 1, &at);
      check_bins(spectrum, at, pairs + 1, pairs + 2, 2, size);
      check_halves(&halves, spectrum, at, size);
    }
  }
  print_digest("rt_run_fourier_pass", &planar);
  print_digest("the same, interleaved", &paired);
  print_digest("rt_split_spectrum", &halves);
}
