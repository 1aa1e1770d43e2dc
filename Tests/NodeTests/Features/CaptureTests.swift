import Foundation
import Library
import OSC
import SoundFiles
import TestSupport
import Testing

extension NodeTests {
  /// Captures of the running node: the files on disk, also after faults.
  @Suite struct CaptureTests {
    /// Encodes each frame's number in its sample: 22 bits, in steps of 24 bits.
    private static let counter: @Sendable (UInt32) -> Float = { frame in
      Float(frame % (1 << 22)) / Float(1 << 23)
    }

    /// The number of blocks missing from the recorded counter; nil if a sample is wrong.
    ///
    /// A missing block is replaced by silence or an old block. But each sample keeps its offset in
    /// the block.
    private func lostBlocks(_ kept: [Float], block: Int = 64) -> Int? {
      var place: Int?
      var (first, last) = (0, 0)
      for (index, sample) in kept.enumerated() where sample != 0 {
        let number = Int(sample * Float(1 << 23))
        guard Self.counter(UInt32(number)) == sample, number < 1 << 22 else { return nil }
        let here = ((number - index) % block + block) % block
        guard here == place ?? here else { return nil }
        if place == nil { first = number - index }
        place = here
        last = number - index
      }
      // A frame later in the file than in time follows missing blocks.
      return max(0, last - first) / block
    }

    /// Whether the whole recording is the counter.
    private func isWhole(_ heard: (start: UInt32, samples: [Float], gaps: Int)) -> Bool {
      heard.gaps == 0
        && heard.samples.enumerated().allSatisfy {
          $0.element == Self.counter(heard.start &+ UInt32($0.offset))
        }
    }

    private func home(_ node: NodeProcess) -> String {
      node.folder.appendingPathComponent("home").path
    }

    private func takes(_ node: NodeProcess) throws -> [Take] {
      try TakeLibrary(home: home(node)).list(count: 100).takes
    }

    private func sound(_ take: Take, _ node: NodeProcess) throws -> [Float] {
      try SoundFixture.read(TakeLibrary(home: home(node)).path(take)).left
    }

    private func seconds(_ phone: Phone) -> Double {
      phone.ask("/capture/state")?.arguments[1].number ?? -1
    }

    private func ended(_ phone: Phone) -> String? {
      phone.send("/capture/on", .int32(0))
      return phone.receive("/reply")?.arguments[1].text
    }

    @Test(.hangLimit, arguments: ["in", "out"], ["24", "float"])
    func `the node's output is recorded bit for bit`(source: String, format: String) throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name, plays: Self.counter)
      try probe.connect(to: "syrinx")
      try probe.awaitPassage()
      phone.send("/capture/source", .string(source))
      phone.send("/capture/format", .string(format))
      phone.send("/capture/on", .int32(1))
      #expect(phone.sync())
      #expect(phone.ask("/capture/on")?.arguments == [.int32(1)])
      let heard = try probe.record(seconds: 0.7)
      #expect(phone.ask("/capture/state")?.arguments[0] == .string("on"))
      let id = ended(phone)
      let take = try #require(try takes(node).first)
      #expect(take.id == id && take.source.rawValue == source)
      let kept = try sound(take, node)
      #expect(kept.count == take.frames)
      #expect(lostBlocks(kept) == 0)
      #expect((0.6...20).contains(Double(kept.count) / 48_000))
      let isHeardWhole = isWhole(heard)
      #expect(isHeardWhole)
      // The file has everything recorded so far.
      let offset = Int(heard.start % (1 << 22)) - Int(kept[0] * Float(1 << 23))
      let part = kept.dropFirst(max(0, offset)).prefix(heard.samples.count)
      let difference = Measure.firstDifference(part, heard.samples)
      #expect(offset < 0 || difference == nil)
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `the node's exit ends the take, with the complete fade-out`() throws {
      let (server, node, phone) = try startNode([
        "--set", "/capture/source=out", "--set", "/capture/on=1",
      ])
      let probe = try Probe(server: server.name) { _ in 0.5 }
      try probe.connect(to: "syrinx")
      try waitUntil("part of a second is captured") { seconds(phone) > 0.4 }
      let told = seconds(phone)
      probe.close()
      #expect(node.end() == 0)
      let take = try #require(try takes(node).first)
      #expect(take.seconds >= told)
      #expect(take.loudness != nil && !take.title.contains("recovered"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: home(node) + "/takes").count == 2)
      let kept = try sound(take, node)
      // It has the complete fade, and the sound before.
      let (loudest, last) = (Measure.peak(kept), kept.last)
      #expect(loudest == 0.5 && last == 0)
    }

