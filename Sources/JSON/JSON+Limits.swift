extension JSON {
  /// The limits of a text from an untrusted source.
  package struct Limits: Sendable {
    /// The maximum number of values.
    ///
    /// Each occupies up to 200 bytes, however short its text is.
    package var values: Int

    /// Creates limits, by default those of the largest files that the node writes.
    package init(values: Int = 200_000) { self.values = values }
  }
}
