/// The origin of an action: its outcome is reported there.
enum CommandOrigin: BitwiseCopyable {
  /// A command, by the number that the queue gave it, and whether it had a time.
  case client(UInt64, wasTimed: Bool)
  /// A press that is bound, by the number of its action.
  case binding(UInt16)
}
