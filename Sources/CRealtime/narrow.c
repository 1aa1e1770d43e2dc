#include "CRealtime.h"

void rt_narrow(const float *from, int16_t *to, float gain, long count) {
  for (long index = 0; index < count; ++index) {
    float number = from[index] * gain;
    number = number > 32767 ? 32767 : number < -32768 ? -32768 : number;
    // Adding this constant rounds to a whole number, which the low bits of the sum then hold.
    const union { float number; int32_t bits; } sum = {number + 12582912.0f};
    to[index] = (int16_t)sum.bits;
  }
}

void rt_widen(const int16_t *from, float *to, long count) {
  for (long index = 0; index < count; ++index) to[index] = from[index];
}
