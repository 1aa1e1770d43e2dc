/// A loop as the node tells of it, ready to be shown: words, figures, and how it stands out.
struct LoopLine {
  /// The most loops that a node has.
  static let most = 16

  /// The number of the loop, from 1 on.
  let number: Int
  /// The word of its state, in capitals.
  let word: String
  /// The letter of its state, where there is no room for a word.
  let letter: Character
  /// How the word stands out.
  let style: Style
  /// The position and the length, in seconds.
  let position: Double?, length: Double?
  /// The part of the round that is over, or of the longest loop while it is recorded; 0 to 1.
  let share: Double?
  /// The number of layers above the first.
  let layers: Int
  /// What waits for its beat or for sound, and for how long; empty where nothing does.
  let next: String
  /// The gain in dB.
  let gain: Double?
  /// Whether it runs on unheard.
  let isMuted: Bool

  init(_ number: Int, of picture: NodePicture) {
    let path = "/loop/\(number)"
    self.number = number
    let state = picture.word("\(path)/state") ?? ""
    (word, letter, style) = Self.looks[state] ?? (Figure.unknown, "-", .dim)
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
    guard let state = picture.word("\(path)/state", 4), let look = looks[state] else { return "" }
    guard let seconds = picture.number("\(path)/next", 1), seconds >= 0 else {
      return "-> \(look.word)"
    }
    return "-> \(look.word) \(Figure.fixed(seconds, places: 1, width: 4)) s"
  }

  /// What each state shows: what is steady is, and what waits stands beside it.
  private static let looks: [String: (word: String, letter: Character, style: Style)] = [
    "empty": ("EMPTY", ".", .dim),
    "recording": ("REC", "R", Style(isReversed: true, colour: .red)),
    "overdubbing": ("OVER", "O", Style(isReversed: true, colour: .yellow)),
    "replacing": ("REPLACE", "X", purple), "substituting": ("SUBST", "S", purple),
    "multiplying": ("MULTIPLY", "M", purple), "inserting": ("INSERT", "I", purple),
    "playing": ("PLAY", ">", Style(isBold: true, colour: .green)),
    "muted": ("MUTE", "m", Style(colour: .green)),
    "paused": ("PAUSE", "p", .plain), "stopped": ("STOP", "s", .plain),
  ]
  private static let purple = Style(isReversed: true, colour: .magenta)
}

extension NodePicture {
  /// The number of loops; 0 where the node has not told it.
  package var loopCount: Int {
    min(LoopLine.most, max(0, number("/loops/size").flatMap { Int(exactly: $0) } ?? 0))
  }

  /// The number of the chosen loop, from 1 on.
  package var chosenLoop: Int {
    min(max(1, loopCount), max(1, number("/loop/select").flatMap { Int(exactly: $0) } ?? 1))
  }

  /// Whether a loop runs on unheard.
  package func isLoopMuted(_ number: Int) -> Bool { isOn("/loop/\(number)/mute") }

  /// The loops, in order.
  var loops: [LoopLine] { (0..<loopCount).map { LoopLine($0 + 1, of: self) } }
}
