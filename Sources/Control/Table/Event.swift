/// A message that only the node sends, as a reply or an update.
struct Event: Sendable {
  /// The address of the message.
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

  /// Reports the completion of a command.
  static let reply = Event(
    "/reply", "ss",
    "Completion of a command that takes time: s:address s:result")
  /// Reports a refused message.
  static let error = Event(
    "/error", "sss",
    "Refusal of a message: s:address s:code s:message, with the codes unknown, "
      + "type, range, state, missing, busy, denied, io")
}

extension Address {
  /// The declaration of an event.
  init(_ event: Event) {
    self.init(event.path, .event(types: event.types), unit: event.unit, event.help)
  }
}
