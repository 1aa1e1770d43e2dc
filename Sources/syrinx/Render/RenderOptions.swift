internal import SoundFiles

/// The options of `syrinx render`, validated.
struct RenderOptions {
  /// A value to be set.
  struct Setting {
    /// The address with its value.
    let assignment: String
    /// The time in seconds of IN; nil for before the start.
    let seconds: Double?
  }

  /// The name of standard input and output.
  static let pipe = "-"
  /// The sample rates that the engine supports, in Hz.
  static let rates = 8000...192_000
  // A day is longer than any file; without a bound, the frame could overflow.
  private static let mostSeconds = 86_400.0

  /// The pairs of input and output files.
  let files: [RenderFile]
  let home: String
  let preset: String?
  var settings: [Setting] = []
  let tail: Ending.Length
  let rate: Int?
  /// Whether IN is processed as live input.
  let isLive: Bool

  init(_ given: CommandPage.Given) throws(Failure) {
    files = try RenderFile.all(given.rest)
    home = try StoredFiles.home(given)
    preset = given["preset"]
    isLive = given.has("live")
    for text in given.all("set") { settings.append(try Self.setting(text)) }
    tail =
      try given.value("tail", "seconds, 0 to 86400, or auto") { text -> Ending.Length? in
        text == "auto" ? .untilSilent : Self.seconds(text).map { .seconds($0) }
      } ?? .untilSilent
    rate = try given.number("rate", Self.rates, "8000 to 192000 Hz")
  }

  /// The rate to render a file of this rate at, in Hz.
  func rate(forFile rate: Int) -> Int {
    self.rate ?? min(max(rate, Self.rates.lowerBound), Self.rates.upperBound)
  }

  private static func setting(_ text: String) throws(Failure) -> Setting {
    guard let at = text.lastIndex(of: "@") else { return Setting(assignment: text, seconds: nil) }
    let time = String(text[text.index(after: at)...])
    guard let seconds = seconds(time) else {
      throw .usage("--set: the time after @ is 0 to 86400 seconds", got: time)
    }
    return Setting(assignment: String(text[..<at]), seconds: seconds)
  }

  private static func seconds(_ text: String) -> Double? {
    guard let seconds = Double(text), seconds >= 0, seconds <= mostSeconds else { return nil }
    return seconds
  }
}
