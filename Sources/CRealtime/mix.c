#include "CRealtime.h"
#include "eights.h"

// Blocks that are mixed straight from memory. Short code: it is called once per buffer, when the caches are cold.

#define SMALL __attribute__((minsize))

typedef int32_t four_words __attribute__((vector_size(16)));
typedef int32_t loose_four_words __attribute__((vector_size(16), aligned(4)));

SMALL uint32_t rt_peak(const float *from, float *copy, long frames) {
  const int32_t mask = 0x7FFFFFFF;
  four_words most = {};
  long frame = 0;
  for (; frame + 4 <= frames; frame += 4) {
    const four_words next = *(const loose_four_words *)(from + frame);
    if (copy) *(loose_four_words *)(copy + frame) = next;
    most = __builtin_elementwise_max(most, next & mask);
  }
  int32_t peak = __builtin_reduce_max(most);
  for (; frame < frames; ++frame) {
    const union { float number; int32_t bits; } sample = {from[frame]};
    if (copy) copy[frame] = from[frame];
    if ((sample.bits & mask) > peak) peak = sample.bits & mask;
  }
  return (uint32_t)peak;
}

SMALL void rt_mix(
    const float *from, float gain, float share, float *to, _Bool is_first, long frames) {
  const four none = {};
  long frame = 0;
  for (; frame + 4 <= frames; frame += 4) {
    loose_four *const place = (loose_four *)(to + frame);
    const four sum = is_first ? none : *place;
    *place = sum + (four)*(const loose_four *)(from + frame) * gain * share;
  }
  for (; frame < frames; ++frame) to[frame] = (is_first ? 0 : to[frame]) + from[frame] * gain * share;
}
