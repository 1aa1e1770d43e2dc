/// Phrases that wait to be spoken: of each subject the newest.
struct SpeechQueue {
  /// The subject of a phrase.
  enum Subject: Sendable {
    case loops, scene, take, server, fault, tuner
    /// The reply to a question, which interrupts.
    case answer
  }

  private var waiting: [(subject: Subject, text: String)] = []

  /// Whether nothing waits.
  var isEmpty: Bool { waiting.isEmpty }

  /// Adds a phrase in place of an earlier one of its subject.
  ///
  /// Faults are all told.
  mutating func add(_ text: String, about subject: Subject) {
    if subject == .answer { waiting = [] }
    waiting.removeAll { $0.subject == subject && subject != .fault }
    if !waiting.contains(where: { $0.text == text }) { waiting.append((subject, text)) }
  }

  /// Removes all phrases, and returns them as one, with their subjects; nil if there are none.
  mutating func next() -> (text: String, subjects: [Subject])? {
    guard !waiting.isEmpty else { return nil }
    defer { waiting = [] }
    return (waiting.map(\.text).joined(separator: ". "), waiting.map(\.subject))
  }

  /// Forgets all phrases.
  mutating func clear() { waiting = [] }
}
