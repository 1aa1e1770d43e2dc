import Testing

/// The running program on a real JACK server.
///
/// One after the other: libjack knows one server a process, and two cores can't play many.
@Suite(.serialized) enum NodeTests {}
