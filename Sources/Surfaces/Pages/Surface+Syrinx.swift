package import Control

extension Surface {
  /// The default number of a node's loops.
  package static let usualLoops = 4
  /// The default length of the longest loop, in seconds.
  package static let usualSeconds = 10.0

  /// Makes the surface for a node with a number of loops: the controls for a stage.
  package static func syrinx(
    loops: Int = usualLoops, _ table: AddressTable = .widest
  ) throws(SurfaceFault) -> Surface {
    try Surface(
      pages: [.voice(table), .presets(table)] + SurfacePage.loops(loops, table) + [
        .chosen(loops, table), .loop(table), .grid, .piano(table), .takes, .mix(table), .feed,
        .scale(table), .menu(table), .timing(loops, table), .scenes(table),
      ])
  }
}

extension SurfacePage {
  /// Makes the page of the effects: presets as buttons, and faders.
  static func voice(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table, accent: .voice)
    func preset(_ name: String) throws(SurfaceFault) -> SurfaceControl {
      try control.choice("/preset", .text(name), name)
    }
    return try SurfacePage(
      "Voice",
      Block(
        Row(1, preset("chipmunk"), preset("vader"), preset("snail"), preset("rabbit")),
        Row(
          1, preset("echo"), preset("reverb"), preset("dry"),
          control(.flag, "/chain/bypass", accent: .danger)),
        Row(
          1, control(.fader, "/pitch/semitones", "pitch", width: 4),
          control.choice("/pitch/semitones", .number(0), "pitch-none", "0")),
        Row(
          1, control(.fader, "/stretch/rate", width: 4),
          control.choice("/stretch/rate", .number(1), "rate-none", "1"))),
      Block(
        Row(
          1, control(.flag, "/echo/on", "echo-on", "Echo"),
          control(.fader, "/echo/mix", "echo-mix", "Echo mix", width: 4)),
        Row(
          1, control(.fader, "/echo/time", "echo-time", "Time"),
          control(.fader, "/echo/feedback", "echo-feedback", "Feedback")),
        Row(
          1, control(.flag, "/reverb/on", "reverb-on", "Reverb"),
          control(.fader, "/reverb/mix", "reverb-mix", "Reverb mix", width: 4)),
        Row(
          1, control(.fader, "/reverb/decay", "reverb-decay", "Decay"),
          control(.fader, "/reverb/size", "reverb-size", "Size"))))
  }

  /// Makes the page of the presets: all of them, and the user's own.
  static func presets(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table, accent: .voice)
    let saves = SurfaceControl.ownPresets.enumerated().map { index, name in
      SurfaceControl("save-\(index + 1)", name, .script("preset \(index + 1)"), accent: .record)
    }
    let delete = SurfaceControl("delete", "Delete", .script("preset 0"), accent: .danger)
    return try SurfacePage(
      "Presets",
      Block(Row(4, control.names("/presets", "/preset", "all", "Preset"))),
      Block(
        Row(3, control.names("/presets/own", "/preset", "own", "Own", rows: 2)),
        Row(1, of: saves + [delete])))
  }

  /// Makes the page of the player, which is the first loop.
  static func loop(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table, accent: .loop)
    return try SurfacePage(
      "Loop",
      Block(
        Row(
          1.2, control(.press, "/player/record", accent: .record),
          control(.press, "/player/play", accent: .play)),
        Row(
          1, control(.press, "/loop/overdub", accent: .overdub), control(.press, "/loop/undo"),
          control(.press, "/loop/redo"), control(.press, "/player/stop")),
        Row(0.5, SurfaceControl("state", "", .text)),
        Row(1, control(.fader, "/player/position"))),
      Block(
        Row(
          1, control(.press, "/player/rewind"), control(.press, "/player/pause"),
          control(.press, "/player/forward"), control(.press, "/loop/clear", accent: .danger)),
        // Not next to Clear.
        Row(
          1, control(.press, "/take/save", "keep", "Save as take", width: 2, accent: .plain),
          control(.flag, "/player/loop", "repeat", accent: .plain), control(.press, "/player/done")),
        Row(
          1, control(.fader, "/loop/semitones", nil, "Pitch"),
          control(.fader, "/loop/rate", "loop-rate", "Rate")),
        Row(
          1, control(.fader, "/loop/feedback", "keep-under", "Feedback"),
          control(.fader, "/loop/gain", "loop-gain", "Gain"))))
  }

  /// The page of the grid, at full size.
  static var grid: SurfacePage {
    SurfacePage("Grid", Block(Row(1, SurfaceControl("cells", "", .grid(rows: 16, columns: 12)))))
  }

  /// Makes the page of the piano: seven white keys and a phrase.
  static func piano(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table)
    let names = ["C", "D", "E", "F", "G", "A", "B"]
    return try SurfacePage(
      "Piano",
      Block(
        Row(
          1, control(.stepper, "/piano/octave", width: 2),
          control(.flag, "/grid/sustain", accent: .play)),
        Row(
          5.6,
          of: names.enumerated().map { index, name throws(SurfaceFault) in
            try control(.key, "/piano/\(index + 1)", "key-\(index + 1)", name, accent: .white)
          }),
        Row(
          1, control(.press, "/phrase/record", "phrase-record", "Record", accent: .record),
          control(.press, "/phrase/play", "phrase-play", "Play", accent: .play),
          control(.press, "/phrase/stop", "phrase-stop", "Stop"),
          control(.flag, "/phrase/follow", "phrase-follow", "In tempo")),
        Row(0.6, SurfaceControl("phrase", "", .text))))
  }

  /// The page of the takes, newest first.
  static var takes: SurfacePage {
    let rows = (1...SurfaceScreen.takes).map {
      Row(1, SurfaceControl("take-\($0)", "", .take(row: $0)))
    }
    // The script steps through the known species instead of a title "Species".
    let titles = ["Intro", "Verse", "Chorus", "Species", ""]
    return list(
      "Takes", SurfaceControl("newer", "Newer", .script("turn takes -1")),
      SurfaceControl("pages", "", .text, width: 2),
      SurfaceControl("older", "Older", .script("turn takes 1")), rows,
      SurfaceControl("title", "Title", .words(titles)))
  }

  /// Makes the page of the levels, songs and captures.
  static func mix(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table)
    func song(
      _ name: String, _ accent: SurfaceControl.Accent = .loop
    ) throws(SurfaceFault) -> SurfaceControl {
      try control(.press, "/music/\(name)", "song-\(name)", name.asCaption, accent: accent)
    }
    func gain(_ name: String, _ caption: String) throws(SurfaceFault) -> SurfaceControl {
      try control(.fader, "/\(name)/gain", "\(name)-gain", caption)
    }
    return try SurfacePage(
      "Mix",
      Block(
        Row(0.5, SurfaceControl("song", "", .text)),
        Row(1, song("previous"), song("play", .play), song("stop"), song("next")),
        Row(0.5, SurfaceControl("captured", "", .text)),
        Row(
          1, control(.flag, "/capture/on", "capture", width: 2, accent: .record),
          control.choice("/capture/source", .text("out"), "capture-out", "Output"),
          control.choice("/capture/source", .text("in"), "capture-in", "Input"))),
      Block(
        Row(
          1, SurfaceControl("scenes", "Scenes", .page("Scenes")),
          control(.flag, "/music/follow", "song-follow", "Songs in tempo")),
        Row(
          1, control(.flag, "/gate/on", "gate", "Gate"),
          control(.flag, "/level/on", "level", "Level"),
          control(.flag, "/guard/on", "guard", "Feedback guard")),
        Row(
          1,
          of: (1...4).map { number throws(SurfaceFault) in
            try control(.flag, "/harmony/\(number)/on", "harmony-\(number)", "Harmony \(number)")
          }),
        Row(1, gain("in", "Input"), gain("live", "Live"), gain("harmony", "Harmonies")),
        Row(1, gain("grid", "Grid"), gain("music", "Songs"), gain("out", "Output"))))
  }

  /// The page of the feed: posts, newest first, and buttons that post the loop without text and stop a post.
  static var feed: SurfacePage {
    let rows = (1...SurfaceScreen.posts).map {
      Row(1, SurfaceControl("post-\($0)", "", .post(row: $0)))
    }
    return list(
      "Feed", SurfaceControl("newer", "Newer", .script("posts newer")),
      SurfaceControl("waiting", "", .text, width: 2),
      SurfaceControl("older", "Older", .script("posts older")), rows,
      SurfaceControl(
        "post-clip", "Post the loop", .script("posts clip"), width: 2, accent: .record),
      SurfaceControl("stop-post", "Stop", .script("posts stop")))
  }

  // A list to page through.
  private static func list(
    _ name: String, _ newer: SurfaceControl, _ text: SurfaceControl, _ older: SurfaceControl,
    _ rows: [Row], _ last: SurfaceControl...
  ) -> SurfacePage {
    SurfacePage(name, Block(rows: [Row(1, newer, text, older)] + rows + [Row(1, of: last)]))
  }

  /// Makes the page of scenes, set list and parts.
  static func scenes(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table, accent: .voice)
    func moment(_ word: String, _ caption: String) throws(SurfaceFault) -> SurfaceControl {
      try control.choice("/scene/at", .text(word), "at-\(word)", caption)
    }
    func part(_ number: Int) throws(SurfaceFault) -> SurfaceControl {
      try control.choice(
        "/part", .number(Float(number)), "part-\(number)",
        number == 0 ? "No part" : "Part \(number)")
    }
    return try SurfacePage(
      "Scenes", below: "More",
      Block(
        Row(0.5, SurfaceControl("scene", "", .text)),
        Row(0.5, SurfaceControl("notes", "", .text)),
        Row(
          1, control(.press, "/scene/previous", accent: .plain),
          control(.press, "/scene/next", width: 2, accent: .play),
          control(.press, "/scene/cancel", accent: .danger)),
        Row(
          1, moment("now", "At once"), moment("beat", "On beat"), moment("bar", "On bar"),
          moment("loop", "On loop"))),
      Block(
        Row(3, control.names("/scenes", "/scene", "scene-list", "Scene", rows: 2)),
        Row(1, part(1), part(2), part(3), part(4)),
        Row(1, part(5), part(6), part(0))))
  }

  /// Makes the page of the scale: root, scale and button size.
  static func scale(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table)
    func root(_ name: String) throws(SurfaceFault) -> SurfaceControl {
      try control.choice("/grid/root", .text(name), "root-\(name)", name)
    }
    func size(_ name: String) throws(SurfaceFault) -> SurfaceControl {
      try control.choice("/grid/size", .text(name), "size-\(name)", name.asCaption)
    }
    return try SurfacePage(
      "Scale",
      Block(
        Row(1, root("A"), root("A#"), root("B"), root("C")),
        Row(1, root("C#"), root("D"), root("D#"), root("E")),
        Row(1, root("F"), root("F#"), root("G"), root("G#")),
        Row(1, size("small"), size("medium"), size("large"), control(.flag, "/grid/names"))),
      Block(Row(4, control.names("/scales", "/grid/scale", "scale", "Scale"))))
  }

  /// Makes the menu: instrument, notes and metronome.
  static func menu(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table)
    func source(_ name: String) throws(SurfaceFault) -> SurfaceControl {
      let captions = ["own": "Own beat", "midi": "MIDI clock", "link": "Link", "jack": "JACK"]
      return try control.choice(
        "/tempo/source", .text(name), "beats-\(name)", captions[name] ?? name)
    }
    return try SurfacePage(
      "Menu",
      Block(
        Row(
          3,
          control.names("/instruments", "/grid/instrument", "instrument", "Instrument", rows: 2))),
      Block(
        Row(
          1, control(.flag, "/grid/sustain"), control(.press, "/grid/randomize", "random"),
          control.choice("/grid/order", .text("scale"), "in-order", "In order"),
          control(.press, "/note/allOff", "all-off", "Notes off", accent: .danger)),
        Row(
          1, control(.flag, "/metronome/on", "metronome", "Click", accent: .play),
          control(.fader, "/metronome/bpm", nil, "Tempo", width: 3),
          control(.press, "/metronome/tap")),
        Row(
          1, source("own"), source("midi"), source("link"), source("jack"),
          control(.flag, "/tempo/send", "send-clock", "Send clock")),
        Row(1, control(.stepper, "/metronome/countin", nil, "Count-in bars")),
        Row(1, control(.stepper, "/metronome/beats", nil, "Beats per bar"))))
  }
}

extension SurfaceControl {
  /// The names of the user's own presets, on apps without a keyboard.
  static let ownPresets = ["Mine 1", "Mine 2", "Mine 3", "Mine 4"]
}
