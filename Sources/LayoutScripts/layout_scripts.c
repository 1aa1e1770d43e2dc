#include "CLayoutScripts.h"

#include <string.h>

// All files of `lua`; a test finds a missing one.
static const char *const names[] = {
    "face.lua", "fader-curve.lua", "fader-linear.lua", "press.lua", "root/choices.lua",
    "root/connection.lua", "root/entry.lua", "root/grid.lua", "root/ground.lua", "root/loops.lua",
    "root/meters.lua", "root/names.lua", "root/player.lua", "root/posts.lua", "root/presets.lua",
    "root/presses.lua", "root/scenes.lua", "root/songs.lua", "root/takes.lua",
};

// Their texts in the same order, each with a 0 at its end. No text contains 0.
static const unsigned char texts[] = {
#embed "lua/face.lua" suffix(, 0, )
#embed "lua/fader-curve.lua" suffix(, 0, )
#embed "lua/fader-linear.lua" suffix(, 0, )
#embed "lua/press.lua" suffix(, 0, )
#embed "lua/root/choices.lua" suffix(, 0, )
#embed "lua/root/connection.lua" suffix(, 0, )
#embed "lua/root/entry.lua" suffix(, 0, )
#embed "lua/root/grid.lua" suffix(, 0, )
#embed "lua/root/ground.lua" suffix(, 0, )
#embed "lua/root/loops.lua" suffix(, 0, )
#embed "lua/root/meters.lua" suffix(, 0, )
#embed "lua/root/names.lua" suffix(, 0, )
#embed "lua/root/player.lua" suffix(, 0, )
#embed "lua/root/posts.lua" suffix(, 0, )
#embed "lua/root/presets.lua" suffix(, 0, )
#embed "lua/root/presses.lua" suffix(, 0, )
#embed "lua/root/scenes.lua" suffix(, 0, )
#embed "lua/root/songs.lua" suffix(, 0, )
#embed "lua/root/takes.lua" suffix(, 0, )
};

const size_t layout_scripts_count = sizeof names / sizeof names[0];

void layout_scripts(struct layout_script *scripts) {
  const unsigned char *bytes = texts;
  for (size_t index = 0; index < layout_scripts_count; index++) {
    const size_t count = strlen((const char *)bytes);
    scripts[index] = (struct layout_script){names[index], bytes, count};
    bytes += count + 1;
  }
}
