internal import Looks

/// The display of a loop: words, figures and style.
struct LoopLine {
  /// The highest number of loops.
  static let most = 16

  /// The number of the loop, from 1.
  let number: Int
  /// The word for its state, in capitals.
  let word: String
  /// The letter for its state where there is no room for the word.
  let letter: Character
  /// The style of the word.
  let style: Style
  /// The position and the length, in seconds.
  let position: Double?, length: Double?
  /// The playhead, 0 to 1 of the loop, or of the longest loop while it is recorded.
  let share: Double?
  /// The number of layers above the first.
  let layers: Int
  /// The queued state, with the time until it begins; empty if none.
  let next: String
  /// The gain in dB.
  let gain: Double?
  /// Whether the loop is muted.
  let isMuted: Bool

  init(_ number: Int, of picture: NodePicture) {
    let path = "/loop/\(number)"
    self.number = number
    let state = picture.word("\(path)/state") ?? ""
    let look = LoopLook.of(state)
    (word, letter) = (look?.word.uppercased() ?? Figure.unknown, look?.letter ?? "-")
    style = look.map(Style.init) ?? .dim
    let (position, length) = (
      picture.number("\(path)/state", 1), picture.number("\(path)/state", 2)
    )
    (self.position, self.length) = (position, length)
    let whole = (state == "recording" ? picture.number("/loops/size", 1) : length) ?? 0
    share = whole > 0 ? position.map { $0 / whole } : nil
    layers = picture.number("\(path)/state", 3).flatMap { Int(exactly: $0) } ?? 0
    next = Self.coming(picture, path)
    gain = picture.number("\(path)/gain")
    isMuted = picture.isOn("\(path)/mute")
  }

  private static func coming(_ picture: NodePicture, _ path: String) -> String {
    guard let look = picture.word("\(path)/state", 4).flatMap(LoopLook.of) else { return "" }
    let word = look.word.uppercased()
    guard let seconds = picture.number("\(path)/next", 1), seconds >= 0 else { return "-> \(word)" }
    return "-> \(word) \(Figure.fixed(seconds, places: 1, width: 4)) s"
  }
}

extension NodePicture {
  /// The number of loops; 0 if unknown.
  package var loopCount: Int {
    min(LoopLine.most, max(0, number("/loops/size").flatMap { Int(exactly: $0) } ?? 0))
  }

  /// The number of the chosen loop, from 1.
  package var chosenLoop: Int {
    min(max(1, loopCount), max(1, number("/loop/select").flatMap { Int(exactly: $0) } ?? 1))
  }

  /// Whether a loop is muted.
  package func isLoopMuted(_ number: Int) -> Bool { isOn("/loop/\(number)/mute") }

  /// The position in a loop's clip after a jump, in seconds; nil if there is no clip.
  package func position(ofLoop number: Int, after jump: Double) -> Double? {
    let line = LoopLine(number, of: self)
    guard let position = line.position, let length = line.length, length > 0 else { return nil }
    return min(max(0, position + jump), length)
  }

  /// The loops, in order.
  var loops: [LoopLine] { (0..<loopCount).map { LoopLine($0 + 1, of: self) } }
}

extension Style {
  /// The style of a loop's state: reversed while it records, bold or plain in its color otherwise.
  init(_ look: LoopLook) {
    switch look.tone {
    case .record: self.init(isReversed: true, color: .red)
    case .overdub: self.init(isReversed: true, color: .yellow)
    case .replace: self.init(isReversed: true, color: .magenta)
    case .play: self.init(isBold: look.isFilled, color: .green)
    case nil: self = look.button == nil ? .dim : .plain
    }
  }
}
