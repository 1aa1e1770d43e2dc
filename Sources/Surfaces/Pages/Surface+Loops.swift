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
      let numbers = Array(first...min(count, first + together - 1))
      let name = count > together ? "Loops \(first)-\(numbers.last ?? first)" : "Loops"
      let width = count > few ? few : 2
      var blocks: [Block] = []
      for start in stride(from: 0, to: numbers.count, by: width) {
        let some = numbers[start..<min(numbers.count, start + width)]
        blocks.append(try block(of: Array(some), isNarrow: count > few, table))
      }
      pages.append(SurfacePage(name, blocks: blocks))
    }
    return pages
  }

  private static func block(
    of numbers: [Int], isNarrow: Bool, _ table: AddressTable
  ) throws(SurfaceFault) -> Block {
    var (pedals, mutes, undos, gains):
      ([SurfaceControl], [SurfaceControl], [SurfaceControl], [SurfaceControl]) = (
        [], [], [], []
      )
    for number in numbers {
      let path = "/loop/\(number)"
      pedals.append(
        SurfaceControl(
          "slot-\(number)", "\(number)",
          .slot(number: number, pedal: try table.number("\(path)/pedal")), accent: .play))
      mutes.append(
        SurfaceControl(
          "mute-\(number)", "Mute \(number)", .flag(try table.flag("\(path)/mute")), accent: .play))
      undos.append(
        SurfaceControl(
          "undo-\(number)", "Undo \(number)", .press(try table.action("\(path)/undo")),
          accent: .loop))
      gains.append(
        try .fader(
          "gain-\(number)", isNarrow ? "\(number)" : "Gain \(number)", "\(path)/gain", in: table,
          accent: .loop))
    }
    if isNarrow {
      return Block(Row(1, of: pedals), Row(1, of: mutes), Row(1, of: undos), Row(1, of: gains))
    }
    let pairs = zip(mutes, undos).flatMap { [$0, $1] }
    return Block(Row(2, of: pedals), Row(1, of: pairs), Row(1, of: gains))
  }

  /// Makes the page of the chosen loop: rare actions and settings.
  static func chosen(_ count: Int, _ table: AddressTable) throws(SurfaceFault) -> SurfacePage {
    func press(
      _ name: String, _ caption: String, _ accent: SurfaceControl.Accent = .loop
    ) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        name, caption, .press(try table.action("/loop/selected/\(name)")), accent: accent)
    }
    func choice(
      _ part: String, _ word: String, _ caption: String
    ) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        "\(part)-\(word)", caption,
        .choice(try table.constant("/loop/selected/\(part)", .text(word))), accent: .loop)
    }
    func amount(
      _ name: String, _ part: String, _ number: Float, _ caption: String
    ) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        name, caption, .choice(try table.constant("/loop/selected/\(part)", .number(number))),
        accent: .loop)
    }
    func keep(_ bars: Int) throws(SurfaceFault) -> SurfaceControl {
      SurfaceControl(
        "keep-\(bars)", bars == 1 ? "Last bar" : "Last \(bars)",
        .send(try table.constant("/loop/selected/keep", .number(Float(bars)))), accent: .record)
    }
    var numbers: [SurfaceControl] = []
    if count > 6 {
      numbers = [
        SurfaceControl("loop", "Loop", .stepper(try table.number("/loop/select")), accent: .loop)
      ]
    } else {
      for number in 1...count {
        numbers.append(
          SurfaceControl(
            "loop-\(number)", "Loop \(number)",
            .choice(try table.constant("/loop/select", .number(Float(number))))))
      }
    }
    return SurfacePage(
      "More",
      Block(
        Row(1, of: numbers),
        Row(
          1, try press("multiply", "Multiply", .replace), try press("insert", "Insert", .replace),
          try press("substitute", "Subst", .replace), try press("replace", "Replace", .replace)),
        Row(
          1, try press("once", "Once", .play), try press("redo", "Redo"),
          try press("cancel", "Cancel"), try press("clear", "Clear", .danger)),
        Row(
          1, try amount("backwards", "direction", -1, "Reverse"),
          try amount("forwards", "direction", 1, "Forwards"),
          try amount("half", "rate", 0.5, "Half speed"),
          try amount("whole", "rate", 1, "Full speed"))
      ),
      Block(
        Row(
          1, try choice("after", "play", "Then play"), try choice("after", "overdub", "Then over"),
          try choice("after", "stop", "Then stop")),
        Row(
          1, try choice("quantize", "off", "At once"), try choice("quantize", "beat", "On beat"),
          try choice("quantize", "bar", "On bar"), try choice("quantize", "loop", "On loop")),
        Row(
          1, try choice("source", "live", "From live"), try choice("source", "grid", "From grid"),
          try choice("source", "mix", "From mix"),
          SurfaceControl("save", "Save", .press(try table.action("/loop/selected/save")))),
        Row(1, try keep(1), try keep(2), try keep(4), try keep(8))))
  }
}
