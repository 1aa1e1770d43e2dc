// Dot products, compared bit for bit with a scalar reference, and with exact sums within the rounding
// error.
#include "check.h"

#include <CRealtime.h>
#include <math.h>

#pragma clang fp contract(off)

enum { most = 1500, most_apart = 16, room = most + 3 + most_apart + 1 };

static float numbers[2][room];

// Adds eight sums in the order of the kernels.
static float added_up(const float *eight) {
  float four[4];
  for (int at = 0; at < 4; at++) four[at] = eight[at] + eight[at + 4];
  return (four[0] + four[1]) + (four[2] + four[3]);
}

// A dot product: in `ways` interleaved groups of eight sums while enough pairs are left, then in eight
// sums, then in one.
static float summed(const float *a, const float *b, long count, int ways) {
  float sums[4][8] = {0}, all[8];
  long at = 0;
  for (; at + 8 * ways <= count; at += 8 * ways)
    for (int way = 0; way < ways; way++)
      for (int lane = 0; lane < 8; lane++) {
        const long pair = at + 8 * way + lane;
        sums[way][lane] = added(sums[way][lane], a[pair], b[pair]);
      }
  for (; at + 8 <= count; at += 8)
    for (int lane = 0; lane < 8; lane++)
      sums[0][lane] = added(sums[0][lane], a[at + lane], b[at + lane]);
  for (int lane = 0; lane < 8; lane++)
    all[lane] = (sums[0][lane] + sums[1][lane]) + (sums[2][lane] + sums[3][lane]);
  float result = added_up(all);
  for (; at < count; at++) result = added(result, a[at], b[at]);
  return result;
}

static void compare(
    const char *name, const float *a, const float *b, long count, float is, float should_be) {
  if (bits(is) != bits(should_be))
    fault("%s of %ld is %.9g; the scalar reference is %.9g", name, count, is, should_be);
  double exact = 0, width = 0;
  for (long at = 0; at < count; at++) {
    const double product = (double)a[at] * b[at];
    exact += product;
    width += fabs(product);
  }
  // Each of eight or more sums, and the sum of the remainder, rounds at most twice per pair.
  const double bound = (double)(count / 4 + 24) * 0x1p-24 * width;
  if (!(fabs(is - exact) <= bound))
    fault("%s of %ld is %.9g; the exact sum is %.9g", name, count, is, exact);
}

void check_correlation(void) {
  digest one = {0}, four = {0};
  for (int turn = 0; turn < 1200; turn++) {
    const long count = turn < 400 ? turn / 2 : random_whole(0, most);
    float *a = numbers[0] + random_whole(0, most_apart - 1);
    float *b = numbers[1] + random_whole(0, most_apart - 1);
    for (int side = 0; side < 2; side++) fill(numbers[side], room);
    // NaN after the last pair: reading it would show in the result.
    a[count] = b[count + 3] = NAN;

    const rt_four products = rt_products(a, b, count);
    take(&four, &products, sizeof products);
    for (int late = 0; late < 4; late++)
      compare("rt_products", a, b + late, count, products[late], summed(a, b + late, count, 1));
    b[count] = NAN;
    const float product = rt_product(a, b, count);
    take(&one, &product, sizeof product);
    compare("rt_product", a, b, count, product, summed(a, b, count, 4));
  }
  print_digest("rt_product", &one);
  print_digest("rt_products", &four);
}
