internal import Foundation

/// A disk of a few megabytes, for what happens when it is full or can't be written.
package final class SmallDisk {
  /// Where it is.
  package let path: String
  private let folder: TemporaryFolder

  /// Mounts a disk; nil for those who may not.
  package init?(megabytes: Int) throws {
    folder = try TemporaryFolder()
    path = folder.path("disk")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "none", path) else {
      return nil
    }
  }

  deinit { _ = Self.run("umount", "-l", path) }

  /// Leaves room for so many bytes, or a little more.
  package func fill(leaving room: Int = 0) throws {
    let url = URL(fileURLWithPath: "\(path)/filler")
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
      throw Fault("no file can be made on \(path)")
    }
    let handle = try FileHandle(forWritingTo: url)
    while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
    let end = try handle.seekToEnd()
    try handle.truncate(atOffset: end - min(end, UInt64(room)))
    try handle.close()
  }

  /// Takes out again what fills it.
  package func empty() throws { try FileManager.default.removeItem(atPath: "\(path)/filler") }

  /// Lets nobody write any more, or again.
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
