internal import Posix
internal import SoundFiles

/// The reason why an instrument or one of its samples can't be read.
package struct InstrumentFault: Error, Equatable, CustomStringConvertible {
  /// The kind of fault.
  package enum Kind: Sendable {
    /// The file, or the program in it, was not found.
    case missing
    /// The file is malformed or not of the expected format.
    case broken
    /// A path leads out of the instrument's folder.
    case denied
    /// The system refused a write.
    case unwritable
    /// The instrument exceeds the memory limit.
    case tooLarge
  }

  package let kind: Kind
  /// The message, in one line.
  package let description: String

  /// Creates a fault with a one-line message.
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

/// Rethrows a sound file error as an instrument fault.
func asInstrument<Result: ~Copyable>(
  _ body: () throws(SoundFileError) -> Result
) throws(InstrumentFault) -> Result {
  do throws(SoundFileError) { return try body() } catch { throw InstrumentFault(error) }
}
