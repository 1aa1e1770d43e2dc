import Foundation
import Posix
import TestSupport
import Testing

@Suite struct FilesTests {
  @Test func `makes a folder with its parents, and again`() throws {
    let folder = try TemporaryFolder()
    for _ in 0..<2 {
      try Files.makeFolder(folder.path("a/b/c"))
      #expect(Files.isFolder(folder.path("a/b/c")) && Files.isWritable(folder.path("a/b/c")))
    }
    try Files.write("x", to: folder.path("file"))
    let fault = #expect(throws: SystemError.self) { try Files.makeFolder(folder.path("file/c")) }
    #expect(fault?.isMissing == true && fault?.isOfDisk == false)
    #expect(!Files.isWritable(folder.path("file")) && !Files.isWritable(folder.path("none")))
  }

  @Test func `makes a folder in one that may be written but not read`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("drop")
    try Files.makeFolder(path)
    #expect(chmod(path, 0o300) == 0)
    defer { chmod(path, 0o700) }
    try Files.makeFolder(path + "/inner")
    #expect(Files.isFolder(path + "/inner"))
  }

  @Test func `private files and appended lines are complete, and keep others out`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("receipts")
    for line in ["one", "two"] { try Files.append(line: line, to: path) }
    #expect(Files.read(path) == "one\ntwo\n")
    try Files.writePrivate("secret", to: folder.path("token"))
    #expect(Files.read(folder.path("token")) == "secret")
    for name in ["receipts", "token"] {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.path(name))[
        .posixPermissions]
      #expect(mode as? Int == 0o600)
    }
    #expect(folder.names == ["receipts", "token"])
  }

  @Test func `the time of a change is that of the content`() throws {
    let path = try TemporaryFolder().path("file")
    #expect(Files.modified(path) == nil)
    let folder = try TemporaryFolder()
    try Files.write("x", to: folder.path("file"))
    var times = [timeval(tv_sec: 1_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000, tv_usec: 0)]
    #expect(utimes(folder.path("file"), &times) == 0)
    #expect(Files.modified(folder.path("file")) == 1_000_000_000_000_000)
  }

  @Test(.enabled(if: geteuid() == 0, "mounting a small disk requires root"))
  func `a read-only disk is the reason of a fault, and known as such`() throws {
    guard let disk = try SmallDisk(megabytes: 1) else {
      withKnownIssue("a small disk can't be mounted here") { Issue.record("no mount") }
      return
    }
    #expect(!Files.isOnReadOnlyDisk(disk.path) && Files.isWritable(disk.path))
    #expect(disk.setReadOnly(true))
    #expect(Files.isOnReadOnlyDisk(disk.path) && !Files.isWritable(disk.path))
    for path in [disk.path, disk.path + "/new"] {
      let fault = #expect(throws: SystemError.self) { try Files.makeFolder(path) }
      #expect(fault?.isOfDisk == true && fault?.isMissing == false)
    }
  }
}
