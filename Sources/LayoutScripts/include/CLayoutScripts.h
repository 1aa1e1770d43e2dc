#pragma once

#include <stddef.h>

/// A Lua script of the TouchOSC layouts.
struct layout_script {
  /// Its file name in `lua`.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
};

extern const size_t layout_scripts_count;

/// Returns the script with an index.
struct layout_script layout_script(size_t index);
