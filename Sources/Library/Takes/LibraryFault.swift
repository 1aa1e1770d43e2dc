internal import CSQLite
internal import Glibc
internal import Posix
internal import SoundFiles

/// The reason why something could not be done with the library of takes.
package struct LibraryFault: Error, Equatable, CustomStringConvertible {
  /// The kinds.
  package enum Kind: Sendable {
    /// There is no such take, or no such file.
    case missing
    /// What was asked for can't be.
    case denied
    /// A text is too long, or not of the form that it needs.
    case range
    /// A file is not what it should be.
    case broken
    /// The system refuses.
    case io
    /// Another process has it, longer than is waited for.
    case busy
  }

  /// The kind.
  package let kind: Kind
  /// The message, one line for people.
  package let message: String
  /// Whether it is the database that is damaged, so that `TakeLibrary.rebuild` can help.
  package let isDamage: Bool

  package var description: String { message }

  init(_ kind: Kind, _ message: String, isDamage: Bool = false) {
    self.kind = kind
    self.message = message
    self.isDamage = isDamage
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

  /// Translates SQLite's error code for a database; the reason is its own words.
  package init(code: Int32, path: String, reason: String) {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init(.busy, "\(path) is in use by another process; try again later")
    case SQLITE_FULL:
      self.init(.io, "can't write \(path): \(String(cString: strerror(ENOSPC)))")
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      self.init(.io, "can't write \(path): the file or its folder is read-only")
    case SQLITE_CANTOPEN:
      self.init(.io, "can't open \(path): its folder must be there, and be open to writing")
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      self.init(
        .broken,
        "\(path) is damaged (\(reason)); `syrinx takes reindex` makes it anew from the takes",
        isDamage: true)
    default: self.init(.io, "can't use \(path): \(reason)")
    }
  }
}

/// Throws the faults of a sound file as the library's own.
func asLibrary<Result>(
  _ body: () throws(SoundFileError) -> Result
) throws(LibraryFault) -> Result {
  do throws(SoundFileError) { return try body() } catch { throw LibraryFault(error) }
}

/// Throws the faults of a system call as the library's own.
func asLibrary<Result>(_ body: () throws(SystemError) -> Result) throws(LibraryFault) -> Result {
  do throws(SystemError) { return try body() } catch { throw LibraryFault(error) }
}
