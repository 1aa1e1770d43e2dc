internal import Foundation

/// A mounted disk of a few megabytes, which tests can fill or make read-only.
package final class SmallDisk {
  /// The path of the disk.
  package let path: String
  private let folder: TemporaryFolder

  /// Mounts a disk; nil without the privilege.
  package init?(megabytes: Int) throws {
    folder = try TemporaryFolder()
    path = folder.path("disk")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "none", path) else {
      return nil
    }
  }

  deinit { _ = Self.run("umount", "-l", path) }

  /// Fills the disk up to `room` bytes, or a little more.
  package func fill(leaving room: Int = 0) throws {
    let url = URL(fileURLWithPath: "\(path)/filler")
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
      throw Fault("can't create a file on \(path)")
    }
    let handle = try FileHandle(forWritingTo: url)
    while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
    let end = try handle.seekToEnd()
    try handle.truncate(atOffset: end - min(end, UInt64(room)))
    try handle.close()
  }

  /// Deletes the data that fills the disk.
  package func empty() throws { try FileManager.default.removeItem(atPath: "\(path)/filler") }

  /// Makes the disk read-only, or writable again.
  package func setReadOnly(_ isReadOnly: Bool) -> Bool {
    Self.run("mount", "-o", "remount,\(isReadOnly ? "ro" : "rw")", path)
  }

  private static func run(_ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
