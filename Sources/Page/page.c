#include "CPage.h"

// All files of `web`; a test finds a missing one.

static const unsigned char icon_png[] = {
#embed "web/icon.png"
};
static const unsigned char icon_svg[] = {
#embed "web/icon.svg"
};
static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char link_files_js[] = {
#embed "web/link/files.js"
};
static const unsigned char link_osc_js[] = {
#embed "web/link/osc.js"
};
static const unsigned char link_socket_js[] = {
#embed "web/link/socket.js"
};
static const unsigned char link_subscription_js[] = {
#embed "web/link/subscription.js"
};
static const unsigned char link_token_js[] = {
#embed "web/link/token.js"
};
static const unsigned char main_js[] = {
#embed "web/main.js"
};
static const unsigned char map_map_css[] = {
#embed "web/map/map.css"
};
static const unsigned char map_map_js[] = {
#embed "web/map/map.js"
};
static const unsigned char more_css[] = {
#embed "web/more.css"
};
static const unsigned char outline_json[] = {
#embed "web/outline.json"
};
static const unsigned char page_css[] = {
#embed "web/page.css"
};
static const unsigned char page_webmanifest[] = {
#embed "web/page.webmanifest"
};
static const unsigned char pages_feed_js[] = {
#embed "web/pages/feed.js"
};
static const unsigned char pages_grid_js[] = {
#embed "web/pages/grid.js"
};
static const unsigned char pages_guard_js[] = {
#embed "web/pages/guard.js"
};
static const unsigned char pages_loop_js[] = {
#embed "web/pages/loop.js"
};
static const unsigned char pages_loopset_js[] = {
#embed "web/pages/loopset.js"
};
static const unsigned char pages_rig_js[] = {
#embed "web/pages/rig.js"
};
static const unsigned char pages_slots_js[] = {
#embed "web/pages/slots.js"
};
static const unsigned char pages_songs_js[] = {
#embed "web/pages/songs.js"
};
static const unsigned char pages_species_js[] = {
#embed "web/pages/species.js"
};
static const unsigned char pages_stage_js[] = {
#embed "web/pages/stage.js"
};
static const unsigned char pages_takes_js[] = {
#embed "web/pages/takes.js"
};
static const unsigned char pages_trash_js[] = {
#embed "web/pages/trash.js"
};
static const unsigned char pages_tuner_js[] = {
#embed "web/pages/tuner.js"
};
static const unsigned char pages_voice_js[] = {
#embed "web/pages/voice.js"
};
static const unsigned char parts_awake_js[] = {
#embed "web/parts/awake.js"
};
static const unsigned char parts_beat_js[] = {
#embed "web/parts/beat.js"
};
static const unsigned char parts_choice_js[] = {
#embed "web/parts/choice.js"
};
static const unsigned char parts_complete_js[] = {
#embed "web/parts/complete.js"
};
static const unsigned char parts_fader_js[] = {
#embed "web/parts/fader.js"
};
static const unsigned char parts_field_js[] = {
#embed "web/parts/field.js"
};
static const unsigned char parts_flag_js[] = {
#embed "web/parts/flag.js"
};
static const unsigned char parts_keys_js[] = {
#embed "web/parts/keys.js"
};
static const unsigned char parts_lock_js[] = {
#embed "web/parts/lock.js"
};
static const unsigned char parts_make_js[] = {
#embed "web/parts/make.js"
};
static const unsigned char parts_meter_js[] = {
#embed "web/parts/meter.js"
};
static const unsigned char parts_notice_js[] = {
#embed "web/parts/notice.js"
};
static const unsigned char parts_pad_js[] = {
#embed "web/parts/pad.js"
};
static const unsigned char parts_pedal_js[] = {
#embed "web/parts/pedal.js"
};
static const unsigned char parts_pick_js[] = {
#embed "web/parts/pick.js"
};
static const unsigned char parts_picture_js[] = {
#embed "web/parts/picture.js"
};
static const unsigned char parts_press_js[] = {
#embed "web/parts/press.js"
};
static const unsigned char parts_sheet_js[] = {
#embed "web/parts/sheet.js"
};
static const unsigned char parts_stepper_js[] = {
#embed "web/parts/stepper.js"
};
static const unsigned char parts_surface_js[] = {
#embed "web/parts/surface.js"
};
static const unsigned char parts_tap_js[] = {
#embed "web/parts/tap.js"
};
static const unsigned char parts_wave_js[] = {
#embed "web/parts/wave.js"
};
static const unsigned char store_clock_js[] = {
#embed "web/store/clock.js"
};
static const unsigned char store_looks_js[] = {
#embed "web/store/looks.js"
};
static const unsigned char store_loops_js[] = {
#embed "web/store/loops.js"
};
static const unsigned char store_pending_js[] = {
#embed "web/store/pending.js"
};
static const unsigned char store_pictures_js[] = {
#embed "web/store/pictures.js"
};
static const unsigned char store_posts_js[] = {
#embed "web/store/posts.js"
};
static const unsigned char store_species_js[] = {
#embed "web/store/species.js"
};
static const unsigned char store_table_js[] = {
#embed "web/store/table.js"
};
static const unsigned char store_takes_js[] = {
#embed "web/store/takes.js"
};
static const unsigned char store_units_js[] = {
#embed "web/store/units.js"
};
static const unsigned char store_values_js[] = {
#embed "web/store/values.js"
};

