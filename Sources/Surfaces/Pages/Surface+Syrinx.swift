package import Control

extension Surface {
  /// Makes the surface of the node: all that is played and set on a stage.
  package static func syrinx(_ table: AddressTable = .node) throws(SurfaceFault) -> Surface {
    Surface(pages: [
      try .voice(table), try .loop(table), try .grid(table), try .piano(table),
      try .takes(table), try .feed(table), try .menu(table),
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
    return Page(
      "Voice",
      Block(
        Row(3, try effect("chipmunk", "Chipmunk"), try effect("vader", "Vader")),
        Row(3, try effect("snail", "Snail"), try effect("rabbit", "Rabbit")),
        Row(3, try effect("echo", "Echo"), try effect("reverb", "Reverb")),
        Row(
          2, try effect("dry", "Dry"),
          Control("mute", "Mute", .flag(try table.flag("/mute")), accent: .danger))),
      Block(
        Row(
          2, try .fader("pitch", "Pitch", "/pitch/semitones", in: table, width: 4),
          Control(
            "pitch-none", "0", .choice(try table.constant("/pitch/semitones", .number(0))),
            accent: .voice)),
        Row(
          2, try .fader("rate", "Rate", "/stretch/rate", in: table, .logarithmic, width: 4),
          Control(
            "rate-none", "1", .choice(try table.constant("/stretch/rate", .number(1))),
            accent: .voice)),
        Row(
          2, Control("echo-on", "Echo", .flag(try table.flag("/echo/on")), accent: .voice),
          try .fader("echo-mix", "Echo mix", "/echo/mix", in: table, width: 4)),
        Row(
          2, try .fader("echo-time", "Echo time", "/echo/time", in: table, .logarithmic),
          try .fader("echo-feedback", "Feedback", "/echo/feedback", in: table)),
        Row(
          2, Control("reverb-on", "Reverb", .flag(try table.flag("/reverb/on")), accent: .voice),
          try .fader("reverb-mix", "Reverb mix", "/reverb/mix", in: table, width: 4)),
        Row(
          2, try .fader("reverb-decay", "Decay", "/reverb/decay", in: table, .logarithmic),
          try .fader("reverb-size", "Size", "/reverb/size", in: table)),
        Row(
          2, try .fader("live-gain", "Live gain", "/live/gain", in: table),
          try .fader("out-gain", "Output gain", "/out/gain", in: table))))
  }

  /// Makes the page of the player and its loop.
  static func loop(_ table: AddressTable) throws(SurfaceFault) -> Page {
    func press(
      _ name: String, _ path: String, _ accent: Control.Accent = .loop
    ) throws(SurfaceFault) -> Control {
      Control(
        name, name.prefix(1).uppercased() + name.dropFirst(), .press(try table.action(path)),
        accent: accent)
    }
    func source(_ name: String) throws(SurfaceFault) -> Control {
      Control(
        "source-\(name)", "From \(name)",
        .choice(try table.constant("/player/source", .text(name))))
    }
    func quantize(_ name: String, _ caption: String) throws(SurfaceFault) -> Control {
      Control(
        "quantize-\(name)", caption, .choice(try table.constant("/loop/quantize", .text(name))))
    }
    return Page(
      "Loop",
      Block(
        Row(
          4, try press("record", "/player/record", .record),
          try press("play", "/player/play", .play)),
        Row(
          3, try press("rewind", "/player/rewind"), try press("pause", "/player/pause"),
          try press("stop", "/player/stop"), try press("forward", "/player/forward")),
        Row(1, Control("state", "", .text)),
        Row(2, try .fader("position", "Position", "/player/position", in: table)),
        Row(
          3, try press("overdub", "/loop/overdub", .record), try press("undo", "/loop/undo"),
          try press("redo", "/loop/redo"), try press("done", "/player/done"))),
      Block(
        Row(
          2, Control("keep", "Save as take", .press(try table.action("/take/save")), width: 2),
          Control("clear", "Clear", .press(try table.action("/loop/clear")), accent: .danger)),
        Row(
          2, Control("repeat", "Repeat", .flag(try table.flag("/player/loop"))),
          try source("live"), try source("grid"), try source("mix")),
        Row(
          2, try quantize("off", "Quantize off"), try quantize("beat", "Quantize beat"),
          try quantize("bar", "Quantize bar")),
        Row(2, try .fader("semitones", "Loop pitch", "/loop/semitones", in: table)),
        Row(2, try .fader("loop-rate", "Loop rate", "/loop/rate", in: table, .logarithmic)),
        Row(2, try .fader("keep-under", "Loop feedback", "/loop/feedback", in: table)),
        Row(2, try .fader("loop-gain", "Loop gain", "/loop/gain", in: table))))
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
        Row(6, of: keys),
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
    let rows = (1...Screen.takes).map { Row(2, Control("take-\($0)", "", .take(row: $0))) }
    return Page(
      "Takes",
      Block(
        rows: [
          Row(
            1.4, Control("newer", "Newer", .turn("turn takes -1")),
            Control("pages", "", .text, width: 2), Control("older", "Older", .turn("turn takes 1")))
        ] + rows + [
          Row(
            1.4,
            Control(
              "title", "Title",
              .words(["Intro", "Verse", "Chorus", "Solo", "Idea", "Best", ""]), width: 6),
            Control("music-stop", "Stop", .press(try table.action("/music/stop"))))
        ]))
  }

  /// Makes the page of the feed: the newest posts, and one of one's own without words.
  static func feed(_ table: AddressTable) throws(SurfaceFault) -> Page {
    let rows = (1...Screen.posts).map { Row(2, Control("post-\($0)", "", .post(row: $0))) }
    return Page(
      "Feed",
      Block(
        rows: [
          Row(
            1.4, Control("newest", "Newest", .turn("posts newest")),
            Control("waiting", "", .text, width: 2),
            Control("older", "Older", .turn("posts older")))
        ] + rows + [
          Row(1.4, Control("post-clip", "Post the loop", .turn("posts clip"), accent: .record))
        ]))
  }

  /// Makes the menu: the settings of the grid, and the metronome.
  static func menu(_ table: AddressTable) throws(SurfaceFault) -> Page {
    func root(_ name: String) throws(SurfaceFault) -> Control {
      Control("root-\(name)", name, .choice(try table.constant("/grid/root", .text(name))))
    }
    func size(_ name: String) throws(SurfaceFault) -> Control {
      Control(
        "size-\(name)", name.prefix(1).uppercased() + name.dropFirst(),
        .choice(try table.constant("/grid/size", .text(name))))
    }
    return Page(
      "Menu",
      Block(
        Row(
          1.4, try root("A"), try root("A#"), try root("B"), try root("C"), try root("C#"),
          try root("D")),
        Row(
          1.4, try root("D#"), try root("E"), try root("F"), try root("F#"), try root("G"),
          try root("G#")),
        Row(
          6,
          Control(
            "scale", "Scale",
            .names(
              list: try table.heard("/scales"), chosen: try table.text("/grid/scale"), rows: 3,
              columns: 3)))),
      Block(
        Row(
          6,
          Control(
            "instrument", "Instrument",
            .names(
              list: try table.heard("/instruments"), chosen: try table.text("/grid/instrument"),
              rows: 3, columns: 3))),
        Row(
          1.4, try size("small"), try size("medium"), try size("large"),
          Control("names", "Names", .flag(try table.flag("/grid/names")))),
        Row(
          1.4, Control("sustain", "Sustain", .flag(try table.flag("/grid/sustain"))),
          Control("random", "Random", .press(try table.action("/grid/randomize"))),
          Control(
            "in-order", "In order", .choice(try table.constant("/grid/order", .text("scale")))),
          Control("all-off", "Notes off", .press(try table.action("/note/allOff")), accent: .danger)
        ),
        Row(
          1.6, Control("metronome", "Click", .flag(try table.flag("/metronome/on")), accent: .play),
          try .fader("bpm", "Tempo", "/metronome/bpm", in: table, width: 3),
          Control("tap", "Tap", .press(try table.action("/metronome/tap"))))))
  }
}

extension Control {
  /// Makes a fader over the whole range of an address.
  fileprivate static func fader(
    _ name: String, _ caption: String, _ path: String, in table: AddressTable,
    _ curve: Curve = .linear, width: Double = 1
  ) throws(SurfaceFault) -> Control {
    let use = try table.number(path)
    guard curve == .linear || use.range.lowerBound > 0 else {
      throw SurfaceFault(
        "\(path) begins at \(plain(Double(use.range.lowerBound))): no ratio leads there")
    }
    return Control(name, caption, .fader(use, curve), width: width)
  }
}
