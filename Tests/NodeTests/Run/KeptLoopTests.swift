import Engine
import Foundation
import LoopFiles
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Loops that outlive the node, however it ends.
  @Suite struct KeptLoopTests {
    // Steps that a float represents exactly: a recording encodes its time. They repeat after six minutes, when
    // no layer is left that could be taken for a new one.
    private static let period: UInt32 = 1 << 24
    private static let ramp: @Sendable (UInt32) -> Float = { frame in
      Float(frame % period) / Float(period)
    }
    private static let block = 64
    private static let lengths = [0.5, 0.6, 0.75, 0.9]

    private let folder: TemporaryFolder
    private let server: JackServer

    init() throws {
      folder = try TemporaryFolder()
      server = try JackServer(timeout: 10)
    }

    private var home: String { folder.path("home") }
    private var loops: String { home + "/loops/syrinx" }

    private func start(_ arguments: [String] = []) throws -> (NodeProcess, Phone) {
      try startNode(on: server, arguments, home: home)
    }

    /// The state of a loop as a word.
    private func state(_ phone: Phone, _ loop: Int) -> String? {
      phone.ask("/loop/\(loop)/state")?.arguments.first?.text
    }

    private func length(_ phone: Phone, _ loop: Int) -> Double {
      phone.ask("/loop/\(loop)/state")?.arguments[2].number ?? -1
    }

    private func steps(_ phone: Phone, _ loop: Int) -> [Int32] {
      phone.ask("/loop/\(loop)/history")?.arguments.map { Int32($0.number ?? -1) } ?? []
    }

    /// Records a clip of some seconds, and leaves it stopped.
    private func record(_ phone: Phone, _ loop: Int, seconds: Double) throws {
      phone.send("/loop/\(loop)/record")
      try phone.awaitLength(seconds, ofLoop: loop)
      phone.send("/loop/\(loop)/record")
      phone.send("/loop/\(loop)/stop")
      #expect(phone.sync())
      try waitUntil("loop \(loop) is recorded") { state(phone, loop) == "stopped" }
    }

    /// Waits until the journal has the present loops at their lengths, and stops growing.
    private func awaitKept(_ phone: Phone) throws {
      var size = -1
      try waitUntil("all loops are saved", every: 0.3) {
        let before = size
        size =
          (try? FileManager.default.attributesOfItem(atPath: loops + "/journal")[.size] as? Int)
          ?? 0
        guard size == before, size > 0 else { return false }
        let kept = try LoopStore(in: copied(loops)).archive.slots
        return (1...4).allSatisfy { number in
          let slot = kept.first { $0.number == number - 1 }
          let frames = length(phone, number) * Double(slot?.rate ?? 1)
          return Int(frames.rounded()) == slot?.current.frames ?? 0
        }
      }
    }

    /// Waits until the saved state has a line.
    private func awaitState(_ line: String) throws {
      try waitUntil("\(line) is saved") {
        let text = try? String(contentsOfFile: home + "/state/syrinx", encoding: .utf8)
        return text?.split(separator: "\n").contains(line[...]) == true
      }
    }

    /// Copies the files that a node killed now would leave; returns the folder.
    private func copied(_ folder: String) throws -> String {
      let copy = self.folder.path("copy")
      try? FileManager.default.removeItem(atPath: copy)
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: folder + "/journal", toPath: copy + "/journal")
      return copy
    }

    // MARK: - Restored state

    @Test(.hangLimit)
    func `after a kill, all loops are restored with their undo history, and silent`() throws {
      var (node, phone) = try start()
      try record(phone, 1, seconds: 0.3)
      try record(phone, 3, seconds: 0.2)
      phone.send("/loop/3/play")
      phone.send("/loop/3/overdub")
      try waitUntil("the overdub has started") { state(phone, 3) == "overdubbing" }
      try phone.pass(seconds: 0.3, "the length of the overdub")
      phone.send("/loop/3/overdub")
      try waitUntil("it is a step") { state(phone, 3) == "playing" && steps(phone, 3) == [2, 0] }
      phone.send("/loop/3/undo")
      phone.send("/loop/2/gain", .float(-3))
      #expect(phone.sync())
      let lengths = [length(phone, 1), length(phone, 3)]
      #expect(lengths.allSatisfy { $0 > 0.1 })
      try awaitKept(phone)
      try awaitState("/loop/2/gain=-3")
      node.kill()
      (node, phone) = try start()
      #expect(node.errors == "" || !node.errors.contains("loop"))
      #expect((1...4).map { state(phone, $0) } == ["stopped", "empty", "stopped", "empty"])
      #expect([length(phone, 1), length(phone, 3)] == lengths)
      #expect(steps(phone, 3) == [1, 1] && steps(phone, 1) == [1, 0])
      #expect(phone.ask("/loop/2/gain")?.arguments == [.float(-3)])
      // A clean exit is one more moment at which it can end.
      #expect(node.end() == 0)
      (node, phone) = try start()
      #expect([length(phone, 1), length(phone, 3)] == lengths)
      #expect(steps(phone, 3) == [1, 1])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `with playing set to resume, playing loops play, and stopped ones are silent`() throws {
      var (node, phone) = try start()
      #expect(phone.ask("/settings/resume")?.arguments == [.string("silent")])
      phone.send("/settings/resume", .string("playing"))
      try record(phone, 1, seconds: 0.4)
      try record(phone, 2, seconds: 0.3)
      phone.send("/loop/2/play")
      #expect(phone.sync())
      try awaitKept(phone)
      try awaitState("/settings/resume=playing")
      node.kill()
      (node, phone) = try start()
      #expect(phone.ask("/settings/resume")?.arguments == [.string("playing")])
      #expect(state(phone, 1) == "stopped" && state(phone, 2) == "playing")
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `fresh discards them`() throws {
      var (node, phone) = try start()
      try record(phone, 1, seconds: 0.2)
      try awaitKept(phone)
      node.kill()
      (node, phone) = try start(["--fresh"])
      #expect(state(phone, 1) == "empty")
      #expect(node.end() == 0)
      (node, phone) = try start()
      #expect(state(phone, 1) == "empty" && steps(phone, 1) == [0, 0])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `loops that do not fit are reported, and stay in a file that can be put back`() throws {
      var (node, phone) = try start()
      try record(phone, 1, seconds: 0.2)
      try record(phone, 4, seconds: 0.3)
      let length = length(phone, 4)
      try awaitKept(phone)
      node.kill()
      (node, phone) = try start(["--loops", "2"])
      #expect(node.errors.contains("loop 4 has no place: there are 2 now\n"))
      #expect(node.errors.contains("the previous loops were moved to \(loops)/journal.aside\n"))
      #expect(state(phone, 1) == "stopped")
      #expect(node.end() == 0)
      try FileManager.default.removeItem(atPath: loops + "/journal")
      try FileManager.default.moveItem(
        atPath: loops + "/journal.aside", toPath: loops + "/journal")
      (node, phone) = try start()
      #expect(self.length(phone, 4) == length && state(phone, 1) == "stopped")
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `under a server of another rate they are restored, converted`() throws {
      var (node, phone) = try start()
      try record(phone, 2, seconds: 0.4)
      let length = length(phone, 2)
      try awaitKept(phone)
      node.kill()
      server.stop()
      try server.start(rate: 44_100)
      for _ in 0..<2 {
        (node, phone) = try start()
        #expect(node.ready["rate"] == "44100")
        #expect(abs(self.length(phone, 2) - length) < 1e-4 && state(phone, 2) == "stopped")
        #expect(node.end() == 0)
      }
    }

    @Test(.hangLimit)
    func `a killed server loses nothing of them`() throws {
      var (node, phone) = try start()
      try record(phone, 1, seconds: 0.3)
      let length = length(phone, 1)
      server.kill()
      try phone.awaitServer("gone")
      try server.start()
      try phone.awaitServer("running")
      #expect(self.length(phone, 1) == length)
      try record(phone, 2, seconds: 0.2)
      let second = self.length(phone, 2)
      try awaitKept(phone)
      node.kill()
      (node, phone) = try start()
      #expect(self.length(phone, 1) == length && self.length(phone, 2) == second)
      #expect(node.end() == 0)
    }

    // MARK: - Disks

    @Test(.hangLimit)
    func `idle loops write nothing to disk`() throws {
      let (node, phone) = try start()
      for loop in 1...4 {
        phone.send("/loop/\(loop)/record")
        try phone.awaitLength(0.2, ofLoop: loop)
        phone.send("/loop/\(loop)/record")
      }
      try waitUntil("all loops play") { (1...4).allSatisfy { state(phone, $0) == "playing" } }
      try awaitKept(phone)
      var (before, unchanged) = (Written(), 0)
      // The state is written as well, and later on a busy machine.
      try waitUntil("no write is pending", every: 2) {
        let former = before
        before = try written(by: node)
        unchanged = before == former ? unchanged + 1 : 0
        return unchanged == 3
      }
      letPass(seconds: 10, "writes in this time are measured")
      let after = try written(by: node)
      print("four loops playing for 10 s: \(after.bytes - before.bytes) bytes written to disk")
      #expect(after.journal == before.journal && after.size == before.size)
      // A page: on a busy machine the state can be saved once, later than that.
      #expect(after.bytes - before.bytes <= 4096)
      #expect(node.end() == 0)
    }

    private struct Written: Equatable {
      var bytes = 0
      var journal: Date?
      var size: Int?
    }

    /// The bytes that a node has written to disk, and the size of its journal.
    private func written(by node: NodeProcess) throws -> Written {
      let text = try String(contentsOfFile: "/proc/\(node.id)/io", encoding: .utf8)
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("write_bytes") })
      let file = try FileManager.default.attributesOfItem(atPath: loops + "/journal")
      return Written(
        bytes: Int(line.split(separator: " ")[1]) ?? -1,
        journal: file[.modificationDate] as? Date, size: file[.size] as? Int)
    }

    @Test(
      .enabled(if: geteuid() == 0, "mounting a small disk requires root"),
      .hangLimit)
    func `on a full disk it plays on, reports it once, and saves everything when there is room`()
      throws
    {
      guard let disk = try SmallDisk(megabytes: 4) else {
        withKnownIssue("a small disk can't be mounted here") { Issue.record("no mount") }
        return
      }
      var (node, phone) = try startNode(on: server, home: disk.path + "/home")
      phone.send("/subscribe", .string("/error"))
      try record(phone, 1, seconds: 0.3)
      try waitUntil("all loops are saved", every: 0.1) {
        (try? LoopStore(in: copied(disk.path + "/home/loops/syrinx")).archive)?
          .slots.first?.current.frames == Int((length(phone, 1) * 48_000).rounded())
      }
      try disk.fill(leaving: 20_000)
      try record(phone, 2, seconds: 0.4)
      try waitUntil("the fault is reported") { node.errors.contains("the loops are not kept: ") }
      #expect(phone.ask("/status/saving")?.arguments == [.string("off")])
      try record(phone, 3, seconds: 0.2)
      let lengths = (1...3).map { length(phone, $0) }
      let frames = lengths.map { Int(($0 * 48_000).rounded()) }
      letPass(seconds: 2, "time for further attempts")
      let lines = node.errors.split(separator: "\n").filter {
        $0.contains("the loops are not kept")
      }
      #expect(lines.count == 1 && lines[0].contains("No space left on device"), "\(lines)")
      try disk.empty()
      try waitUntil("the complete clip is saved", every: 0.2) {
        try LoopStore(in: copied(disk.path + "/home/loops/syrinx")).archive.slots.prefix(3).map {
          ($0.current.frames, $0.wasRecording)
        }.elementsEqual(frames.map { ($0, false) }, by: ==)
      }
      // After ten seconds without another fault.
      try waitUntil("that is reported") { node.errors.contains("the loops are kept again") }
      #expect(phone.ask("/status/saving")?.arguments == [.string("on")])
      node.kill()
      (node, phone) = try startNode(on: server, home: disk.path + "/home")
      #expect((1...3).map { length(phone, $0) } == lengths)
      #expect(node.end() == 0)
    }

    // MARK: - Random kills

    private static let kills =
      ProcessInfo.processInfo.environment["SYRINX_KILLS"].flatMap(Int.init) ?? 12

    // Half a second is what a player may lose. On a busy machine, the writer's thread may get no processor for
    // longer: so each loss counts from the last write, and half of them also from the kill.
    @Test(.hangLimit)
    func `killed at random during overdubs on four loops, it loses less than half a second`() throws
    {
      let probe = try Probe(server: server.name, plays: Self.ramp)
      let latest = Latest()
      probe.listen { frame, samples in latest.add(frame, count: samples.count) }
      var lengths: [Int] = []
      var losses: [Double] = []
      var starts: [Double] = []
      for round in 0...Self.kills {
        let (node, phone) = try start()
        starts.append(try processorSeconds(of: node))
        #expect(!node.errors.contains("loops are"), "round \(round): \(node.errors)")
        // The server may still be busy with the last client's exit.
        try waitUntil("the node is connected", every: 0.05) {
          (try? probe.connect(to: "syrinx")) != nil
        }
        if round == 0 {
          try recordAll(phone)
          phone.send("/settings/resume", .string("playing"))
          try awaitState("/settings/resume=playing")
          lengths = (1...4).map { Int((length(phone, $0) * 48_000).rounded()) }
        }
        let states = (1...4).map { state(phone, $0) }
        #expect(states == ["playing", "playing", "playing", "playing"], "round \(round)")
        #expect((1...4).map { Int((length(phone, $0) * 48_000).rounded()) } == lengths)
        #expect(steps(phone, 1)[0] == min(32, 1 + round), "round \(round)")
        if round == Self.kills {
          #expect(node.end() == 0)
          break
        }
        try awaitInput(phone)
        phone.send("/loop/*/overdub")
        #expect(phone.sync())
        // After the fade-in, and the latency of the input.
        let begun = latest.frame &+ 4800
        // Of sound: on a busy machine less is processed in the same time, too little for a new page.
        try probe.pass(seconds: 0.1 + Double.random(in: 0.25...1.2), "a random moment")
        let end = latest.frame
        node.kill()
        let written = latest.end(at: try lastWrite())
        let store = try LoopStore(in: loops)
        #expect(store.loss == nil, "round \(round)")
        let archive = store.archive
        #expect(archive.slots.count == 4)
        for slot in archive.slots {
          let clip = try sound(of: slot.current, in: archive)
          #expect(clip.count == lengths[slot.number])
          let what = "round \(round), loop \(slot.number + 1)"
          // Not in the macro, which would print the clip.
          let newest = newest(clip, from: begun, to: end, of: latest, what)
          let age = try #require(newest, "the ramp is missing from \(what)")
          // A stalled server skips frames: no sound of them could be lost.
          let lost = latest.seconds(from: end &- UInt32(age), to: end)
          let unwritten = latest.seconds(from: end &- UInt32(age), to: written)
          #expect(unwritten < 0.5, "\(what): lost \(lost) s")
          losses.append(lost)
        }
      }
      starts.sort()
      losses.sort()
      print(
        "killed \(Self.kills) times while four loops were overdubbed: lost "
          + "\(Int(losses[losses.count / 2] * 1000)) ms of the newest layer, at most "
          + "\(Int(losses[losses.count - 1] * 1000)) ms; ready after \(Int(starts[starts.count / 2] * 1000)) ms of "
          + "a processor, at most \(Int(starts[starts.count - 1] * 1000)) ms")
      #expect(losses[losses.count / 2] < 0.5)
      #expect(starts[starts.count / 2] < 1)
    }

    /// The CPU time that a node has used, in seconds, which does not depend on the machine's other
    /// load.
    private func processorSeconds(of node: NodeProcess) throws -> Double {
      let text = try String(contentsOfFile: "/proc/\(node.id)/stat", encoding: .utf8)
      // The fields after the name, which may contain spaces: user and system time are 12th and 13th.
      let fields = try #require(text.split(separator: ")").last).split(separator: " ")
      let (user, system) = (try #require(Int(fields[11])), try #require(Int(fields[12])))
      return Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Waits until the node receives sound.
    private func awaitInput(_ phone: Phone) throws {
      phone.send("/subscribe", .string("/meter"))
      try waitUntil("the node receives sound") {
        phone.receive("/meter")?.arguments.first?.number ?? -200 > -100
      }
      phone.send("/unsubscribe", .string("/meter"))
    }

    /// The time of the last write to the journal, in seconds of the host's clock.
    private func lastWrite() throws -> Double {
      var file = stat()
      try #require(stat(loops + "/journal", &file) == 0)
      return Double(file.st_mtim.tv_sec) + Double(file.st_mtim.tv_nsec) / 1e9
    }

    /// The frames at which the probe has received blocks, and when.
    private final class Latest: @unchecked Sendable {
      private let lock = NSLock()
      private var blocks: [(frame: UInt32, count: Int, time: Double)] = []

      func add(_ frame: UInt32, count: Int) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let time = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        lock.withLock { blocks.append((frame, count, time)) }
      }

      /// The end of the last block.
      var frame: UInt32 {
        lock.withLock { blocks.last.map { $0.frame &+ UInt32($0.count) } ?? 0 }
      }

      /// Whether the server's time has advanced by that many frames between two blocks, as it does
      /// after the server was stopped for as long.
      func hasGap(of frames: Int) -> Bool {
        lock.withLock {
          zip(blocks, blocks.dropFirst()).contains { block, next in
            Int(Int32(bitPattern: next.frame &- block.frame)) - block.count == frames
          }
        }
      }

      /// The end of the last block that was received before a time of the host's clock.
      func end(at time: Double) -> UInt32 {
        lock.withLock {
          blocks.last { $0.time <= time }.map { $0.frame &+ UInt32($0.count) } ?? 0
        }
      }

      /// The seconds of sound that were processed between two frames.
      func seconds(from start: UInt32, to end: UInt32) -> Double {
        lock.withLock {
          let frames = blocks.reversed()
            .drop { Int32(bitPattern: $0.frame &- end) >= 0 }
            .prefix { Int32(bitPattern: $0.frame &- start) > -64 }
            .reduce(0) { $0 + $1.count }
          return Double(frames) / 48_000
        }
      }
    }

    /// Records four clips of different lengths, of which an overdub leaves nothing.
    private func recordAll(_ phone: Phone) throws {
      for loop in 1...4 { phone.send("/loop/\(loop)/feedback", .float(0)) }
      phone.send("/loop/*/record")
      for (index, seconds) in Self.lengths.enumerated() {
        try phone.awaitLength(seconds, ofLoop: index + 1)
        phone.send("/loop/\(index + 1)/record")
      }
      #expect(phone.sync())
      try waitUntil("all loops play") { (1...4).allSatisfy { state(phone, $0) == "playing" } }
    }

    /// The left side of a version.
    private func sound(
      of version: LoopVersion, in archive: LoopArchive
    ) throws -> [Float] {
      var clip = [Float](repeating: 0, count: version.pageCount * LoopRecord.pageFrames)
      var page = [Float](repeating: 0, count: 2 * LoopRecord.pageFrames)
      for index in 0..<version.pageCount {
        guard let place = version.page(index) else { continue }
        try page.withUnsafeMutableBufferPointer { try archive.read(place, into: $0.baseAddress!) }
        clip.replaceSubrange(
          index * LoopRecord.pageFrames..<(index + 1) * LoopRecord.pageFrames,
          with: page[..<LoopRecord.pageFrames])
      }
      return Array(clip.prefix(version.frames))
    }

    /// The frames between a frame and the newest sound of a clip.
    ///
    /// Checks that the sound before it is not older, back to its start.
    private func newest(
      _ clip: [Float], from begun: UInt32, to end: UInt32, of latest: Latest, _ what: String
    ) -> Int? {
      let period = Int(Self.period)
      // The age of each sample, in frames; samples of earlier cycles keep their age.
      let ages = clip.map { value -> Int in
        let time = Int((Double(value) * Double(period)).rounded())
        return ((Int(end) - time) % period + period) % period
      }
      // The input during the kill is the newest.
      func age(_ index: Int) -> Int {
        let age = ages[(index % ages.count + ages.count) % ages.count]
        return age > period - 24_000 ? age - period : age
      }
      // Between two layers there is a crossfade, which encodes no time.
      let told = ages.indices.filter { index in
        (1...16).allSatisfy { age(index - $0) - age(index - $0 + 1) == 1 }
      }
      guard let head = told.min(by: { age($0) < age($1) }) else { return nil }
      let whole = Int(end &- begun) - max(0, age(head))
      var breaks: [String] = []
      func step(_ index: Int) -> Int { age(head - index) - age(head - index + 1) }
      var index = 1
      while index < min(whole, clip.count - 1200) {
        // A server with a short timeout may skip or repeat a block, and on a busy machine stands
        // still for longer. A lost page is one cycle old, half a second at least, and has hard edges.
        if !(-Self.block...20_000).contains(step(index)), !latest.hasGap(of: step(index) - 1) {
          // The initial fade, which may come later than requested.
          if step(index + 1) != 1, step(index + 2) != 1 { break }
          breaks.append("\(index): \(step(index))")
        }
        index += 1
      }
      #expect(breaks.isEmpty, "\(what): older samples between new ones, \(whole) frames")
      return max(0, age(head))
    }
  }
}
