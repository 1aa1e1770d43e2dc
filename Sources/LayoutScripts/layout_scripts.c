#include "CLayoutScripts.h"

#include <string.h>

// All files of `lua`; a test finds a missing one.
static const struct layout_script scripts[] = {
#define SCRIPT "lua/face.lua"
#include "script.inc"
#define SCRIPT "lua/fader-curve.lua"
#include "script.inc"
#define SCRIPT "lua/fader-linear.lua"
#include "script.inc"
#define SCRIPT "lua/press.lua"
#include "script.inc"
#define SCRIPT "lua/root/choices.lua"
#include "script.inc"
#define SCRIPT "lua/root/connection.lua"
#include "script.inc"
#define SCRIPT "lua/root/entry.lua"
#include "script.inc"
#define SCRIPT "lua/root/grid.lua"
#include "script.inc"
#define SCRIPT "lua/root/ground.lua"
#include "script.inc"
#define SCRIPT "lua/root/loops.lua"
#include "script.inc"
#define SCRIPT "lua/root/meters.lua"
#include "script.inc"
#define SCRIPT "lua/root/names.lua"
#include "script.inc"
#define SCRIPT "lua/root/player.lua"
#include "script.inc"
#define SCRIPT "lua/root/posts.lua"
#include "script.inc"
#define SCRIPT "lua/root/presets.lua"
#include "script.inc"
#define SCRIPT "lua/root/presses.lua"
#include "script.inc"
#define SCRIPT "lua/root/songs.lua"
#include "script.inc"
#define SCRIPT "lua/root/takes.lua"
#include "script.inc"
};

const size_t layout_scripts_count = sizeof scripts / sizeof scripts[0];

struct layout_script layout_script(size_t index) {
  struct layout_script script = scripts[index];
  // No script contains 0.
  script.count = strlen((const char *)script.bytes);
  return script;
}
