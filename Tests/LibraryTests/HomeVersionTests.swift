import Foundation
import Posix
import SQLite
import TestSupport
import Testing

@testable import Library

/// The version of a data directory.
@Suite struct HomeVersionTests {
  private let folder: TemporaryFolder
  private var home: String { folder.path("home") }

  init() throws {
    folder = try TemporaryFolder()
    try Files.makeFolder(folder.path("home"))
  }

  private func write(_ text: String, to name: String) throws {
    let path = "\(home)/\(name)"
    try Files.makeFolder(Files.folder(of: path))
    try Files.write(text, to: path)
  }

  private func names(_ name: String = "") -> [String] {
    Files.names(in: "\(home)/\(name)").sorted()
  }

  @Test func `a new data directory gets the version, and nothing else`() throws {
    #expect(try HomeVersion.upgrade(home) == nil)
    #expect(names() == ["version"])
    #expect(Files.read("\(home)/version") == "1\n")
    #expect(try HomeVersion.upgrade(home) == nil)
    #expect(names() == ["version"])
  }

  @Test func `an earlier one is upgraded, and its settings and databases are copied`() throws {
    let fixture = try LibraryFixture()
    let take = try fixture.add("Owl")
    let home = fixture.home
    for (name, text) in [
      ("state/rig", "a"), ("presets/My voice.txt", "b"), ("sets/Friday/set", "c"),
      ("species.txt", "d"), ("web-token", "secret"), ("loops/rig/journal", "sound"),
      ("outbox/1", "sound"),
    ] {
      try Files.makeFolder(Files.folder(of: "\(home)/\(name)"))
      try Files.write(text, to: "\(home)/\(name)")
    }
    try Files.write([UInt8](repeating: 0, count: 1 << 20 + 1), to: "\(home)/sets/Friday/1.wav")
    // The partial copy of an interrupted upgrade.
    try Files.makeFolder("\(home)/before-1.part/state")
    try Files.write("old", to: "\(home)/before-1.part/state/other")
    let told = try #require(try HomeVersion.upgrade(home))
    #expect(
      told
        == "the data directory \(home) was upgraded from version 0 to 1; a copy of its settings and "
        + "databases is in before-1")
    let copy = "\(home)/before-1"
    #expect(
      Files.names(in: copy).sorted() == [
        "library.sqlite", "presets", "sets", "species.txt", "state",
      ])
    #expect(Files.names(in: copy + "/state") == ["rig"])
    #expect(Files.names(in: copy + "/sets/Friday") == ["set"])
    #expect(Files.read(copy + "/presets/My voice.txt") == "b")
    // The row is still in the log of the open database.
    let database = try LibraryDatabase(copy + "/library.sqlite")
    #expect(try database.rows("SELECT id FROM takes") { $0.text(0) } == [take.id])
    #expect(try HomeVersion.upgrade(home) == nil)
    #expect(Files.names(in: home).filter { $0.hasPrefix("before") } == ["before-1"])
  }

  @Test func `a copy that is there already is kept`() throws {
    try write("now", to: "species.txt")
    try write("then", to: "before-1/species.txt")
    #expect(try HomeVersion.upgrade(home) != nil)
    #expect(Files.read("\(home)/before-1/species.txt") == "then")
    #expect(Files.read("\(home)/version") == "1\n")
  }

  @Test func `a newer one is refused in one line, and nothing is changed`() throws {
    try write("2\n", to: "version")
    try write("x", to: "state/rig")
    let expected =
      "can't use the data directory \(home): a newer Syrinx has upgraded it to version 2, and this one supports "
      + "up to 1; install the newer one, or choose another with --home"
    for attempt in [{ try HomeVersion.check(home) }, { _ = try HomeVersion.upgrade(home) }] {
      let fault = #expect(throws: LibraryFault.self) { try attempt() }
      #expect(fault?.message == expected)
    }
    #expect(names() == ["state", "version"] && Files.read("\(home)/version") == "2\n")
  }

  @Test(arguments: ["", "one", "0\n", "-1"])
  func `a file that contains no version is refused`(text: String) throws {
    try write(text, to: "version")
    let fault = #expect(throws: LibraryFault.self) { try HomeVersion.check(home) }
    #expect(
      fault?.message
        == "can't use the data directory \(home): its file version contains no version; "
        + "it should be 1")
  }

  @Test func `a directory that does not exist has no version`() throws {
    try HomeVersion.check(folder.path("none"))
  }
}
