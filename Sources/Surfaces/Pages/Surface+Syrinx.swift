package import Control

extension Surface {
  /// The number of loops of a node that is told nothing else.
  package static let usualLoops = 4

  /// Makes the surface of a node with so many loops: all that is played and set on a stage.
  package static func syrinx(
    loops: Int = usualLoops, _ table: AddressTable = .widest
  ) throws(SurfaceFault) -> Surface {
    let first = [try Page.voice(table), try .presets(table)]
    let loops = try Page.loops(loops, table) + [.chosen(loops, table), .loop(table)]
    return Surface(
      pages: first + loops + [
        try .grid(table), try .piano(table), try .takes(table), try .mix(table), try .feed(table),
        try .scale(table), try .menu(table),
      ])
  }
}

extension Page {
  /// Makes the page of the effects: six presets as buttons, and faders.
  static func voice(_ table: AddressTable) throws(SurfaceFault) -> Page {
    func effect(_ name: String, _ caption: String) throws(SurfaceFault) -> Control {
      Control(
        name, caption, .choice(try table.constant("/preset", .text(name))), accent: .voice)
    }
    func fader(
      _ name: String, _ caption: String, _ path: String, _ curve: Control.Curve = .linear,
      width: Double = 1
    ) throws(SurfaceFault) -> Control {
      try .fader(name, caption, path, in: table, curve, width: width, accent: .voice)
    }
    return Page(
      "Voice",
      Block(
        Row(
          1, try effect("chipmunk", "Chipmunk"), try effect("vader", "Vader"),
          try effect("snail", "Snail"), try effect("rabbit", "Rabbit")),
        Row(
          1, try effect("echo", "Echo"), try effect("reverb", "Reverb"), try effect("dry", "Dry"),
          Control("bypass", "Bypass", .flag(try table.flag("/chain/bypass")), accent: .danger)),
        Row(
          1, try fader("pitch", "Pitch", "/pitch/semitones", width: 4),
          Control(
            "pitch-none", "0", .choice(try table.constant("/pitch/semitones", .number(0))),
            accent: .voice)),
        Row(
          1, try fader("rate", "Rate", "/stretch/rate", .logarithmic, width: 4),
          Control(
            "rate-none", "1", .choice(try table.constant("/stretch/rate", .number(1))),
            accent: .voice))),
      Block(
        Row(
          1, Control("echo-on", "Echo", .flag(try table.flag("/echo/on")), accent: .voice),
          try fader("echo-mix", "Echo mix", "/echo/mix", width: 4)),
        Row(
          1, try fader("echo-time", "Time", "/echo/time", .logarithmic),
          try fader("echo-feedback", "Feedback", "/echo/feedback")),
        Row(
          1, Control("reverb-on", "Reverb", .flag(try table.flag("/reverb/on")), accent: .voice),
          try fader("reverb-mix", "Reverb mix", "/reverb/mix", width: 4)),
        Row(
          1, try fader("reverb-decay", "Decay", "/reverb/decay", .logarithmic),
          try fader("reverb-size", "Size", "/reverb/size"))))
  }

  /// Makes the page of the presets: all of them, and those that were saved here.
  static func presets(_ table: AddressTable) throws(SurfaceFault) -> Page {
    let names = Control.ownPresets.enumerated().map { index, name in
      Control("save-\(index + 1)", name, .turn("preset \(index + 1)"), accent: .record)
    }
    let chosen = try table.text("/preset")
    return Page(
      "Presets",
      Block(
        Row(
          4,
          Control(
            "all", "Preset",
            .names(list: try table.heard("/presets"), chosen: chosen, rows: 3, columns: 3),
            accent: .voice))),
      Block(
        Row(
          3,
          Control(
            "own", "Own",
            .names(list: try table.heard("/presets/own"), chosen: chosen, rows: 2, columns: 3),
            accent: .voice)),
        Row(
          1,
          of: names + [Control("delete", "Delete", .turn("preset 0"), accent: .danger)])))
  }

