/// A queue of phrases to speak, with the newest phrase per subject.
struct SpeechQueue {
  /// The subject of a phrase.
  enum Subject: Sendable {
    case loops, scene, take, server, fault, tuner
    /// The reply to a query, which interrupts.
    case answer
  }

  private var waiting: [(subject: Subject, text: String)] = []

  /// Whether the queue is empty.
  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a phrase, which replaces the waiting one of its subject.
  ///
  /// A fault replaces nothing, an answer replaces everything but faults, and a text that already waits is not
  /// added again.
  mutating func add(_ text: String, about subject: Subject) {
    if subject == .answer { waiting.removeAll { $0.subject != .fault } }
    waiting.removeAll { $0.subject == subject && subject != .fault }
    if !waiting.contains(where: { $0.text == text }) { waiting.append((subject, text)) }
  }

  /// Removes all phrases, and returns them as one, with their subjects; nil if there are none.
  mutating func next() -> (text: String, subjects: [Subject])? {
    guard !waiting.isEmpty else { return nil }
    defer { waiting = [] }
    return (waiting.map(\.text).joined(separator: ". "), waiting.map(\.subject))
  }

  /// Removes all phrases.
  mutating func clear() { waiting = [] }
}
