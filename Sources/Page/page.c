#include "CPage.h"

#include <string.h>

// All files of `web`: the texts, and the icon last. A test finds a missing one.
static const char *const names[] = {
    "icon.svg", "index.html", "link/files.js", "link/osc.js", "link/socket.js",
    "link/subscription.js", "link/token.js", "main.js", "map/map.css", "map/map.js", "more.css",
    "outline.json", "page.css", "page.webmanifest", "pages/changes.js", "pages/feed.js", "pages/grid.js",
    "pages/gridset.js", "pages/guard.js", "pages/harmony.js", "pages/loop.js", "pages/loopset.js", "pages/phrase.js",
    "pages/play.js", "pages/recorder.js", "pages/rig.js", "pages/scales.js", "pages/scenes.js",
    "pages/session.js", "pages/slots.js",
    "pages/songs.js", "pages/source.js", "pages/species.js", "pages/stage.js", "pages/takes.js",
    "pages/trash.js",
    "pages/tune.js", "pages/tuner.js", "pages/voice.js", "parts/announce.js", "parts/awake.js", "parts/beat.js", "parts/choice.js",
    "parts/clip.js", "parts/complete.js", "parts/controls.js", "parts/drawings.js",
    "parts/fader.js", "parts/field.js", "parts/flag.js", "parts/hold.js", "parts/icons.js", "parts/keys.js",
    "parts/lock.js", "parts/make.js", "parts/meter.js", "parts/notice.js", "parts/pad.js",
    "parts/pedal.js", "parts/pick.js", "parts/picture.js", "parts/press.js", "parts/recording.js",
    "parts/release.js", "parts/rows.js", "parts/sheet.js", "parts/shortcuts.js", "parts/stepper.js", "parts/surface.js", "parts/tap.js",
    "parts/views.js", "parts/wave.js", "store/clock.js", "store/kept.js", "store/looks.js",
    "store/loops.js", "store/paged.js", "store/pending.js", "store/pictures.js", "store/posts.js",
    "store/species.js", "store/table.js", "store/takes.js", "store/units.js", "store/values.js",
    "icon.png",
};