  /// Makes the page of the player and its loop, which is the first.
  static func loop(_ table: AddressTable) throws(SurfaceFault) -> Page {
    func press(
      _ name: String, _ path: String, _ accent: Control.Accent = .loop
    ) throws(SurfaceFault) -> Control {
      Control(
        name, name.prefix(1).uppercased() + name.dropFirst(), .press(try table.action(path)),
        accent: accent)
    }
    func fader(
      _ name: String, _ caption: String, _ path: String, _ curve: Control.Curve = .linear
    ) throws(SurfaceFault) -> Control {
      try .fader(name, caption, path, in: table, curve, accent: .loop)
    }
    return Page(
      "Loop",
      Block(
        Row(
          1.2, try press("record", "/player/record", .record),
          try press("play", "/player/play", .play)),
        Row(
          1, try press("overdub", "/loop/overdub", .overdub), try press("undo", "/loop/undo"),
          try press("redo", "/loop/redo"), try press("stop", "/player/stop")),
        Row(0.5, Control("state", "", .text)),
        Row(1, try fader("position", "Position", "/player/position"))),
      Block(
        Row(
          1, try press("rewind", "/player/rewind"), try press("pause", "/player/pause"),
          try press("forward", "/player/forward"),
          Control("clear", "Clear", .press(try table.action("/loop/clear")), accent: .danger)),
        // Away from what empties the loop.
        Row(
          1, Control("keep", "Save as take", .press(try table.action("/take/save")), width: 2),
          Control("repeat", "Repeat", .flag(try table.flag("/player/loop"))),
          try press("done", "/player/done")),
        Row(
          1, try fader("semitones", "Pitch", "/loop/semitones"),
          try fader("loop-rate", "Rate", "/loop/rate", .logarithmic)),
        Row(
          1, try fader("keep-under", "Feedback", "/loop/feedback"),
          try fader("loop-gain", "Gain", "/loop/gain"))))
  }

  /// Makes the page of the grid, as large as can be.
  static func grid(_ table: AddressTable) throws(SurfaceFault) -> Page {
    Page("Grid", Block(Row(1, Control("cells", "", .grid(rows: 16, columns: 12)))))
  }

  /// Makes the page of the piano: seven white keys, and a phrase.
  static func piano(_ table: AddressTable) throws(SurfaceFault) -> Page {
    var keys: [Control] = []
    for (index, name) in ["C", "D", "E", "F", "G", "A", "B"].enumerated() {
      keys.append(
        Control(
          "key-\(index + 1)", name, .key(try table.number("/piano/\(index + 1)")),
          accent: .white))
    }
    return Page(
      "Piano",
      Block(
        Row(
          1, Control("octave", "Octave", .stepper(try table.number("/piano/octave")), width: 2),
          Control("sustain", "Sustain", .flag(try table.flag("/grid/sustain")), accent: .play)),
        Row(5.6, of: keys),
        Row(
          1,
          Control(
            "phrase-record", "Record", .press(try table.action("/phrase/record")),
            accent: .record),
          Control(
            "phrase-play", "Play", .press(try table.action("/phrase/play")), accent: .play),
          Control("phrase-stop", "Stop", .press(try table.action("/phrase/stop")))),
        Row(0.6, Control("phrase", "", .text))))
  }

  /// Makes the page of the takes, newest first.
  static func takes(_ table: AddressTable) throws(SurfaceFault) -> Page {
    let rows = (1...Screen.takes).map { Row(1, Control("take-\($0)", "", .take(row: $0))) }
    return Page(
      "Takes",
      Block(
        rows: [
          Row(
            1, Control("newer", "Newer", .turn("turn takes -1")),
            Control("pages", "", .text, width: 2), Control("older", "Older", .turn("turn takes 1")))
        ] + rows + [
          Row(
            1, Control("title", "Title", .words(["Intro", "Verse", "Chorus", "Solo", ""])))
        ]))
  }

  /// Makes the page of the levels, the songs and the captures.
  static func mix(_ table: AddressTable) throws(SurfaceFault) -> Page {
    func song(
      _ name: String, _ caption: String, _ accent: Control.Accent = .loop
    ) throws(SurfaceFault) -> Control {
      Control(
        "song-\(name)", caption, .press(try table.action("/music/\(name)")), accent: accent)
    }
    func from(_ source: String, _ caption: String) throws(SurfaceFault) -> Control {
      Control(
        "capture-\(source)", caption,
        .choice(try table.constant("/capture/source", .text(source))))
    }
    func gain(_ name: String, _ caption: String) throws(SurfaceFault) -> Control {
      try .fader("\(name)-gain", caption, "/\(name)/gain", in: table)
    }
    return Page(
      "Mix",
      Block(
        Row(0.5, Control("song", "", .text)),
        Row(
          1, try song("previous", "Before"), try song("play", "Play", .play),
          try song("stop", "Stop"), try song("next", "Next")),
        Row(0.5, Control("captured", "", .text)),
        Row(
          1,
          Control(
            "capture", "Capture", .flag(try table.flag("/capture/on")), width: 2, accent: .record),
          try from("out", "Output"), try from("in", "Input"))),
      Block(
        Row(1, try gain("in", "Input"), try gain("live", "Live")),
        Row(1, try gain("grid", "Grid"), try gain("music", "Songs")),
        Row(
          1, try gain("out", "Output"),
          Control("guard", "Howl guard", .flag(try table.flag("/guard/on"))))))
  }

