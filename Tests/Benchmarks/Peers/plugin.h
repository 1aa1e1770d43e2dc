// Shared by the hosts of LADSPA and LV2 plugins: the plugins and their settings.
#pragma once

#include <cmath>

#include "effect.h"

// The conversion of a parameter's value to the plugin's.
enum class scale { same, ratio, milliseconds, percent, decibels, gain };

struct control {
  const char *port;
  // Fixed at `value` …
  bool is_fixed;
  double value;
  // … or set by this key.
  effect_key key;
  scale by;
};

inline control fixed(const char *port, double value) { return {port, true, value, {}, {}}; }
inline control set_by(effect_key key, const char *port, scale by = scale::same) {
  return {port, false, 0, key, by};
}

inline float scaled(scale by, double value) {
  switch (by) {
    case scale::same: return float(value);
    case scale::ratio: return float(std::exp2(value / 12));
    case scale::milliseconds: return float(value * 1000);
    case scale::percent: return float(value * 100);
    case scale::gain: return float(std::pow(10, value / 20));
    case scale::decibels: return float(value > 0 ? 20 * std::log10(value) : -70);
  }
  return 0;
}

struct plugin {
  const char *name;
  int kinds;
  // LADSPA: the file and its label. LV2: the folder and the URI.
  const char *file, *label;
  control controls[24];
};
