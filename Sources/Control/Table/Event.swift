/// Something that only the node sends: an answer, or news.
struct Event: Sendable {
  /// The address on which it is sent.
  let path: String
  /// The type tags of its arguments.
  let types: String
  let unit: String
  let help: String

  init(_ path: String, _ types: String, unit: String = "", _ help: String) {
    self.path = path
    self.types = types
    self.unit = unit
    self.help = help
  }

  /// The news that what takes its time is done.
  static let reply = Event(
    "/reply", "ss",
    "Tells that something that takes time is done: s:address s:result")
  /// The news that an instruction was not followed.
  static let error = Event(
    "/error", "sss",
    "Tells why an instruction was refused: s:address s:code s:message, with the codes unknown, "
      + "type, range, state, missing, busy, denied, io")
}

extension Address {
  /// The declaration of an event.
  init(_ event: Event) {
    self.init(event.path, .event(types: event.types), unit: event.unit, event.help)
  }
}
