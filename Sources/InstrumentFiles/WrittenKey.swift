internal import Music

/// A key in text form: a number, or a note such as `c#4`, where `c4` is 60.
enum WrittenKey {
  /// Parses a text that consists of a key only.
  ///
  /// Returns nil if it doesn't.
  static func key(_ text: some StringProtocol) -> Int? {
    if let number = Int(text) { return (0...127).contains(number) ? number : nil }
    // Excludes other prefixes that Int accepts, such as a plus sign.
    guard
      let start = text.firstIndex(where: { $0 == "-" || $0.isASCII && $0.isNumber }),
      let note = NoteName(String(text[..<start])), let octave = Int(text[start...]),
      (-1...9).contains(octave)
    else { return nil }
    let key = 12 * (octave + 1) + note.letter.semitones + note.accidentals
    return (0...127).contains(key) ? key : nil
  }

  /// Finds the key in a file name, such as `piano_C#3.wav`: the last part that is a note, else the
  /// last one that is a number.
  static func key(inFile name: String) -> Int? {
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
    // A hyphen separates parts, except for the sign of octave -1 after a note name.
    var parts: [Substring] = []
    var start = stem.startIndex
    for index in stem.indices where " _.()[]-".contains(stem[index]) {
      let after = stem[start..<index]
      if stem[index] == "-", after.count < 3, let first = after.first, first.isLetter,
        stem[stem.index(after: index)...].first == "1"
      {
        continue
      }
      parts.append(after)
      start = stem.index(after: index)
    }
    parts.append(stem[start...])
    let notes = parts.filter { $0.first?.isLetter == true }.compactMap { key($0) }
    return notes.last ?? parts.compactMap { key($0) }.last
  }
}
