/// The cause of a late buffer, with the evidence for it.
package struct Verdict: Sendable, Equatable {
  /// The cause.
  package let cause: LostCause
  /// The evidence in words.
  package let detail: String

  /// Creates a verdict.
  package init(_ cause: LostCause, _ detail: String) {
    self.cause = cause
    self.detail = detail
  }
}
