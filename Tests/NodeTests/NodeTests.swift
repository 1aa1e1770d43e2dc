import Testing

/// The running program on a real JACK server.
///
/// One after the other: libjack knows one server a process, and two cores can't play many.
@Suite(.serialized) enum NodeTests {}

extension Trait where Self == TimeLimitTrait {
  /// The limit of a test that hangs.
  ///
  /// No test is judged by it: what one waits for is an event, and each wait names its event when its own
  /// limit has passed.
  static var hangLimit: Self { .timeLimit(.minutes(15)) }
}
