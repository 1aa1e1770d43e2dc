internal import Posix
internal import SoundFiles

/// The reason why an instrument, or a sample of it, can't be read.
package struct InstrumentFault: Error, Equatable, CustomStringConvertible {
  /// The kinds.
  package enum Kind: Sendable {
    /// There is no such file, or no such program in it.
    case missing
    /// The file is not what it should be.
    case broken
    /// A path leads out of the folder in which the instrument is.
    case denied
    /// The system refuses to write.
    case unwritable
    /// There is more of it than can be held.
    case tooLarge
  }

  /// The kind.
  package let kind: Kind
  /// The message, one line for people.
  package let description: String

  /// A fault of a kind, told in one line.
  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  init(_ error: SoundFileError) {
    self.init(error.kind == .missing ? .missing : .broken, error.description)
  }

  init(_ error: SystemError) {
    self.init(error.isMissing ? .missing : .broken, "can't read \(error)")
  }
}

/// Throws the faults of a sound file as an instrument's own.
func asInstrument<Result: ~Copyable>(
  _ body: () throws(SoundFileError) -> Result
) throws(InstrumentFault) -> Result {
  do throws(SoundFileError) { return try body() } catch { throw InstrumentFault(error) }
}
