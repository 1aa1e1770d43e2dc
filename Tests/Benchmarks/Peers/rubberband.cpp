// Debian's Rubber Band, in blocks of a live node's size.
#include <rubberband/rubberband-c.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "effect.h"

namespace {

// Its output comes in bursts. The shortest leading silence that bridges them is found by a rehearsal
// with the initial ratio.
class Shifter {
 public:
  Shifter(int options, double rate, int block)
      : options(options), rate(rate), block(block), state(make(options, 2)) {
    for (auto &channel : ready) channel.resize(1 << 17);
  }
  ~Shifter() { rubberband_delete(state); }

  void set(effect_key key, double value) {
    if (key == EFFECT_SEMITONES) {
      ratio = std::exp2(value / 12);
      rubberband_set_pitch_scale(state, ratio);
    } else if (key == EFFECT_FORMANTS && value != 0) {
      options |= RubberBandOptionFormantPreserved;
      rubberband_set_formant_option(state, RubberBandOptionFormantPreserved);
    }
  }

  void process(const float *const *in, float *const *out, int frames) {
    if (!rehearsed) {
      rehearsed = true;
      end = rehearse();
    }
    rubberband_process(state, in, frames, 0);
    take();
    long count = std::min<long>(frames, end);
    for (int channel = 0; channel < 2; ++channel) {
      auto &samples = ready[channel];
      std::copy_n(samples.begin(), count, out[channel]);
      std::fill(out[channel] + count, out[channel] + frames, 0.f);
      std::copy(samples.begin() + count, samples.begin() + end, samples.begin());
    }
    end -= count;
  }

  long delay() const { return long(rubberband_get_latency(state)); }

 private:
  RubberBandState make(int options, int channels) {
    auto made = rubberband_new(unsigned(rate), unsigned(channels),
                               options | RubberBandOptionProcessRealTime, 1.0, ratio);
    rubberband_set_max_process_size(made, unsigned(block));
    return made;
  }

  void take() {
    int available = rubberband_available(state);
    long room = long(ready[0].size()) - end;
    if (available <= 0 || room <= 0) return;
    float *to[] = {ready[0].data() + end, ready[1].data() + end};
    end += rubberband_retrieve(state, to, unsigned(std::min<long>(available, room)));
  }

  long rehearse() {
    auto trial = make(options, 1);
    std::vector<float> noise(size_t(block), 0.f);
    unsigned seed = 1;
    long balance = 0, least = 0;
    for (long done = 0; done < long(rate); done += block) {
      for (auto &sample : noise) {
        seed = seed * 1664525u + 1013904223u;
        sample = float(int(seed)) * 1e-10f;
      }
      const float *in[] = {noise.data()};
      rubberband_process(trial, in, unsigned(block), 0);
      int available = std::max(0, rubberband_available(trial));
      float *to[] = {ready[0].data()};
      balance += rubberband_retrieve(trial, to, unsigned(available)) - block;
      least = std::min(least, balance);
    }
    rubberband_delete(trial);
    std::fill(ready[0].begin(), ready[0].end(), 0.f);
    // A burst may come a frame or so earlier than in the rehearsal.
    return -least + 16;
  }

