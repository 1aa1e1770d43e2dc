internal import Glibc
internal import Posix

/// An open file with random access.
package struct WaveFile: ~Copyable {
  package enum Use {
    case read, change
    /// The file must not exist, and stays locked until it is closed.
    case begin
  }

  package let path: String
  private let descriptor: Descriptor

  package init(_ path: String, to use: Use) throws(SoundFileError) {
    let flags =
      switch use {
      // Nonblocking: opening a pipe without a writer would hang.
      case .read: O_RDONLY | O_NONBLOCK
      case .change: O_RDWR | O_NONBLOCK
      case .begin: O_RDWR | O_CREAT | O_EXCL
      }
    let descriptor: Descriptor
    do throws(SystemError) {
      descriptor = try Descriptor(open(path, flags | O_CLOEXEC, 0o666), orThrow: path)
    } catch {
      guard use == .read || error.isMissing else { throw Self.cannotWrite(path, error.code) }
      throw SoundFileError(.missing, "can't read \(error)")
    }
    guard Files.size(of: descriptor) != nil else {
      throw SoundFileError(.notSound, "\(path) is not a regular file")
    }
    if use == .begin { flock(descriptor.number, LOCK_EX | LOCK_NB) }
    self.path = path
    self.descriptor = descriptor
  }

  /// Acquires an exclusive lock, held until the file is closed.
  ///
  /// Returns false if another process has it.
  package func lock() -> Bool { flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 }

  package var length: Int { Files.size(of: descriptor) ?? 0 }

  /// Reads bytes from an offset.
  ///
  /// Returns less than `count` only at the end.
  package func read(_ count: Int, at place: Int) throws(SoundFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let (filled, code) = bytes.withUnsafeMutableBytes { descriptor.read(into: $0, at: place) }
    guard code == 0 else {
      throw SoundFileError(.notSound, "can't read \(SystemError(path, code: code))")
    }
    return filled == count ? bytes : Array(bytes.prefix(filled))
  }

  package func write(_ bytes: [UInt8], at place: Int) throws(SoundFileError) {
    let (written, code) = bytes.withUnsafeBytes { write($0, at: place) }
    guard written == bytes.count else { throw Self.cannotWrite(path, code) }
  }

  /// Writes as much as possible.
  ///
  /// Returns the number of bytes written and, if not all, the error code.
  func write(_ bytes: UnsafeRawBufferPointer, at place: Int) -> (count: Int, code: Int32) {
    descriptor.write(bytes, at: place)
  }

  /// Makes all written data durable.
  package func keep() throws(SoundFileError) {
    guard fdatasync(descriptor.number) == 0 else { throw Self.cannotWrite(path, errno) }
  }

  /// Appends bytes at the end of the sound durably, or leaves the file as it is.
  func append(durably bytes: [UInt8], at end: Int) throws(SoundFileError) {
    do throws(SoundFileError) {
      try write(bytes, at: end)
      try keep()
    } catch {
      try? truncate(to: end)
      throw error
    }
  }

  package func truncate(to length: Int) throws(SoundFileError) {
    guard ftruncate(descriptor.number, off_t(length)) == 0 else {
      throw Self.cannotWrite(path, errno)
    }
  }

  static func cannotWrite(_ path: String, _ code: Int32) -> SoundFileError {
    SoundFileError(
      .cannotWrite, "can't write \(SystemError(path, code: code))",
      isTemporary: code == ENOSPC || code == EDQUOT)
  }
}