  /// Makes the page of the feed: the newest posts, and one of one's own without words.
  static func feed(_ table: AddressTable) throws(SurfaceFault) -> Page {
    let rows = (1...Screen.posts).map { Row(1, Control("post-\($0)", "", .post(row: $0))) }
    return Page(
      "Feed",
      Block(
        rows: [
          Row(
            1, Control("newest", "Newest", .turn("posts newest")),
            Control("waiting", "", .text, width: 2),
            Control("older", "Older", .turn("posts older")))
        ] + rows + [
          Row(1, Control("post-clip", "Post the loop", .turn("posts clip"), accent: .record))
        ]))
  }

  /// Makes the page of the scale: the root, and how large the buttons are.
  static func scale(_ table: AddressTable) throws(SurfaceFault) -> Page {
    func root(_ name: String) throws(SurfaceFault) -> Control {
      Control("root-\(name)", name, .choice(try table.constant("/grid/root", .text(name))))
    }
    func size(_ name: String) throws(SurfaceFault) -> Control {
      Control(
        "size-\(name)", name.prefix(1).uppercased() + name.dropFirst(),
        .choice(try table.constant("/grid/size", .text(name))))
    }
    return Page(
      "Scale",
      Block(
        Row(1, try root("A"), try root("A#"), try root("B"), try root("C")),
        Row(1, try root("C#"), try root("D"), try root("D#"), try root("E")),
        Row(1, try root("F"), try root("F#"), try root("G"), try root("G#")),
        Row(
          1, try size("small"), try size("medium"), try size("large"),
          Control("names", "Names", .flag(try table.flag("/grid/names"))))),
      Block(
        Row(
          4,
          Control(
            "scale", "Scale",
            .names(
              list: try table.heard("/scales"), chosen: try table.text("/grid/scale"), rows: 3,
              columns: 3)))))
  }

  /// Makes the menu: the instrument, how notes are played, and the metronome.
  static func menu(_ table: AddressTable) throws(SurfaceFault) -> Page {
    Page(
      "Menu",
      Block(
        Row(
          4,
          Control(
            "instrument", "Instrument",
            .names(
              list: try table.heard("/instruments"), chosen: try table.text("/grid/instrument"),
              rows: 3, columns: 3)))),
      Block(
        Row(
          1, Control("sustain", "Sustain", .flag(try table.flag("/grid/sustain"))),
          Control("random", "Random", .press(try table.action("/grid/randomize"))),
          Control(
            "in-order", "In order", .choice(try table.constant("/grid/order", .text("scale")))),
          Control("all-off", "Notes off", .press(try table.action("/note/allOff")), accent: .danger)
        ),
        Row(
          1, Control("metronome", "Click", .flag(try table.flag("/metronome/on")), accent: .play),
          try .fader("bpm", "Tempo", "/metronome/bpm", in: table, width: 3),
          Control("tap", "Tap", .press(try table.action("/metronome/tap")))),
        Row(
          1,
          Control("countin", "Count-in, bars", .stepper(try table.number("/metronome/countin")))),
        Row(
          1, Control("beats", "Beats of a bar", .stepper(try table.number("/metronome/beats"))))))
  }
}

extension Control {
  /// The names under which a surface without a keyboard saves presets.
  static let ownPresets = ["Mine 1", "Mine 2", "Mine 3", "Mine 4"]

  /// Makes a fader over the whole range of an address.
  static func fader(
    _ name: String, _ caption: String, _ path: String, in table: AddressTable,
    _ curve: Curve = .linear, width: Double = 1, accent: Accent = .plain
  ) throws(SurfaceFault) -> Control {
    let use = try table.number(path)
    guard curve == .linear || use.range.lowerBound > 0 else {
      throw SurfaceFault(
        "\(path) begins at \(plain(Double(use.range.lowerBound))): no ratio leads there")
    }
    return Control(name, caption, .fader(use, curve), width: width, accent: accent)
  }
}
