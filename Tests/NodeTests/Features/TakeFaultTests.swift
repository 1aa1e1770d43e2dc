import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Faults of disks and files: one clear line each, and sound without a gap.
  @Suite struct TakeFaultTests {
    private static let constant: @Sendable (UInt32) -> Float = { _ in 0.25 }

    /// The code and the line of a command's error.
    private func fault(_ phone: Phone, _ address: String, _ arguments: Argument...) -> [String]? {
      phone.send(bytes: [UInt8](address: address, arguments))
      let all = phone.receive(untilOneOf: ["/reply", "/error", "/takes/end"])
      guard let error = all.last, error.address == "/error" else { return nil }
      return error.arguments.dropFirst().compactMap(\.text)
    }

    /// Whether a constant plays without a gap.
    private func soundsOn(_ probe: Probe, during body: () throws -> Void) throws -> Bool {
      let heard = try probe.record(body)
      return heard.samples.count > 1000
        && heard.gaps == 0 && heard.samples.allSatisfy { abs($0 - 0.25) < 1e-6 }
    }

    private func record(_ phone: Phone, seconds: Double) throws {
      phone.send("/player/record")
      try phone.awaitLength(seconds)
      phone.send("/player/stop")
      #expect(phone.sync())
      try phone.pass(seconds: 0.05, "sound after the end is recorded")
    }

    @Test(
      .enabled(if: geteuid() == 0, "mounting a small disk requires root"),
      .hangLimit)
    func `a full disk is reported, and used again when it has room`() throws {
      guard let disk = try SmallDisk(megabytes: 3) else {
        withKnownIssue("a small disk can't be mounted here") { Issue.record("no mount") }
        return
      }
      let (server, node, phone) = try startNode(home: disk.path + "/home")
      let probe = try Probe(server: server.name, plays: Self.constant)
      try probe.connect(to: "syrinx")
      try record(phone, seconds: 0.5)
      try probe.awaitBlock("the constant sounds") { $0.allSatisfy { abs($0 - 0.25) < 1e-6 } }
      // The take needs more than the free space.
      try disk.fill(leaving: 80_000)
      let isWhole = try soundsOn(probe) {
        let full = fault(phone, "/take/save")
        #expect(full?[0] == "io")
        #expect(full?[1].contains("No space left on device") == true)
        #expect(full?[1].contains("\n") == false)
        #expect(fault(phone, "/takes") == nil)
      }
      #expect(isWhole)
      // No file remains, and the loop is complete.
      let takes = try FileManager.default.contentsOfDirectory(atPath: disk.path + "/home/takes")
      #expect(takes == ["trash"])
      try disk.empty()
      #expect(fault(phone, "/take/save", .string("kept")) == nil)
      #expect(node.end() == 0)
    }

    @Test(
      .enabled(if: geteuid() == 0, "mounting a small disk requires root"),
      .hangLimit)
    func `takes on a read-only disk are reported, and the node plays`() throws {
      guard let disk = try SmallDisk(megabytes: 3) else {
        withKnownIssue("a small disk can't be mounted here") { Issue.record("no mount") }
        return
      }
      let server = try JackServer()
      let folder = try TemporaryFolder()
      let home = folder.path("home")
      try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: home + "/takes", withDestinationPath: disk.path)
      #expect(disk.setReadOnly(true))
      let node = try NodeProcess(server: server, home: home)
      #expect(node.errors.contains("the library can't be opened: "))
      let phone = try Phone(port: node.port)
      let probe = try Probe(server: server.name, plays: Self.constant)
      try probe.connect(to: "syrinx")
      try record(phone, seconds: 0.1)
      try probe.awaitBlock("the constant sounds") { $0.allSatisfy { abs($0 - 0.25) < 1e-6 } }
      let isWhole = try soundsOn(probe) {
        let readOnly = fault(phone, "/take/save")
        #expect(readOnly?[0] == "io" && readOnly?[1].lowercased().contains("read-only") == true)
        phone.send("/settings/autoplay", .int32(1))
        let unkept = phone.receive("/error")?.arguments
        #expect(unkept?[1] == .string("io"))
        #expect(phone.ask("/settings/autoplay")?.arguments == [.int32(1)])
      }
      #expect(isWhole)
      #expect(disk.setReadOnly(false))
      #expect(fault(phone, "/take/save", .string("again")) == nil)
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a take whose file is missing or no longer sound is reported`() throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name, plays: Self.constant)
      try probe.connect(to: "syrinx")
      var ids: [String] = []
      for _ in 0..<2 {
        try record(phone, seconds: 0.1)
        phone.send("/take/save")
        ids.append(try #require(phone.receive("/reply")?.arguments[1].text))
      }
      try probe.awaitBlock("the constant sounds") { $0.allSatisfy { abs($0 - 0.25) < 1e-6 } }
      try FileManager.default.removeItem(atPath: "\(node.home)/takes/\(ids[0]).wav")
      try Data("this is no sound".utf8).write(
        to: URL(fileURLWithPath: "\(node.home)/takes/\(ids[1]).wav"))
      let isWhole = try soundsOn(probe) {
        for path in ["/take/load", "/take/play"] {
          #expect(fault(phone, path, .string(ids[0]))?[0] == "missing")
          #expect(fault(phone, path, .string(ids[1]))?[0] == "type")
        }
        #expect(fault(phone, "/take/export", .string(ids[0]), .string("x.wav"))?[0] == "missing")
        #expect(fault(phone, "/take/title", .string(ids[0]), .string("x"))?[0] == "missing")
      }
      #expect(isWhole)
      // The loop is unchanged.
      #expect(
        phone.ask("/player/state")?.arguments[..<2] == [.string("start"), .string("standby")])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `an invalid library is reported at the start, and the node plays`() throws {
      let server = try JackServer()
      let folder = try TemporaryFolder()
      let home = folder.path("home")
      try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
      try Data("this is no database, but it is as long as one".utf8).write(
        to: URL(fileURLWithPath: home + "/library.sqlite"))
      let (node, phone) = try startNode(on: server, home: home)
      #expect(node.errors.contains("the library can't be opened: "))
      #expect(fault(phone, "/takes")?[0] == "type")
      let probe = try Probe(server: server.name, plays: Self.constant)
      try probe.connect(to: "syrinx")
      try probe.awaitBlock("the constant sounds") { $0.allSatisfy { abs($0 - 0.25) < 1e-6 } }
      #expect(try soundsOn(probe) { try probe.pass(seconds: 0.1, "the checked part") })
      #expect(node.end() == 0)
    }
  }
}