static const struct page_file files[] = {
    {"icon.png", icon_png, sizeof icon_png},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"link/files.js", link_files_js, sizeof link_files_js},
    {"link/osc.js", link_osc_js, sizeof link_osc_js},
    {"link/socket.js", link_socket_js, sizeof link_socket_js},
    {"link/subscription.js", link_subscription_js, sizeof link_subscription_js},
    {"link/token.js", link_token_js, sizeof link_token_js},
    {"main.js", main_js, sizeof main_js},
    {"map/map.css", map_map_css, sizeof map_map_css},
    {"map/map.js", map_map_js, sizeof map_map_js},
    {"more.css", more_css, sizeof more_css},
    {"outline.json", outline_json, sizeof outline_json},
    {"page.css", page_css, sizeof page_css},
    {"page.webmanifest", page_webmanifest, sizeof page_webmanifest},
    {"pages/feed.js", pages_feed_js, sizeof pages_feed_js},
    {"pages/grid.js", pages_grid_js, sizeof pages_grid_js},
    {"pages/guard.js", pages_guard_js, sizeof pages_guard_js},
    {"pages/loop.js", pages_loop_js, sizeof pages_loop_js},
    {"pages/loopset.js", pages_loopset_js, sizeof pages_loopset_js},
    {"pages/rig.js", pages_rig_js, sizeof pages_rig_js},
    {"pages/slots.js", pages_slots_js, sizeof pages_slots_js},
    {"pages/songs.js", pages_songs_js, sizeof pages_songs_js},
    {"pages/species.js", pages_species_js, sizeof pages_species_js},
    {"pages/stage.js", pages_stage_js, sizeof pages_stage_js},
    {"pages/takes.js", pages_takes_js, sizeof pages_takes_js},
    {"pages/trash.js", pages_trash_js, sizeof pages_trash_js},
    {"pages/tuner.js", pages_tuner_js, sizeof pages_tuner_js},
    {"pages/voice.js", pages_voice_js, sizeof pages_voice_js},
    {"parts/awake.js", parts_awake_js, sizeof parts_awake_js},
    {"parts/beat.js", parts_beat_js, sizeof parts_beat_js},
    {"parts/choice.js", parts_choice_js, sizeof parts_choice_js},
    {"parts/complete.js", parts_complete_js, sizeof parts_complete_js},
    {"parts/fader.js", parts_fader_js, sizeof parts_fader_js},
    {"parts/field.js", parts_field_js, sizeof parts_field_js},
    {"parts/flag.js", parts_flag_js, sizeof parts_flag_js},
    {"parts/keys.js", parts_keys_js, sizeof parts_keys_js},
    {"parts/lock.js", parts_lock_js, sizeof parts_lock_js},
    {"parts/make.js", parts_make_js, sizeof parts_make_js},
    {"parts/meter.js", parts_meter_js, sizeof parts_meter_js},
    {"parts/notice.js", parts_notice_js, sizeof parts_notice_js},
    {"parts/pad.js", parts_pad_js, sizeof parts_pad_js},
    {"parts/pedal.js", parts_pedal_js, sizeof parts_pedal_js},
    {"parts/pick.js", parts_pick_js, sizeof parts_pick_js},
    {"parts/picture.js", parts_picture_js, sizeof parts_picture_js},
    {"parts/press.js", parts_press_js, sizeof parts_press_js},
    {"parts/sheet.js", parts_sheet_js, sizeof parts_sheet_js},
    {"parts/stepper.js", parts_stepper_js, sizeof parts_stepper_js},
    {"parts/surface.js", parts_surface_js, sizeof parts_surface_js},
    {"parts/tap.js", parts_tap_js, sizeof parts_tap_js},
    {"parts/wave.js", parts_wave_js, sizeof parts_wave_js},
    {"store/clock.js", store_clock_js, sizeof store_clock_js},
    {"store/looks.js", store_looks_js, sizeof store_looks_js},
    {"store/loops.js", store_loops_js, sizeof store_loops_js},
    {"store/pending.js", store_pending_js, sizeof store_pending_js},
    {"store/pictures.js", store_pictures_js, sizeof store_pictures_js},
    {"store/posts.js", store_posts_js, sizeof store_posts_js},
    {"store/species.js", store_species_js, sizeof store_species_js},
    {"store/table.js", store_table_js, sizeof store_table_js},
    {"store/takes.js", store_takes_js, sizeof store_takes_js},
    {"store/units.js", store_units_js, sizeof store_units_js},
    {"store/values.js", store_values_js, sizeof store_values_js},
};

const size_t page_files_count = sizeof files / sizeof files[0];

struct page_file page_file(size_t index) { return files[index]; }
