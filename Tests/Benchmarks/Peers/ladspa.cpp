// Pitch shifters, reverbs and echoes that Debian packages as LADSPA plugins; missing ones are left out.
#include <dlfcn.h>
#include <ladspa.h>

#include <cstring>
#include <string>
#include <vector>

#include "plugin.h"

namespace {

const plugin plugins[] = {
    {"TAP Pitch", EFFECT_PITCH, "tap_pitch.so", "tap_pitch",
     {set_by(EFFECT_SEMITONES, "Semitone Shift"), fixed("Dry Level", -90), fixed("Wet Level", 0)}},
    {"SWH Pitch Scaler HQ", EFFECT_PITCH, "pitch_scale_1194.so", "pitchScaleHQ",
     {set_by(EFFECT_SEMITONES, "Pitch co-efficient", scale::ratio)}},
    {"TAP Reverberator", EFFECT_REVERB, "tap_reverb.so", "tap_reverb",
     {set_by(EFFECT_SECONDS, "Decay", scale::milliseconds), fixed("Dry Level", -70),
      fixed("Wet Level", 0)}},
    {"GVerb", EFFECT_REVERB, "gverb_1216.so", "gverb",
     {set_by(EFFECT_SECONDS, "Reverb time"), fixed("Dry signal", -70)}},
    {"SWH Plate", EFFECT_REVERB, "plate_1423.so", "plate",
     {set_by(EFFECT_SECONDS, "Reverb time"), fixed("Dry/wet mix", 1)}},
    {"TAP Stereo Echo", EFFECT_ECHO, "tap_echo.so", "tap_stereo_echo",
     {set_by(EFFECT_SECONDS, "L Delay", scale::milliseconds),
      set_by(EFFECT_SECONDS, "R/Haas Delay", scale::milliseconds),
      set_by(EFFECT_FEEDBACK, "L Feedback", scale::percent),
      set_by(EFFECT_FEEDBACK, "R/Haas Feedback", scale::percent), fixed("L Echo Level", 0),
      fixed("R Echo Level", 0), fixed("Dry Level", -70)}},
    {"SWH fadDelay", EFFECT_ECHO, "fad_delay_1192.so", "fadDelay",
     {set_by(EFFECT_SECONDS, "Delay"),
      set_by(EFFECT_FEEDBACK, "Feedback", scale::decibels)}},
};
constexpr int most = sizeof plugins / sizeof *plugins;

const LADSPA_Descriptor *descriptor(const plugin &which) {
  std::string path = std::string("/usr/lib/ladspa/") + which.file;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto list = library ? LADSPA_Descriptor_Function(dlsym(library, "ladspa_descriptor")) : nullptr;
  for (unsigned long i = 0; list && list(i); ++i) {
    if (!std::strcmp(list(i)->Label, which.label)) return list(i);
  }
  return nullptr;
}

// A plugin; two instances if it has one output. One input with two outputs gets the sum of both sides.
class Host {
 public:
  Host(const plugin &which, const LADSPA_Descriptor *type, double rate, int block)
      : which(which), type(type), sum(size_t(block), 0.f) {
    std::vector<unsigned long> ins, outs;
    values.resize(type->PortCount);
    for (unsigned long port = 0; port < type->PortCount; ++port) {
      auto kind = type->PortDescriptors[port];
      if (LADSPA_IS_PORT_CONTROL(kind)) {
        values[port] = initial(type->PortRangeHints[port], rate);
      } else {
        (LADSPA_IS_PORT_INPUT(kind) ? ins : outs).push_back(port);
      }
    }
    int copies = outs.size() == 1 ? 2 : 1;
    sums = copies == 1 && ins.size() == 1;
    for (int i = 0; i < copies; ++i) {
      auto handle = type->instantiate(type, static_cast<unsigned long>(rate));
      handles.push_back(handle);
      for (unsigned long port = 0; port < type->PortCount; ++port) {
        if (LADSPA_IS_PORT_CONTROL(type->PortDescriptors[port]))
          type->connect_port(handle, port, &values[port]);
      }
      for (size_t at = 0; at < ins.size(); ++at) inputs.push_back({handle, ins[at], int(i + at)});
      for (size_t at = 0; at < outs.size(); ++at)
        outputs.push_back({handle, outs[at], int(i + at)});
    }
    for (auto &control : which.controls) {
      if (control.port && control.is_fixed) put(control.port, float(control.value));
    }
  }