    @Test(.hangLimit)
    func `bundles start and stop it on their frames`() throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name, plays: Self.counter)
      try probe.connect(to: "syrinx")
      try probe.awaitPassage()
      phone.send("/capture/format", .string("float"))
      #expect(phone.sync())
      let ear = Ear()
      probe.listen(ear.hear)
      // The clock that maps times to frames stops while the server is held.
      probe.setFreewheel(true)
      ear.turnstile.hold()
      let clock = try #require(phone.ask("/clock")).arguments
      guard case .int64(let frame0) = clock[0], case .timeTag(let time0) = clock[1] else {
        throw Fault("\(clock)")
      }
      let start = ear.turnstile.heard + 20_003
      let length: Int64 = 12_007
      for (value, frame) in [(1, start), (0, start + length)] as [(Int32, Int64)] {
        let time = time0.unixMicroseconds + Double(frame - frame0) / 48_000 * 1e6
        phone.send(
          bytes: [UInt8](
            bundle: [[UInt8](address: "/capture/on", [.int32(value)])],
            at: TimeTag(unixMicroseconds: time)))
      }
      _ = try #require(phone.ask("/status/rate"))
      ear.turnstile.open(until: .max)
      #expect(phone.receive("/reply") != nil)
      probe.setFreewheel(false)
      probe.listen(nil)
      #expect(phone.ask("/status/late")?.arguments == [.int32(0)])
      let take = try #require(try takes(node).first)
      let kept = try sound(take, node)
      #expect(take.frames == Int(length) && kept.count == take.frames && lostBlocks(kept) == 0)
      #expect(kept.first == Self.counter(UInt32(truncatingIfNeeded: start)))
      probe.close()
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a killed node loses less than a second`() throws {
      let server = try JackServer(timeout: 10)
      var worst = 0.0
      for round in 0..<8 {
        let (node, phone) = try startNode(on: server)
        let probe = try Probe(server: server.name, plays: Self.counter)
        try probe.connect(to: "syrinx")
        try probe.awaitPassage()
        phone.send("/capture/format", .string(round % 2 == 0 ? "24" : "float"))
        phone.send("/capture/on", .int32(1))
        #expect(phone.sync())
        letPass(seconds: .random(in: 0..<2), "a random moment")
        let told = seconds(phone)
        kill(node.id, SIGKILL)
        _ = node.awaitEnd()
        probe.close()
        // Readable, although its header is incomplete.
        let part = try FileManager.default.contentsOfDirectory(atPath: home(node) + "/takes")
          .first { $0.hasSuffix(".wav.part") }
        if let part { #expect(try WaveLayout(home(node) + "/takes/" + part).frames >= 0) }
        let adoption = try TakeLibrary(home: home(node)).adopt()
        #expect(adoption.unreadable.isEmpty)
        let take = try takes(node).first
        worst = max(worst, told - (take?.seconds ?? 0))
        #expect(told - (take?.seconds ?? 0) < 1, "round \(round)")
        if let take {
          #expect(adoption.recovered == [take.id] && take.title.hasSuffix("(recovered)"))
          #expect(lostBlocks(try sound(take, node)) != nil)
        }
      }
      print("killed eight times: lost \(Int(worst * 1000)) ms at most")
    }

    // MARK: - Bad disks

    /// Captures until the disk refuses more, while a client subscribes; returns its messages.
    ///
    /// `ends` is whether that ends the capture.
    private func fill(
      _ node: NodeProcess, _ server: JackServer, ends: Bool = true
    ) throws -> (phone: Phone, error: Received?) {
      let phone = try Phone(port: node.port)
      let listener = try Phone(port: node.port)
      listener.send("/subscribe", .string("/capture"))
      listener.send("/subscribe", .string("/error"))
      let probe = try Probe(server: server.name, plays: Self.counter)
      defer { probe.close() }
      try probe.connect(to: "syrinx")
      try probe.awaitPassage()
      phone.send("/capture/on", .int32(1))
      var error: Received?
      let heard = try probe.record {
        error = phone.receive("/error")
        try probe.pass(seconds: 0.3, "the sound after the fault is checked, too")
      }
      let (isHeardWhole, heardFrames) = (isWhole(heard), heard.samples.count)
      #expect(isHeardWhole && heardFrames > 4000)
      #expect(error?.arguments[..<2] == [.string("/capture/on"), .string("io")])
      guard ends else { return (phone, error) }
      let told = listener.receive { told in
        told.contains { $0.address == "/error" }
          && told.last { $0.address == "/capture/on" }?.arguments == [.int32(0)]
          && told.last { $0.address == "/capture/state" }?.arguments[0] == .string("off")
      }
      #expect(told.contains { $0.address == "/error" })
      #expect(told.last { $0.address == "/capture/on" }?.arguments == [.int32(0)])
      #expect(told.last { $0.address == "/capture/state" }?.arguments[0] == .string("off"))
      #expect(phone.ask("/capture/on")?.arguments == [.int32(0)])
      #expect((phone.ask("/status/captureFaults")?.arguments[0].number ?? 0) >= 1)
      return (phone, error)
    }

    @Test(.hangLimit)
    func `a file size limit stops it, and its data is a take`() throws {
      let (server, node, _) = try startNode()
      // The size limit of all files from here on.
      try #require(try shell("prlimit", "--pid", "\(node.id)", "--fsize=500000") == 0)
      let (_, error) = try fill(node, server)
      #expect(error?.arguments[2].text?.contains("File too large") == true)
      let take = try #require(try takes(node).first)
      // A frame has six bytes.
      #expect((82_000...83_334).contains(take.frames))
      #expect(lostBlocks(try sound(take, node)) != nil)
      #expect(node.end() == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting a small disk requires root"))
    func `a full disk delays it, and nothing is lost if there is room in time`() throws {
      let (server, node, _) = try startNode()
      let disk = home(node) + "/takes"
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
      guard try shell("mount", "-t", "tmpfs", "-o", "size=600k", "none", disk) == 0 else {
        withKnownIssue("a small disk can't be mounted here") { Issue.record("no mount") }
        return
      }
      defer { _ = try? shell("umount", "-l", disk) }
      let (phone, error) = try fill(node, server, ends: false)
      let text = error?.arguments[2].text ?? ""
      #expect(text.contains("No space left") && text.hasSuffix("the capture waits for up to 10 s"))
      #expect(phone.ask("/capture/on")?.arguments == [.int32(1)])
      #expect(try shell("mount", "-o", "remount,size=10m", disk) == 0)
      #expect(ended(phone) != nil)
      let take = try #require(try takes(node).first)
      #expect(take.frames > 100_000 && take.frames == Int((seconds(phone) * 48_000).rounded()))
      #expect(lostBlocks(try sound(take, node)) != nil)
      // A read-only disk.
      #expect(try shell("mount", "-o", "remount,ro", disk) == 0)
      let (_, second) = try fill(node, server)
      #expect(second?.arguments[2].text?.contains("ead-only") == true)
      #expect(node.end() == 0)
    }

    private func shell(_ words: String...) throws -> Int32 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = words
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }

    // MARK: - Server restarts

    @Test(.hangLimit)
    func `it continues after a server restart, and starts a new file at another rate`() throws {
      let (server, node, phone) = try startNode()
      phone.send("/capture/on", .int32(1))
      #expect(phone.sync())
      let id = phone.ask("/capture/state")?.arguments[2]
      func restart(rate: Int) throws {
        server.kill()
        try phone.awaitServer("gone")
        try server.start(rate: rate)
        try phone.awaitServer("running")
        #expect(phone.ask("/status/rate")?.arguments == [.int32(Int32(rate))])
        let before = seconds(phone)
        try waitUntil("the capture continues") { seconds(phone) > before + 0.1 }
      }
      try restart(rate: 48_000)
      #expect(phone.ask("/capture/state")?.arguments[2] == id)
      #expect(phone.ask("/capture/on")?.arguments == [.int32(1)])
      try restart(rate: 44_100)
      let state = try #require(phone.ask("/capture/state")).arguments
      #expect(state[0] == .string("on") && state[2] != id)
      #expect(node.end() == 0)
      #expect(try takes(node).map(\.rate) == [44_100, 48_000])
    }
  }
}