  int options;
  double rate, ratio = 1;
  int block;
  RubberBandState state;
  std::vector<float> ready[2];
  long end = 0;
  bool rehearsed = false;
};

template <int options>
void *make(double rate, int block) {
  return new Shifter(options, rate, block);
}

void set(void *unit, effect_key key, double value) {
  static_cast<Shifter *>(unit)->set(key, value);
}
void process(void *unit, const float *const *in, float *const *out, int frames) {
  static_cast<Shifter *>(unit)->process(in, out, frames);
}
void end(void *unit) { delete static_cast<Shifter *>(unit); }
long delay(void *unit) { return static_cast<Shifter *>(unit)->delay(); }

// Offline mode: it analyzes the recording first, like its own command-line tool.
template <int options>
long stretch(const float *in, long frames, double rate, double ratio, float *out, long room) {
  auto state = rubberband_new(unsigned(rate), 1, options, ratio, 1.0);
  rubberband_set_expected_input_duration(state, unsigned(frames));
  const long block = 1024;
  for (long at = 0; at < frames; at += block) {
    const float *from[] = {in + at};
    rubberband_study(state, from, unsigned(std::min(block, frames - at)), at + block >= frames);
  }
  long written = 0;
  for (long at = 0; at < frames; at += block) {
    const float *from[] = {in + at};
    rubberband_process(state, from, unsigned(std::min(block, frames - at)), at + block >= frames);
    int available;
    while ((available = rubberband_available(state)) > 0 && written < room) {
      float *to[] = {out + written};
      long taken = std::min<long>(available, room - written);
      written += rubberband_retrieve(state, to, unsigned(taken));
    }
  }
  rubberband_delete(state);
  return written;
}

// Four shifters, one for each harmony.
class Choir {
 public:
  Choir(int options, double rate, int block) : left(size_t(block)), right(size_t(block)) {
    for (double interval : EFFECT_INTERVALS) {
      voices.emplace_back(new Shifter(options, rate, block));
      voices.back()->set(EFFECT_SEMITONES, interval);
      voices.back()->set(EFFECT_FORMANTS, 1);
    }
  }
  void process(const float *const *in, float *const *out, int frames) {
    for (int channel = 0; channel < 2; ++channel) std::fill_n(out[channel], frames, 0.f);
    float *own[] = {left.data(), right.data()};
    for (auto &voice : voices) {
      voice->process(in, own, frames);
      for (int channel = 0; channel < 2; ++channel)
        for (int frame = 0; frame < frames; ++frame) out[channel][frame] += own[channel][frame];
    }
  }
  long delay() const { return voices[0]->delay(); }

 private:
  std::vector<std::unique_ptr<Shifter>> voices;
  std::vector<float> left, right;
};

template <int options>
effect choir(const char *name) {
  return {name,
          EFFECT_HARMONIES,
          [](double rate, int block) -> void * { return new Choir(options, rate, block); },
          [](void *, effect_key, double) {},
          [](void *unit, const float *const *in, float *const *out, int frames) {
            static_cast<Choir *>(unit)->process(in, out, frames);
          },
          [](void *unit) { delete static_cast<Choir *>(unit); },
          nullptr,
          [](void *unit) { return static_cast<Choir *>(unit)->delay(); }};
}

constexpr int quality = RubberBandOptionPitchHighConsistency | RubberBandOptionThreadingNever;
constexpr int r2 = quality | RubberBandOptionEngineFaster;
constexpr int smooth = r2 | RubberBandOptionTransientsSmooth;
constexpr int r3 = quality | RubberBandOptionEngineFiner;
constexpr int shifts = EFFECT_PITCH | EFFECT_KEEPS_FORMANTS;

template <int options>
effect one(const char *name) {
  return {name, shifts | EFFECT_STRETCH, make<options>, set, process, end, stretch<options>, delay};
}

// Short windows are for live use only.
template <int options>
effect live(const char *name) {
  return {name, shifts, make<options>, set, process, end, nullptr, delay};
}

const effect effects[] = {
    one<r2>("Rubber Band R2"),
    one<smooth>("Rubber Band R2 smooth"),
    live<smooth | RubberBandOptionWindowShort>("Rubber Band R2 short"),
    one<r3>("Rubber Band R3"),
    live<r3 | RubberBandOptionWindowShort>("Rubber Band R3 short"),
    choir<r3>("four Rubber Band R3"),
    choir<r3 | RubberBandOptionWindowShort>("four Rubber Band R3 short"),
};

}  // namespace

const effect *peer_effects(int *count) {
  *count = sizeof effects / sizeof *effects;
  return effects;
}
