// FFTW with measured plans: one real transform of a block.
#include <fftw3.h>

#include <algorithm>

#include "effect.h"

namespace {

struct Transform {
  float *in;
  fftwf_complex *out;
  fftwf_plan plan;
};

void *make(double, int block) {
  auto made = new Transform;
  made->in = fftwf_alloc_real(size_t(block));
  made->out = fftwf_alloc_complex(size_t(block) / 2 + 1);
  made->plan = fftwf_plan_dft_r2c_1d(block, made->in, made->out, FFTW_MEASURE);
  std::fill_n(made->in, block, 0.5f);
  return made;
}
void set(void *, effect_key, double) {}
void process(void *unit, const float *const *, float *const *, int) {
  fftwf_execute(static_cast<Transform *>(unit)->plan);
}
void end(void *unit) {
  auto made = static_cast<Transform *>(unit);
  fftwf_destroy_plan(made->plan);
  fftwf_free(made->in);
  fftwf_free(made->out);
  delete made;
}

const effect effects[] = {
    {"FFTW", EFFECT_TRANSFORM, make, set, process, end, nullptr, nullptr},
};

}  // namespace

const effect *peer_effects(int *count) {
  *count = sizeof effects / sizeof *effects;
  return effects;
}
