/// The name of a MIDI port that remains when its device is plugged in again.
///
/// Programs that pass MIDI from ALSA to JACK number devices, or their ports, in the order in which they were
/// plugged in: `a2j:Pedal [24] (capture): Pedal MIDI 1`, `system:midi_capture_3`.
enum DeviceName {
  /// The lasting part of a port's name and aliases; nil if they name no device.
  static func lasting(_ name: String, aliases: [String]) -> String? {
    // The driver's own ports have the device in an alias.
    let isNumbered = name.hasPrefix("system:midi_")
    guard let told = isNumbered ? aliases.first(where: { !$0.hasPrefix("system:") }) : name else {
      return nil
    }
    let plain = withoutNumbers(told)
    // Without a number, the name itself remains.
    return isNumbered || plain != told ? plain : nil
  }

  /// The name without the numbers of ALSA's clients and cards.
  private static func withoutNumbers(_ name: String) -> String {
    var result = name
    // a2jmidid.
    result = removing(" [", "]", from: result)
    // PipeWire's bridge, in versions that number clients.
    if let colon = result.firstRange(of: ":("), result.hasPrefix("Midi-Bridge:") {
      let head = result[..<colon.lowerBound]
      if let space = head.lastIndex(of: " "), isNumber(head[head.index(after: space)...]) {
        result = String(head[..<space] + result[colon.lowerBound...])
      }
    }
    // JACK's raw driver: the card's number.
    if let card = result.firstRange(of: "-hw-") {
      let rest = result[card.upperBound...]
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      if !digits.isEmpty, rest.dropFirst(digits.count).first == "-" {
        result = result[..<card.upperBound] + String(rest.dropFirst(digits.count + 1))
      }
    }
    return result
  }

  /// Removes a number with what encloses it.
  private static func removing(_ begin: String, _ end: String, from name: String) -> String {
    guard let first = name.firstRange(of: begin),
      let last = name[first.upperBound...].firstRange(of: end),
      isNumber(name[first.upperBound..<last.lowerBound])
    else { return name }
    return String(name[..<first.lowerBound] + name[last.upperBound...])
  }

  private static func isNumber(_ text: Substring) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber }
  }
}
