internal import CJack

/// Returns the name of the sound card that a port belongs to.
///
/// JACK's drivers put it into an alias, as in `alsa_pcm:hw:USB:capture1`. Without one, it is the name of the
/// port's client.
func card(of port: String, _ client: OpaquePointer) -> String? {
  guard let handle = jack_port_by_name(client, port) else { return nil }
  // Users add aliases to any port.
  let isPhysical = jack_port_flags(handle) & Int32(JackPortIsPhysical.rawValue) != 0
  return withoutLastPart(isPhysical ? copyAliases(handle).first ?? port : port)
}

private func withoutLastPart(_ name: String) -> String {
  name.lastIndex(of: ":").map { String(name[..<$0]) } ?? name
}

/// Returns the name of the route from an output to an input: the card, or both cards if they differ.
func cards(from output: String, to input: String, _ client: OpaquePointer) -> String? {
  guard let first = card(of: output, client), let second = card(of: input, client) else {
    return nil
  }
  // A driver names its two directions separately, as in the dummy driver.
  return first == second ? first : "\(first) > \(second)"
}

/// Returns the name of a card without the words of JACK's ALSA driver, as `USB` for `alsa_pcm:hw:USB`.
func shortName(ofCard name: String) -> String {
  var name = name
  for prefix in ["alsa_pcm:", "hw:"] where name.hasPrefix(prefix) {
    name.removeFirst(prefix.count)
  }
  return name
}
