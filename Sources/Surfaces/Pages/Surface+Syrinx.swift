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
    let first = [try SurfacePage.voice(table), try .presets(table)]
    let loops = try SurfacePage.loops(loops, table) + [.chosen(loops, table), .loop(table)]
    return Surface(
      pages: first + loops + [
        try .grid(table), try .piano(table), try .takes(table), try .mix(table), try .feed(table),
        try .scale(table), try .menu(table),
      ])
  }
}

extension SurfacePage {
  /// Makes the page of the effects: presets as buttons, and faders.
  static func voice(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    func effect(_ name: String, _ caption: String) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        name, caption, .choice(try table.constant("/preset", .text(name))), accent: .voice)
    }
    func fader(
      _ name: String, _ caption: String, _ path: String,
      width: Double = 1
    ) throws(SurfaceFault) -> SurfaceControl {
      try .fader(name, caption, path, in: table, width: width, accent: .voice)
    }
    return SurfacePage(
      "Voice",
      Block(
        Row(
          1, try effect("chipmunk", "Chipmunk"), try effect("vader", "Vader"),
          try effect("snail", "Snail"), try effect("rabbit", "Rabbit")),
        Row(
          1, try effect("echo", "Echo"), try effect("reverb", "Reverb"), try effect("dry", "Dry"),
          SurfaceControl(
            "bypass", "Bypass", .flag(try table.flag("/chain/bypass")), accent: .danger)),
        Row(
          1, try fader("pitch", "Pitch", "/pitch/semitones", width: 4),
          SurfaceControl(
            "pitch-none", "0", .choice(try table.constant("/pitch/semitones", .number(0))),
            accent: .voice)),
        Row(
          1, try fader("rate", "Rate", "/stretch/rate", width: 4),
          SurfaceControl(
            "rate-none", "1", .choice(try table.constant("/stretch/rate", .number(1))),
            accent: .voice))),
      Block(
        Row(
          1, SurfaceControl("echo-on", "Echo", .flag(try table.flag("/echo/on")), accent: .voice),
          try fader("echo-mix", "Echo mix", "/echo/mix", width: 4)),
        Row(
          1, try fader("echo-time", "Time", "/echo/time"),
          try fader("echo-feedback", "Feedback", "/echo/feedback")),
        Row(
          1,
          SurfaceControl(
            "reverb-on", "Reverb", .flag(try table.flag("/reverb/on")), accent: .voice),
          try fader("reverb-mix", "Reverb mix", "/reverb/mix", width: 4)),
        Row(
          1, try fader("reverb-decay", "Decay", "/reverb/decay"),
          try fader("reverb-size", "Size", "/reverb/size"))))
  }

  /// Makes the page of the presets: all of them, and the user's own.
  static func presets(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let names = SurfaceControl.ownPresets.enumerated().map { index, name in
      SurfaceControl("save-\(index + 1)", name, .script("preset \(index + 1)"), accent: .record)
    }
    let chosen = try table.text("/preset")
    return SurfacePage(
      "Presets",
      Block(
        Row(
          4,
          SurfaceControl(
            "all", "Preset",
            .names(list: try table.heard("/presets"), chosen: chosen, rows: 3, columns: 3),
            accent: .voice))),
      Block(
        Row(
          3,
          SurfaceControl(
            "own", "Own",
            .names(list: try table.heard("/presets/own"), chosen: chosen, rows: 2, columns: 3),
            accent: .voice)),
        Row(
          1,
          of: names + [SurfaceControl("delete", "Delete", .script("preset 0"), accent: .danger)])))
  }

  /// Makes the page of the player, which is the first loop.
  static func loop(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    func press(
      _ name: String, _ path: String, _ accent: SurfaceControl.Accent = .loop
    ) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        name, name.prefix(1).uppercased() + name.dropFirst(), .press(try table.action(path)),
        accent: accent)
    }
    func fader(
      _ name: String, _ caption: String, _ path: String
    ) throws(SurfaceFault) -> SurfaceControl {
      try .fader(name, caption, path, in: table, accent: .loop)
    }
    return SurfacePage(
      "Loop",
      Block(
        Row(
          1.2, try press("record", "/player/record", .record),
          try press("play", "/player/play", .play)),
        Row(
          1, try press("overdub", "/loop/overdub", .overdub), try press("undo", "/loop/undo"),
          try press("redo", "/loop/redo"), try press("stop", "/player/stop")),
        Row(0.5, SurfaceControl("state", "", .text)),
        Row(1, try fader("position", "Position", "/player/position"))),
      Block(
        Row(
          1, try press("rewind", "/player/rewind"), try press("pause", "/player/pause"),
          try press("forward", "/player/forward"),
          SurfaceControl("clear", "Clear", .press(try table.action("/loop/clear")), accent: .danger)
        ),
        // Not next to Clear.
        Row(
          1,
          SurfaceControl("keep", "Save as take", .press(try table.action("/take/save")), width: 2),
          SurfaceControl("repeat", "Repeat", .flag(try table.flag("/player/loop"))),
          try press("done", "/player/done")),
        Row(
          1, try fader("semitones", "Pitch", "/loop/semitones"),
          try fader("loop-rate", "Rate", "/loop/rate")),
        Row(
          1, try fader("keep-under", "Feedback", "/loop/feedback"),
          try fader("loop-gain", "Gain", "/loop/gain"))))
  }

  /// Makes the page of the grid, at full size.
  static func grid(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    SurfacePage("Grid", Block(Row(1, SurfaceControl("cells", "", .grid(rows: 16, columns: 12)))))
  }

  /// Makes the page of the piano: seven white keys and a phrase.
  static func piano(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    var keys: [SurfaceControl] = []
    for (index, name) in ["C", "D", "E", "F", "G", "A", "B"].enumerated() {
      keys.append(
        SurfaceControl(
          "key-\(index + 1)", name, .key(try table.number("/piano/\(index + 1)")),
          accent: .white))
    }
    return SurfacePage(
      "Piano",
      Block(
        Row(
          1,
          SurfaceControl("octave", "Octave", .stepper(try table.number("/piano/octave")), width: 2),
          SurfaceControl(
            "sustain", "Sustain", .flag(try table.flag("/grid/sustain")), accent: .play)),
        Row(5.6, of: keys),
        Row(
          1,
          SurfaceControl(
            "phrase-record", "Record", .press(try table.action("/phrase/record")),
            accent: .record),
          SurfaceControl(
            "phrase-play", "Play", .press(try table.action("/phrase/play")), accent: .play),
          SurfaceControl("phrase-stop", "Stop", .press(try table.action("/phrase/stop")))),
        Row(0.6, SurfaceControl("phrase", "", .text))))
  }

  /// Makes the page of the takes, newest first.
  static func takes(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let rows = (1...SurfaceScreen.takes).map {
      Row(1, SurfaceControl("take-\($0)", "", .take(row: $0)))
    }
    return SurfacePage(
      "Takes",
      Block(
        rows: [
          Row(
            1, SurfaceControl("newer", "Newer", .script("turn takes -1")),
            SurfaceControl("pages", "", .text, width: 2),
            SurfaceControl("older", "Older", .script("turn takes 1")))
        ] + rows + [
          Row(
            1, SurfaceControl("title", "Title", .words(["Intro", "Verse", "Chorus", "Solo", ""])))
        ]))
  }

  /// Makes the page of the levels, songs and captures.
  static func mix(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    func song(
      _ name: String, _ caption: String, _ accent: SurfaceControl.Accent = .loop
    ) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        "song-\(name)", caption, .press(try table.action("/music/\(name)")), accent: accent)
    }
    func from(_ source: String, _ caption: String) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        "capture-\(source)", caption,
        .choice(try table.constant("/capture/source", .text(source))))
    }
    func gain(_ name: String, _ caption: String) throws(SurfaceFault) -> SurfaceControl {
      try .fader("\(name)-gain", caption, "/\(name)/gain", in: table)
    }
    return SurfacePage(
      "Mix",
      Block(
        Row(0.5, SurfaceControl("song", "", .text)),
        Row(
          1, try song("previous", "Previous"), try song("play", "Play", .play),
          try song("stop", "Stop"), try song("next", "Next")),
        Row(0.5, SurfaceControl("captured", "", .text)),
        Row(
          1,
          SurfaceControl(
            "capture", "Capture", .flag(try table.flag("/capture/on")), width: 2, accent: .record),
          try from("out", "Output"), try from("in", "Input"))),
      Block(
        Row(1, try gain("in", "Input"), try gain("live", "Live")),
        Row(1, try gain("grid", "Grid"), try gain("music", "Songs")),
        Row(
          1, try gain("out", "Output"),
          SurfaceControl("guard", "Feedback guard", .flag(try table.flag("/guard/on"))))))
  }

  /// Makes the page of the feed: the newest posts, and a button that posts the loop without text.
  static func feed(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let rows = (1...SurfaceScreen.posts).map {
      Row(1, SurfaceControl("post-\($0)", "", .post(row: $0)))
    }
    return SurfacePage(
      "Feed",
      Block(
        rows: [
          Row(
            1, SurfaceControl("newest", "Newest", .script("posts newest")),
            SurfaceControl("waiting", "", .text, width: 2),
            SurfaceControl("older", "Older", .script("posts older")))
        ] + rows + [
          Row(
            1, SurfaceControl("post-clip", "Post the loop", .script("posts clip"), accent: .record))
        ]))
  }

  /// Makes the page of the scale: root, scale and button size.
  static func scale(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    func root(_ name: String) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl("root-\(name)", name, .choice(try table.constant("/grid/root", .text(name))))
    }
    func size(_ name: String) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        "size-\(name)", name.prefix(1).uppercased() + name.dropFirst(),
        .choice(try table.constant("/grid/size", .text(name))))
    }
    return SurfacePage(
      "Scale",
      Block(
        Row(1, try root("A"), try root("A#"), try root("B"), try root("C")),
        Row(1, try root("C#"), try root("D"), try root("D#"), try root("E")),
        Row(1, try root("F"), try root("F#"), try root("G"), try root("G#")),
        Row(
          1, try size("small"), try size("medium"), try size("large"),
          SurfaceControl("names", "Names", .flag(try table.flag("/grid/names"))))),
      Block(
        Row(
          4,
          SurfaceControl(
            "scale", "Scale",
            .names(
              list: try table.heard("/scales"), chosen: try table.text("/grid/scale"), rows: 3,
              columns: 3)))))
  }

  /// Makes the menu: instrument, notes and metronome.
  static func menu(_ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    SurfacePage(
      "Menu",
      Block(
        Row(
          4,
          SurfaceControl(
            "instrument", "Instrument",
            .names(
              list: try table.heard("/instruments"), chosen: try table.text("/grid/instrument"),
              rows: 3, columns: 3)))),
      Block(
        Row(
          1, SurfaceControl("sustain", "Sustain", .flag(try table.flag("/grid/sustain"))),
          SurfaceControl("random", "Random", .press(try table.action("/grid/randomize"))),
          SurfaceControl(
            "in-order", "In order", .choice(try table.constant("/grid/order", .text("scale")))),
          SurfaceControl(
            "all-off", "Notes off", .press(try table.action("/note/allOff")), accent: .danger)
        ),
        Row(
          1,
          SurfaceControl(
            "metronome", "Click", .flag(try table.flag("/metronome/on")), accent: .play),
          try .fader("bpm", "Tempo", "/metronome/bpm", in: table, width: 3),
          SurfaceControl("tap", "Tap", .press(try table.action("/metronome/tap")))),
        Row(
          1,
          SurfaceControl(
            "countin", "Count-in bars", .stepper(try table.number("/metronome/countin")))),
        Row(
          1,
          SurfaceControl("beats", "Beats per bar", .stepper(try table.number("/metronome/beats"))))
      ))
  }
}

extension SurfaceControl {
  /// The names of the user's own presets, on apps without a keyboard.
  static let ownPresets = ["Mine 1", "Mine 2", "Mine 3", "Mine 4"]

  /// Makes a fader over the range of an address.
  static func fader(
    _ name: String, _ caption: String, _ path: String, in table: AddressTable,
    width: Double = 1, accent: Accent = .plain
  ) throws(SurfaceFault) -> SurfaceControl {
    SurfaceControl(name, caption, .fader(try table.number(path)), width: width, accent: accent)
  }
}
