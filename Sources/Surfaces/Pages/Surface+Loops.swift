internal import Control

extension SurfacePage {
  // The most loops on one page.
  private static let together = 8
  // Up to this number, a phone shows two per row.
  private static let few = 4

  /// Makes the pages of all loops, each with a large button, mute, undo and gain.
  static func loops(_ count: Int, _ table: AddressTable) throws(SurfaceFault) -> [SurfacePage] {
    var pages: [SurfacePage] = []
    for first in stride(from: 1, through: count, by: together) {
      let last = min(count, first + together - 1)
      let width = count > few ? few : 2
      var blocks: [Block] = []
      for start in stride(from: first, through: last, by: width) {
        let numbers = start...min(last, start + width - 1)
        blocks.append(try block(of: numbers, isNarrow: count > few, table))
      }
      let name = count > together ? "Loops \(first)-\(last)" : "Loops"
      pages.append(SurfacePage(name, blocks: blocks))
    }
    return pages
  }

  private static func block(
    of numbers: ClosedRange<Int>, isNarrow: Bool, _ table: AddressTable
  ) throws(SurfaceFault) -> Block {
    let control = ControlMaker(table: table, accent: .loop)
    let pedals = try numbers.map { number throws(SurfaceFault) in
      SurfaceControl(
        "slot-\(number)", "\(number)",
        .slot(number: number, pedal: try table.number("/loop/\(number)/pedal")), accent: .play)
    }
    let mutes = try numbers.map { number throws(SurfaceFault) in
      try control(.flag, "/loop/\(number)/mute", "mute-\(number)", "Mute \(number)", accent: .play)
    }
    let undos = try numbers.map { number throws(SurfaceFault) in
      try control(.press, "/loop/\(number)/undo", "undo-\(number)", "Undo \(number)")
    }
    let gains = try numbers.map { number throws(SurfaceFault) in
      let caption = isNarrow ? "\(number)" : "Gain \(number)"
      return try control(.fader, "/loop/\(number)/gain", "gain-\(number)", caption)
    }
    if isNarrow {
      return Block(Row(1, of: pedals), Row(1, of: mutes), Row(1, of: undos), Row(1, of: gains))
    }
    let pairs = zip(mutes, undos).flatMap { [$0, $1] }
    return Block(Row(2, of: pedals), Row(1, of: pairs), Row(1, of: gains))
  }

  /// Makes the page of the chosen loop: rare actions and settings.
  static func chosen(_ count: Int, _ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table, accent: .loop, root: "/loop/selected/")
    func choice(
      _ part: String, _ word: String, _ caption: String
    ) throws(SurfaceFault) -> SurfaceControl {
      try control.choice(part, .text(word), "\(part)-\(word)", caption)
    }
    func keep(_ bars: Int) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        "keep-\(bars)", bars == 1 ? "Last bar" : "Last \(bars)",
        .send(try table.constant("/loop/selected/keep", .number(Float(bars)))), accent: .record)
    }
    let numbers = try numbers(count, table)
    return try SurfacePage(
      "More",
      Block(
        Row(1, of: numbers),
        Row(
          1, control(.press, "multiply", accent: .replace),
          control(.press, "insert", accent: .replace),
          control(.press, "substitute", nil, "Subst", accent: .replace),
          control(.press, "replace", accent: .replace)),
        Row(
          1, control(.press, "once", accent: .play), control(.press, "redo"),
          control(.press, "cancel"), control(.press, "clear", accent: .danger)),
        Row(
          1, control.choice("direction", .number(-1), "backwards", "Reverse"),
          control.choice("direction", .number(1), "forwards"),
          control.choice("rate", .number(0.5), "half", "Half speed"),
          control.choice("rate", .number(1), "whole", "Full speed"))),
      Block(
        Row(
          1, choice("after", "play", "Then play"), choice("after", "overdub", "Then over"),
          choice("after", "stop", "Then stop"),
          SurfaceControl("timing", "Timing", .page("Timing"))),
        Row(
          1, choice("quantize", "off", "At once"), choice("quantize", "beat", "On beat"),
          choice("quantize", "bar", "On bar"), choice("quantize", "loop", "On loop")),
        Row(
          1, choice("source", "live", "From live"), choice("source", "grid", "From grid"),
          choice("source", "mix", "From mix"), control(.press, "save", accent: .plain)),
        Row(1, keep(1), keep(2), keep(4), keep(8))))
  }

  /// Makes the controls that choose a loop.
  private static func numbers(
    _ count: Int, _ table: AddressTable
  ) throws(SurfaceFault) -> [SurfaceControl] {
    if count > 6 {
      return [try ControlMaker(table: table, accent: .loop)(.stepper, "/loop/select", "loop")]
    }
    let plain = ControlMaker(table: table)
    return try (1...count).map { number throws(SurfaceFault) in
      try plain.choice("/loop/select", .number(Float(number)), "loop-\(number)", "Loop \(number)")
    }
  }

  /// Makes the page of the chosen loop's stops, fades and tempo, and of what concerns all loops.
  static func timing(_ count: Int, _ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    let control = ControlMaker(table: table, accent: .loop, root: "/loop/selected/")
    let all = ControlMaker(table: table, accent: .loop)
    func choice(
      _ part: String, _ word: String, _ caption: String
    ) throws(SurfaceFault) -> SurfaceControl {
      try control.choice(part, .text(word), "\(part)-\(word)", caption)
    }
    func fade(
      _ path: String, _ name: String, _ caption: String, _ bars: Float
    ) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        name, caption, .send(try table.constant(path, .number(bars))),
        accent: bars < 0 ? .danger : .play)
    }
    return try SurfacePage(
      "Timing", below: "More",
      Block(
        Row(1, of: numbers(count, table)),
        Row(
          1, choice("stopAt", "now", "Stop now"), choice("stopAt", "beat", "On beat"),
          choice("stopAt", "bar", "On bar"), choice("stopAt", "end", "At end")),
        Row(
          1, choice("follow", "off", "Own tempo"), choice("follow", "tempo", "Follow"),
          choice("follow", "lock", "Lock"), control(.flag, "solo", accent: .replace)),
        Row(
          1, fade("/loop/selected/fadeBars", "fade-in", "Fade in", 2),
          fade("/loop/selected/fadeBars", "fade-out", "Fade out", -2))),
      Block(
        Row(
          1, all(.press, "/loop/next", "next", "Next loop", accent: .record),
          all(.flag, "/lock", "lock", "Keep all", accent: .danger)),
        Row(
          1, fade("/loops/fadeBars", "all-in", "All in", 4),
          fade("/loops/fadeBars", "all-out", "All out", -4)),
        Row(
          1, SurfaceControl("scenes", "Scenes", .page("Scenes")),
          SurfaceControl("more", "Back", .page("More")))))
  }
}
