internal import CSQLite
internal import Glibc
internal import Posix
internal import SoundFiles

/// The reason why an operation on the take library failed.
package struct LibraryFault: Error, Equatable, CustomStringConvertible {
  /// The kind of fault.
  package enum Kind: Sendable {
    /// The take or file was not found.
    case missing
    /// The operation is not allowed.
    case denied
    /// A text is too long or malformed.
    case range
    /// A file is malformed.
    case broken
    /// A system call failed.
    case io
    /// Another process kept the database locked beyond the timeout.
    case busy
  }

  package let kind: Kind
  /// The message, in one line.
  package let message: String
  /// Whether the database is damaged, so that `TakeLibrary.rebuild` can repair it.
  package let isDamage: Bool
  /// Whether the disk of the database has no space left.
  package let isDiskFull: Bool

  package var description: String { message }

  init(_ kind: Kind, _ message: String, isDamage: Bool = false, isDiskFull: Bool = false) {
    self.kind = kind
    self.message = message
    self.isDamage = isDamage
    self.isDiskFull = isDiskFull
  }

  init(_ error: SoundFileError) {
    let kind: Kind =
      switch error.kind {
      case .missing: .missing
      case .notSound: .broken
      case .unknownEnding: .denied
      case .cannotWrite: .io
      }
    self.init(kind, error.description)
  }

  init(_ error: SystemError) { self.init(error.isMissing ? .missing : .io, "\(error)") }

  /// Translates an SQLite error code for the database at a path.
  ///
  /// `reason` is SQLite's message.
  package init(code: Int32, path: String, reason: String) {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init(.busy, "\(path) is in use by another process; try again later")
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      self.init(.io, "can't write \(path): the file or its folder is read-only")
    case SQLITE_CANTOPEN:
      self.init(.io, "can't open \(path): its folder must exist and be writable")
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      self.init(
        .broken,
        "\(path) is damaged (\(reason)); `syrinx takes reindex` rebuilds it from the takes",
        isDamage: true)
    default: self.init(.io, "can't use \(path): \(reason)")
    }
  }
}

/// Rethrows a sound file error as a library fault.
func asLibrary<Result>(
  _ body: () throws(SoundFileError) -> Result
) throws(LibraryFault) -> Result {
  do throws(SoundFileError) { return try body() } catch { throw LibraryFault(error) }
}
