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

/// Writes all scripts to an array with room for them.
void layout_scripts(struct layout_script *_Nonnull scripts);
