#include "CLayoutScripts.h"

// All files of `lua`; a test finds a missing one.

static const unsigned char face_lua[] = {
#embed "lua/face.lua"
};
static const unsigned char fader_curve_lua[] = {
#embed "lua/fader-curve.lua"
};
static const unsigned char fader_linear_lua[] = {
#embed "lua/fader-linear.lua"
};
static const unsigned char press_lua[] = {
#embed "lua/press.lua"
};
static const unsigned char root_choices_lua[] = {
#embed "lua/root/choices.lua"
};
static const unsigned char root_connection_lua[] = {
#embed "lua/root/connection.lua"
};
static const unsigned char root_entry_lua[] = {
#embed "lua/root/entry.lua"
};
static const unsigned char root_grid_lua[] = {
#embed "lua/root/grid.lua"
};
static const unsigned char root_ground_lua[] = {
#embed "lua/root/ground.lua"
};
static const unsigned char root_loops_lua[] = {
#embed "lua/root/loops.lua"
};
static const unsigned char root_meters_lua[] = {
#embed "lua/root/meters.lua"
};
static const unsigned char root_names_lua[] = {
#embed "lua/root/names.lua"
};
static const unsigned char root_player_lua[] = {
#embed "lua/root/player.lua"
};
static const unsigned char root_posts_lua[] = {
#embed "lua/root/posts.lua"
};
static const unsigned char root_presets_lua[] = {
#embed "lua/root/presets.lua"
};
static const unsigned char root_presses_lua[] = {
#embed "lua/root/presses.lua"
};
static const unsigned char root_songs_lua[] = {
#embed "lua/root/songs.lua"
};
static const unsigned char root_takes_lua[] = {
#embed "lua/root/takes.lua"
};

static const struct layout_script scripts[] = {
    {"face.lua", face_lua, sizeof face_lua},
    {"fader-curve.lua", fader_curve_lua, sizeof fader_curve_lua},
    {"fader-linear.lua", fader_linear_lua, sizeof fader_linear_lua},
    {"press.lua", press_lua, sizeof press_lua},
    {"root/choices.lua", root_choices_lua, sizeof root_choices_lua},
    {"root/connection.lua", root_connection_lua, sizeof root_connection_lua},
    {"root/entry.lua", root_entry_lua, sizeof root_entry_lua},
    {"root/grid.lua", root_grid_lua, sizeof root_grid_lua},
    {"root/ground.lua", root_ground_lua, sizeof root_ground_lua},
    {"root/loops.lua", root_loops_lua, sizeof root_loops_lua},
    {"root/meters.lua", root_meters_lua, sizeof root_meters_lua},
    {"root/names.lua", root_names_lua, sizeof root_names_lua},
    {"root/player.lua", root_player_lua, sizeof root_player_lua},
    {"root/posts.lua", root_posts_lua, sizeof root_posts_lua},
    {"root/presets.lua", root_presets_lua, sizeof root_presets_lua},
    {"root/presses.lua", root_presses_lua, sizeof root_presses_lua},
    {"root/songs.lua", root_songs_lua, sizeof root_songs_lua},
    {"root/takes.lua", root_takes_lua, sizeof root_takes_lua},
};

const size_t layout_scripts_count = sizeof scripts / sizeof scripts[0];

struct layout_script layout_script(size_t index) { return scripts[index]; }
