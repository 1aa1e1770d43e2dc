// Debian's SoundTouch, in blocks of a live node's size.
#include <soundtouch/SoundTouch.h>

#include <algorithm>
#include <vector>

#include "effect.h"

namespace {

class Shifter {
 public:
  Shifter(bool isShort, double rate, int block) : isShort(isShort), rate(rate), block(block) {
    prepare(touch);
    both.resize(2 * size_t(block));
  }

  void set(effect_key key, double value) {
    if (key != EFFECT_SEMITONES) return;
    semitones = value;
    touch.setPitchSemiTones(value);
  }

  void process(const float *const *in, float *const *out, int frames) {
    if (!rehearsed) {
      rehearsed = true;
      silence = rehearse();
    }
    for (int i = 0; i < frames; ++i) {
      both[2 * size_t(i)] = in[0][i];
      both[2 * size_t(i) + 1] = in[1][i];
    }
    touch.putSamples(both.data(), unsigned(frames));
    int quiet = int(std::min<long>(silence, frames));
    silence -= quiet;
    std::fill(both.begin(), both.end(), 0.f);
    touch.receiveSamples(both.data() + 2 * quiet, unsigned(frames - quiet));
    for (int i = 0; i < frames; ++i) {
      out[0][i] = both[2 * size_t(i)];
      out[1][i] = both[2 * size_t(i) + 1];
    }
  }

  long delay() { return touch.getSetting(SETTING_INITIAL_LATENCY); }

 private:
  void prepare(soundtouch::SoundTouch &touch) {
    touch.setSampleRate(unsigned(rate));
    touch.setChannels(2);
    if (isShort) {
      touch.setSetting(SETTING_SEQUENCE_MS, 20);
      touch.setSetting(SETTING_SEEKWINDOW_MS, 8);
      touch.setSetting(SETTING_OVERLAP_MS, 4);
    }
    touch.setPitchSemiTones(semitones);
  }

  // The shortest leading silence with which its output never underruns.
  long rehearse() {
    soundtouch::SoundTouch trial;
    prepare(trial);
    std::vector<float> samples(2 * size_t(block)), taken(1 << 17);
    unsigned seed = 1;
    long balance = 0, least = 0;
    for (long done = 0; done < long(rate); done += block) {
      for (auto &sample : samples) {
        seed = seed * 1664525u + 1013904223u;
        sample = float(int(seed)) * 1e-10f;
      }
      trial.putSamples(samples.data(), unsigned(block));
      balance += long(trial.receiveSamples(taken.data(), 1 << 16)) - block;
      least = std::min(least, balance);
    }
    return -least + 8;
  }

  bool isShort;
  double rate, semitones = 0;
  int block;
  soundtouch::SoundTouch touch;
  std::vector<float> both;
  long silence = 0;
  bool rehearsed = false;
};

template <bool isShort>
void *make(double rate, int block) {
  return new Shifter(isShort, rate, block);
}
void set(void *unit, effect_key key, double value) {
  static_cast<Shifter *>(unit)->set(key, value);
}
void process(void *unit, const float *const *in, float *const *out, int frames) {
  static_cast<Shifter *>(unit)->process(in, out, frames);
}
void end(void *unit) { delete static_cast<Shifter *>(unit); }
long delay(void *unit) { return static_cast<Shifter *>(unit)->delay(); }

long stretch(const float *in, long frames, double rate, double ratio, float *out, long room) {
  soundtouch::SoundTouch touch;
  touch.setSampleRate(unsigned(rate));
  touch.setChannels(1);
  touch.setTempo(1 / ratio);
  long written = 0;
  for (long at = 0; at < frames; at += 1024) {
    touch.putSamples(in + at, unsigned(std::min<long>(1024, frames - at)));
    written += long(touch.receiveSamples(out + written, unsigned(room - written)));
  }
  touch.flush();
  return written + long(touch.receiveSamples(out + written, unsigned(room - written)));
}

const effect effects[] = {
    {"SoundTouch", EFFECT_PITCH | EFFECT_STRETCH, make<false>, set, process, end, stretch,
     delay},
    {"SoundTouch 20/8/4 ms", EFFECT_PITCH, make<true>, set, process, end, nullptr,
     delay},
};

}  // namespace

const effect *peer_effects(int *count) {
  *count = sizeof effects / sizeof *effects;
  return effects;
}
