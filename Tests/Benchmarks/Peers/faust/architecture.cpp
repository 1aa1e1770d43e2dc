// The architecture file for `faust -a`, which makes a program a peer. The program's sliders are named
// after the settings; the command line defines NAME and KIND.
#include <cstring>

#include "effect.h"

struct Meta {
  void declare(const char *, const char *) {}
};

// Collects the sliders by name.
struct UI {
  float *places[EFFECT_KEYS] = {};

  void openTabBox(const char *) {}
  void openHorizontalBox(const char *) {}
  void openVerticalBox(const char *) {}
  void closeBox() {}
  void addButton(const char *, float *) {}
  void addCheckButton(const char *, float *) {}
  void addVerticalSlider(const char *name, float *place, float, float, float, float) {
    keep(name, place);
  }
  void addHorizontalSlider(const char *name, float *place, float, float, float, float) {
    keep(name, place);
  }
  void addNumEntry(const char *name, float *place, float, float, float, float) {
    keep(name, place);
  }
  void addHorizontalBargraph(const char *, float *, float, float) {}
  void addVerticalBargraph(const char *, float *, float, float) {}
  void declare(float *, const char *, const char *) {}

  void keep(const char *name, float *place) {
    if (!std::strcmp(name, "seconds")) places[EFFECT_SECONDS] = place;
    if (!std::strcmp(name, "damping")) places[EFFECT_DAMPING] = place;
    if (!std::strcmp(name, "feedback")) places[EFFECT_FEEDBACK] = place;
  }
};

struct dsp {};

#define FAUSTFLOAT float
<<includeIntrinsic>>
<<includeclass>>

namespace {

struct Unit {
  mydsp program;
  UI sliders;
};

void *make(double rate, int) {
  auto unit = new Unit;
  unit->program.init(int(rate));
  unit->program.buildUserInterface(&unit->sliders);
  return unit;
}
void set(void *unit, effect_key key, double value) {
  if (auto place = static_cast<Unit *>(unit)->sliders.places[key]) *place = float(value);
}
void process(void *unit, const float *const *in, float *const *out, int frames) {
  static_cast<Unit *>(unit)->program.compute(frames, const_cast<float **>(in),
                                             const_cast<float **>(out));
}
void end(void *unit) { delete static_cast<Unit *>(unit); }

const effect effects[] = {{NAME, KIND, make, set, process, end, nullptr, nullptr}};

}  // namespace

const effect *peer_effects(int *count) {
  *count = 1;
  return effects;
}