  ~Host() {
    for (auto handle : handles) {
      if (isActive && type->deactivate) type->deactivate(handle);
      type->cleanup(handle);
    }
  }

  void set(effect_key key, double value) {
    for (auto &control : which.controls) {
      if (control.port && !control.is_fixed && control.key == key)
        put(control.port, scaled(control.by, value));
    }
  }

  void process(const float *const *in, float *const *out, int frames) {
    if (sums) {
      for (int i = 0; i < frames; ++i) sum[size_t(i)] = 0.5f * (in[0][i] + in[1][i]);
    }
    for (auto &to : inputs)
      type->connect_port(to.handle, to.port, sums ? sum.data() : const_cast<float *>(in[to.side]));
    for (auto &from : outputs) type->connect_port(from.handle, from.port, out[from.side]);
    if (!isActive) {
      isActive = true;
      for (auto handle : handles) {
        if (type->activate) type->activate(handle);
      }
    }
    for (auto handle : handles) type->run(handle, static_cast<unsigned long>(frames));
  }

  long delay() const {
    for (unsigned long port = 0; port < type->PortCount; ++port) {
      if (!std::strcmp(type->PortNames[port], "latency")) return long(values[port]);
    }
    return -1;
  }

 private:
  struct Place {
    LADSPA_Handle handle;
    unsigned long port;
    int side;
  };

  static float initial(const LADSPA_PortRangeHint &hint, double rate) {
    auto kind = hint.HintDescriptor;
    float by = LADSPA_IS_HINT_SAMPLE_RATE(kind) ? float(rate) : 1;
    float low = hint.LowerBound * by, high = hint.UpperBound * by;
    switch (kind & LADSPA_HINT_DEFAULT_MASK) {
      case LADSPA_HINT_DEFAULT_MINIMUM: return low;
      case LADSPA_HINT_DEFAULT_LOW: return 0.75f * low + 0.25f * high;
      case LADSPA_HINT_DEFAULT_MIDDLE: return 0.5f * low + 0.5f * high;
      case LADSPA_HINT_DEFAULT_HIGH: return 0.25f * low + 0.75f * high;
      case LADSPA_HINT_DEFAULT_MAXIMUM: return high;
      case LADSPA_HINT_DEFAULT_1: return 1;
      case LADSPA_HINT_DEFAULT_100: return 100;
      case LADSPA_HINT_DEFAULT_440: return 440;
      default: return 0;
    }
  }

  // Names may have units after them.
  void put(const char *name, float value) {
    for (unsigned long port = 0; port < type->PortCount; ++port) {
      if (LADSPA_IS_PORT_CONTROL(type->PortDescriptors[port]) &&
          !std::strncmp(type->PortNames[port], name, std::strlen(name)))
        values[port] = value;
    }
  }

  const plugin &which;
  const LADSPA_Descriptor *type;
  std::vector<LADSPA_Data> values, sum;
  std::vector<LADSPA_Handle> handles;
  std::vector<Place> inputs, outputs;
  bool sums = false, isActive = false;
};

const LADSPA_Descriptor *types[most];

template <int index>
void *make(double rate, int block) {
  return new Host(plugins[index], types[index], rate, block);
}
void set(void *self, effect_key key, double value) { static_cast<Host *>(self)->set(key, value); }
void process(void *self, const float *const *in, float *const *out, int frames) {
  static_cast<Host *>(self)->process(in, out, frames);
}
void end(void *self) { delete static_cast<Host *>(self); }
long delay(void *self) { return static_cast<Host *>(self)->delay(); }

effect found[most];
int foundCount;

// A C function can't capture an index, so each plugin has its own factory.
template <int index = 0>
void find() {
  if constexpr (index < most) {
    types[index] = descriptor(plugins[index]);
    if (types[index])
      found[foundCount++] = {plugins[index].name, plugins[index].kinds, make<index>, set, process,
                             end, nullptr, delay};
    find<index + 1>();
  }
}

}  // namespace

const effect *peer_effects(int *count) {
  if (foundCount == 0) find();
  *count = foundCount;
  return found;
}