// Their contents in the same order, each text with a 0 at its end. No text contains 0.
static const unsigned char contents[] = {
#embed "web/icon.svg" suffix(, 0, )
#embed "web/index.html" suffix(, 0, )
#embed "web/link/files.js" suffix(, 0, )
#embed "web/link/osc.js" suffix(, 0, )
#embed "web/link/socket.js" suffix(, 0, )
#embed "web/link/subscription.js" suffix(, 0, )
#embed "web/link/token.js" suffix(, 0, )
#embed "web/main.js" suffix(, 0, )
#embed "web/map/map.css" suffix(, 0, )
#embed "web/map/map.js" suffix(, 0, )
#embed "web/more.css" suffix(, 0, )
#embed "web/outline.json" suffix(, 0, )
#embed "web/page.css" suffix(, 0, )
#embed "web/page.webmanifest" suffix(, 0, )
#embed "web/pages/changes.js" suffix(, 0, )
#embed "web/pages/feed.js" suffix(, 0, )
#embed "web/pages/grid.js" suffix(, 0, )
#embed "web/pages/gridset.js" suffix(, 0, )
#embed "web/pages/guard.js" suffix(, 0, )
#embed "web/pages/harmony.js" suffix(, 0, )
#embed "web/pages/loop.js" suffix(, 0, )
#embed "web/pages/loopset.js" suffix(, 0, )
#embed "web/pages/phrase.js" suffix(, 0, )
#embed "web/pages/play.js" suffix(, 0, )
#embed "web/pages/recorder.js" suffix(, 0, )
#embed "web/pages/rig.js" suffix(, 0, )
#embed "web/pages/scales.js" suffix(, 0, )
#embed "web/pages/scenes.js" suffix(, 0, )
#embed "web/pages/session.js" suffix(, 0, )
#embed "web/pages/slots.js" suffix(, 0, )
#embed "web/pages/songs.js" suffix(, 0, )
#embed "web/pages/source.js" suffix(, 0, )
#embed "web/pages/species.js" suffix(, 0, )
#embed "web/pages/stage.js" suffix(, 0, )
#embed "web/pages/takes.js" suffix(, 0, )
#embed "web/pages/trash.js" suffix(, 0, )
#embed "web/pages/tune.js" suffix(, 0, )
#embed "web/pages/tuner.js" suffix(, 0, )
#embed "web/pages/voice.js" suffix(, 0, )
#embed "web/parts/announce.js" suffix(, 0, )
#embed "web/parts/awake.js" suffix(, 0, )
#embed "web/parts/beat.js" suffix(, 0, )
#embed "web/parts/choice.js" suffix(, 0, )
#embed "web/parts/clip.js" suffix(, 0, )
#embed "web/parts/complete.js" suffix(, 0, )
#embed "web/parts/controls.js" suffix(, 0, )
#embed "web/parts/drawings.js" suffix(, 0, )
#embed "web/parts/fader.js" suffix(, 0, )
#embed "web/parts/field.js" suffix(, 0, )
#embed "web/parts/flag.js" suffix(, 0, )
#embed "web/parts/hold.js" suffix(, 0, )
#embed "web/parts/icons.js" suffix(, 0, )
#embed "web/parts/keys.js" suffix(, 0, )
#embed "web/parts/lock.js" suffix(, 0, )
#embed "web/parts/make.js" suffix(, 0, )
#embed "web/parts/meter.js" suffix(, 0, )
#embed "web/parts/notice.js" suffix(, 0, )
#embed "web/parts/pad.js" suffix(, 0, )
#embed "web/parts/pedal.js" suffix(, 0, )
#embed "web/parts/pick.js" suffix(, 0, )
#embed "web/parts/picture.js" suffix(, 0, )
#embed "web/parts/press.js" suffix(, 0, )
#embed "web/parts/recording.js" suffix(, 0, )
#embed "web/parts/release.js" suffix(, 0, )
#embed "web/parts/rows.js" suffix(, 0, )
#embed "web/parts/sheet.js" suffix(, 0, )
#embed "web/parts/shortcuts.js" suffix(, 0, )
#embed "web/parts/stepper.js" suffix(, 0, )
#embed "web/parts/surface.js" suffix(, 0, )
#embed "web/parts/tap.js" suffix(, 0, )
#embed "web/parts/views.js" suffix(, 0, )
#embed "web/parts/wave.js" suffix(, 0, )
#embed "web/store/clock.js" suffix(, 0, )
#embed "web/store/kept.js" suffix(, 0, )
#embed "web/store/looks.js" suffix(, 0, )
#embed "web/store/loops.js" suffix(, 0, )
#embed "web/store/paged.js" suffix(, 0, )
#embed "web/store/pending.js" suffix(, 0, )
#embed "web/store/pictures.js" suffix(, 0, )
#embed "web/store/posts.js" suffix(, 0, )
#embed "web/store/species.js" suffix(, 0, )
#embed "web/store/table.js" suffix(, 0, )
#embed "web/store/takes.js" suffix(, 0, )
#embed "web/store/units.js" suffix(, 0, )
#embed "web/store/values.js" suffix(, 0, )
#embed "web/icon.png"
};

const size_t page_files_count = sizeof names / sizeof names[0];

void page_files(struct page_file *files) {
  const unsigned char *bytes = contents;
  for (size_t index = 0; index < page_files_count; index++) {
    const int isIcon = index + 1 == page_files_count;
    const size_t count =
        isIcon ? (size_t)(contents + sizeof contents - bytes) : strlen((const char *)bytes);
    files[index] = (struct page_file){names[index], bytes, count};
    bytes += count + 1;
  }
}
