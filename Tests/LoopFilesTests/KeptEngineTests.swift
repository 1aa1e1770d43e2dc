import DSP
import Engine
import Foundation
import Posix
import TestSupport
import Testing

@testable import LoopFiles

/// The loops of an engine, journaled and restored into another engine.
@Suite struct KeptEngineTests {
  /// An engine with persistent loops in a folder.
  private final class Kept {
    let host: OfflineHost
    let journal: LoopJournal
    let store: LoopStore
    let restoration: LoopArchive.Restoration
    /// Whether the disk stalls, so that the journal isn't read.
    var isStalled = false
    /// The frames of blocks in which nothing changed, in which ports that aren't connected are not written.
    private(set) var framesInRuns = 0
    private let input: [Float]
    private var place = 0

    init(
      in folder: String, loops: LoopSetup = LoopSetup(count: 4, seconds: 3, keptSeconds: 4),
      plays: Bool = false, rate: Double = 48_000, input: [Float]? = nil, use: PortUse = .all
    ) throws {
      // Overdubs stay below the limiter, which ends runs of blocks in which nothing changes.
      self.input =
        input
        ?? Tone.noise(amplitude: 0.02, frames: 96_000, seed: UInt64.random(in: 1...1000))
      store = try LoopStore(in: folder)
      let archive = store.archive
      let engine = Engine(sampleRate: rate, loops: loops)
      journal = engine.shared.journal
      let restorer: LoopRestorer
      (restorer, restoration) = archive.restore(into: engine, plays: plays)
      restorer.continueSerials(after: archive.latestSerial)
      if restoration.isWhole { _ = archive.adopt(restorer) }
      archive.mend(restorer)
      journal.request(snapshot: 1)
      host = OfflineHost(takingOver: engine, sampleRate: rate)
      host.use = use
    }

    func reading(_ loop: Int) -> PublishedLoop.Reading {
      host.engine.shared.loops[loop].state.read()
    }

    func act(_ action: LoopAction, _ loop: Int) {
      host.send(Command(.loop(action, loop: UInt8(loop))))
    }

    /// Records a clip of so many frames, which plays from then on.
    func record(_ frames: Int, in loop: Int) throws {
      act(.recordOn, loop)
      try render(frames)
      act(.recordOn, loop)
    }

    /// Renders frames, and writes their journal.
    func render(_ frames: Int, block: Int = 64) throws {
      var left = frames
      while left > 0 {
        // The ring has room for more than the journal of these frames.
        let count = min(left, 4096)
        let end = min(place + count, input.count)
        let output = host.render(Array(input[place..<end]), block: block)
        framesInRuns += output.live.count { $0.isNaN }
        left -= end - place
        place = end == input.count ? 0 : end
        _ = host.events()
        try write()
      }
    }

    func write() throws {
      if isStalled { return }
      var refused = 0
      while try journal.next({ refused += try store.append($0, $1) ? 0 : 1 }) {}
      #expect(refused == 0)
      try store.flush()
    }

    /// The undo history of a loop, with the sound of each version.
    func clips(_ loop: Int) throws -> (place: Int, versions: [[Float]]) {
      act(.stop, loop)
      try render(2048)
      let reading = reading(loop)
      for _ in 0..<reading.stepsBack { act(.undo, loop) }
      var versions: [[Float]] = []
      for step in 0...(reading.stepsBack + reading.stepsForth) {
        if step > 0 { act(.redo, loop) }
        try render(1024)
        versions.append(try copy(loop))
      }
      return (reading.stepsBack, versions)
    }

    private func copy(_ loop: Int) throws -> [Float] {
      if reading(loop).length == 0 { return [] }
      let transfer = ClipTransfer(
        sampleRate: host.engine.shared.sampleRate, seconds: host.engine.shared.loops.seconds)
      host.send(Command(.copyOut(ClipPointer(transfer), loop: UInt8(loop))))
      try render(8192)
      let count = transfer.length + transfer.framesBehind
      #expect(transfer.length > 0)
      return Array(UnsafeBufferPointer(start: transfer.sound.left, count: count))
        + Array(UnsafeBufferPointer(start: transfer.sound.right, count: count))
    }
  }

  private func expectSame(
    _ a: (place: Int, versions: [[Float]]), _ b: (place: Int, versions: [[Float]]),
    _ what: String, at location: SourceLocation = #_sourceLocation
  ) {
    let places = [a.place, b.place]
    let lengths = [a.versions.map(\.count), b.versions.map(\.count)]
    #expect(places[0] == places[1] && lengths[0] == lengths[1], "\(what)", sourceLocation: location)
    for (index, (one, other)) in zip(a.versions, b.versions).enumerated() {
      let place = Measure.firstDifference(one, other)
      #expect(place == nil, "\(what), version \(index)", sourceLocation: location)
    }
  }

  private func copy(_ folder: TemporaryFolder, _ name: String, to other: String) throws {
    try? FileManager.default.removeItem(atPath: folder.path(other))
    try FileManager.default.copyItem(atPath: folder.path(name), toPath: folder.path(other))
  }

  // With the main ports alone, blocks in which nothing changes are rendered in runs.
  @Test(arguments: [PortUse.all, .main])
  func `a clip, its layers and its redo steps are restored bit for bit`(use: PortUse) throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"), use: use)
    kept.act(.record, 1)
    try kept.render(40_000)
    kept.act(.overdub, 1)
    let framesBefore = kept.framesInRuns
    try kept.render(100_000)
    #expect((kept.framesInRuns - framesBefore > 60_000) == (use.bits == PortUse.main.bits))
    kept.act(.overdub, 1)
    try kept.render(3000)
    kept.act(.overdub, 1)
    try kept.render(9000)
    kept.act(.overdub, 1)
    try kept.render(3000)
    kept.act(.undo, 1)
    try kept.render(4096)
    try copy(folder, "one", to: "two")
    let again = try Kept(in: folder.path("two"))
    #expect(again.restoration.isWhole && again.restoration.count == 1)
    #expect(again.reading(1).activity == .stopped)
    let former = try kept.clips(1)
    #expect(former.place == 2 && former.versions.count == 4)
    expectSame(former, try again.clips(1), "loop 2")
    // Nothing is written again.
    try again.render(48_000)
    let written = again.store.bytesWritten
    try again.render(48_000)
    #expect(again.store.bytesWritten == written && written < 20_000)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `any edits of four loops are restored, again and again`(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    var dice = SeededDice(seed: seed)
    let use = seed.isMultiple(of: 2) ? PortUse.main : .all
    var kept = try Kept(in: folder.path("0"), use: use)
    let actions: [LoopAction] = [
      .recordOn, .recordOn, .overdub, .overdub, .overdub, .undo, .redo, .clear, .stop, .play,
      .multiply, .insert, .substitute, .replace, .once, .record, .press, .press, .release, .release,
    ]
    for round in 1...4 {
      for _ in 0..<40 {
        let loop = Int.random(in: 0..<4, using: &dice)
        kept.act(actions.randomElement(using: &dice)!, loop)
        if Int.random(in: 0..<12, using: &dice) == 0 {
          kept.host.send(Command(.keep(0.7, isBars: false, loop: UInt8(loop))))
        }
        try kept.render(
          Int.random(in: 100...9000, using: &dice),
          block: [32, 64, 333, 1024].randomElement(using: &dice)!)
      }
      for loop in 0..<4 {
        kept.act(.release, loop)
        kept.act(.cancel, loop)
        kept.act(.stop, loop)
      }
      try kept.render(24_000)
      try copy(folder, "\(round - 1)", to: "\(round)")
      let again = try Kept(in: folder.path("\(round)"))
      #expect(again.restoration.isWhole, "\(again.restoration.lines)")
      for loop in 0..<4 {
        expectSame(
          try kept.clips(loop), try again.clips(loop), "round \(round), loop \(loop + 1)")
      }
      // New records are appended to the existing ones.
      kept = again
    }
  }

  @Test(arguments: [PortUse.all, .main])
  func `after a kill in the middle of anything, each loop is as it was a moment before`(
    use: PortUse
  ) throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"), use: use)
    for loop in 0..<4 {
      kept.act(.record, loop)
      try kept.render(10_000 + 3000 * loop)
      kept.act(.overdub, loop)
    }
    // All four are overdubbed, and the journal is cut off anywhere.
    for cut in 0..<20 {
      try kept.render(777)
      try copy(folder, "one", to: "two")
      let path = folder.path("two/journal")
      let size = try #require(
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
      truncate(path, size - cut * 1500)
      let again = try Kept(in: folder.path("two"))
      #expect(again.restoration.isWhole && again.restoration.count == 4 && again.store.loss == nil)
      for loop in 0..<4 {
        let clips = try again.clips(loop)
        try #require(clips.place == clips.versions.count - 1 && clips.versions.count == 3)
        #expect(clips.versions[1].count == clips.versions[2].count)
        #expect(clips.versions[2].count >= 2 * (10_000 + 3000 * loop))
        #expect(clips.versions[2].allSatisfy { abs($0) < 20 })
      }
    }
  }

  @Test func `an unfinished recording is a clip as long as it was written`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    kept.act(.record, 0)
    try kept.render(5000)
    kept.act(.recordOn, 0)
    try kept.render(5000)
    kept.act(.recordOn, 0)
    try kept.render(60_000)
    try copy(folder, "one", to: "two")
    let again = try Kept(in: folder.path("two"))
    let reading = again.reading(0)
    #expect(
      (56_000...60_000).contains(reading.length), "\(reading.length) of 60000 frames")
    #expect(reading.stepsBack == 2)
    try again.render(4096)
    try copy(folder, "two", to: "three")
    let third = try Kept(in: folder.path("three"))
    #expect(third.reading(0).length == reading.length)
    expectSame(try again.clips(0), try third.clips(0), "including the synthesized tail")
  }

  @Test func `each page of a recording is written once`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    try kept.render(4096)
    let before = kept.store.bytesWritten
    kept.act(.recordOn, 0)
    try kept.render(96_000)
    kept.act(.recordOn, 0)
    try kept.render(9000)
    let pages = 96_000 / LoopRecord.pageFrames + 1
    let bytes = kept.store.bytesWritten - before
    // A few pages at the end are written again with the tail.
    #expect(bytes > pages * 4096 && bytes < (pages + 8) * 4140 + 20_000, "\(bytes) bytes")
  }

  @Test func `a stalled disk costs neither clips nor undo steps`() throws {
    let folder = try TemporaryFolder()
    let input = Tone.noise(frames: 96_000, seed: 3)
    let setup = LoopSetup(count: 4, seconds: 3, keptSeconds: 4)
    let stalled = try Kept(in: folder.path("one"), loops: setup, input: input)
    let other = try Kept(in: folder.path("other"), loops: setup, input: input)
    stalled.isStalled = true
    // More layers than fit in memory.
    for kept in [stalled, other] {
      for layer in 0..<12 {
        for loop in 0..<4 { kept.act(layer == 0 ? .recordOn : .overdub, loop) }
        try kept.render(layer == 0 ? 140_000 : 150_000)
        for loop in 0..<4 { kept.act(layer == 0 ? .recordOn : .overdub, loop) }
        try kept.render(2000)
      }
    }
    let steps = (0..<4).map { other.reading($0).stepsBack }
    #expect((0..<4).map { stalled.reading($0).stepsBack } == steps)
    #expect(steps.reduce(0, +) < 4 * 12, "steps were dropped for lack of memory: \(steps)")
    let memory = [stalled, other].map { $0.host.engine.memoryUsage.clips }
    #expect(memory[0] <= memory[1] + LoopJournal.usualPages * LoopRecord.pageBytes)
    // The held pages are as they were when they were written.
    stalled.isStalled = false
    for kept in [stalled, other] { try kept.render(300_000) }
    try copy(folder, "one", to: "two")
    let again = try Kept(in: folder.path("two"), loops: setup)
    #expect(again.restoration.isWhole)
    for loop in [0, 3] {
      let clips = try stalled.clips(loop)
      expectSame(clips, try again.clips(loop), "loop \(loop + 1), restored")
      expectSame(clips, try other.clips(loop), "loop \(loop + 1), without a stall")
    }
  }

  @Test func `pages of a former sample rate can be read late`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    kept.isStalled = true
    kept.act(.recordOn, 0)
    try kept.render(30_000)
    kept.act(.recordOn, 0)
    try kept.render(9000)
    // Other memory replaces that of the pages.
    let host = OfflineHost(takingOver: kept.host.engine, sampleRate: 96_000)
    _ = host.render(Tone.constant(0, frames: 4096), block: 64)
    kept.isStalled = false
    try kept.write()
    _ = host.render(Tone.constant(0, frames: 48_000), block: 64)
    try kept.write()
    let slot = try #require(kept.store.archive.slots.first)
    #expect(slot.rate == 96_000 && slot.current.frames == 60_000)
    try copy(folder, "one", to: "two")
    #expect(try Kept(in: folder.path("two"), rate: 96_000).restoration.isWhole)
  }

  @Test(arguments: [LoopAction.multiply, .insert])
  func `a loop that was becoming longer is as before, which is said`(kind: LoopAction) throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"), input: Tone.constant(0.5, frames: 48_000))
    try kept.record(48_000, in: 2)
    kept.act(kind, 2)
    try kept.render(20_000)
    try copy(folder, "one", to: "two")
    let archive = try LoopStore(in: folder.path("two")).archive
    #expect(
      archive.interruptions == [
        "loop 3: a multiply or insert was interrupted, and the loop is as before it"
      ])
    #expect(archive.slots.last { $0.number == 2 }?.current.frames == 48_000)
    // Once it is there, it is kept.
    kept.act(kind, 2)
    try kept.render(20_000)
    #expect(kept.store.archive.interruptions.isEmpty)
    #expect(kept.store.archive.slots.last { $0.number == 2 }?.versions.count == 3)
    let again = try Kept(in: folder.path("two"))
    try again.render(9000)
    #expect(again.store.archive.interruptions.isEmpty)
  }

  @Test func `of layers of two kinds, the interrupted one ends, and the one before is a step`()
    throws
  {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"), input: Tone.constant(0.5, frames: 48_000))
    try kept.record(48_000, in: 2)
    kept.act(.overdub, 2)
    try kept.render(20_000)
    kept.act(.replace, 2)
    try kept.render(20_000)
    try copy(folder, "one", to: "two")
    let archive = try LoopStore(in: folder.path("two")).archive
    #expect(archive.interruptions.count == 1)
    #expect(archive.slots.last { $0.number == 2 }?.versions.count == 4)
    let clips = try Kept(in: folder.path("two")).clips(2).versions
    let (first, second) = (try #require(clips.dropLast().last), try #require(clips.last))
    #expect(abs(first[10_000] - 1) < 1e-4 && abs(first[30_000] - 0.5) < 1e-4)
    #expect(abs(second[10_000] - 1) < 1e-4 && abs(second[30_000] - 0.5) < 1e-4)
  }

  @Test(arguments: [false, true])
  func `an overdub that breaks off leaves no step`(backward: Bool) throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"), input: Tone.constant(0.5, frames: 48_000))
    try kept.record(48_000, in: 2)
    if backward { kept.host.send(Command(.set(.loop(.direction, 2), -1))) }
    kept.act(.overdub, 2)
    try kept.render(20_000)
    try copy(folder, "one", to: "two")
    let archive = try LoopStore(in: folder.path("two")).archive
    let slot = try #require(archive.slots.last { $0.number == 2 })
    let page = try #require(slot.breach)
    #expect(slot.isBreachBackward == backward)
    // 20,000 frames are 39 pages, of 94.
    #expect(((backward ? 55 : 30)...(backward ? 64 : 38)).contains(page), "\(page)")
    let place = Double((backward ? page * 512 : (page + 1) * 512) / 4800) / 10
    #expect(
      archive.interruptions == [
        "loop 3: an overdub was interrupted, and is kept \(backward ? "from \(place) s on" : "up to \(place) s") "
          + "in the loop; at most its last half second is missing"
      ])
    let again = try Kept(in: folder.path("two"))
    let clip = try #require(try again.clips(2).versions.last)
    let left = clip.prefix(48_000)
    let (added, other) = backward ? (40_000, 1000) : (1000, 40_000)
    #expect(abs(left[added] - 1) < 1e-4 && abs(left[other] - 0.5) < 1e-4)
    var steepest: Float = 0
    for frame in 1..<left.count { steepest = max(steepest, abs(left[frame] - left[frame - 1])) }
    // An S-curve over 5 ms.
    #expect(steepest < 0.5 * 2 / 240)
    // It is repaired now, also for the next engine.
    try copy(folder, "two", to: "three")
    let third = try Kept(in: folder.path("three"))
    #expect(third.store.archive.slots.allSatisfy { $0.breach == nil })
    expectSame(try again.clips(2), try third.clips(2), "loop 3")
  }

  @Test func `playing loops continue with the same offsets`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    // A loop of two cycles of the other, which starts in the middle of one of them.
    kept.act(.recordOn, 0)
    try kept.render(24_000)
    kept.act(.recordOn, 0)
    try kept.render(10_000)
    kept.act(.recordOn, 1)
    try kept.render(48_000)
    kept.act(.recordOn, 1)
    kept.act(.recordOn, 2)
    try kept.render(5000)
    kept.act(.recordOn, 2)
    try kept.render(1000)
    kept.act(.stop, 2)
    try kept.render(12_345)
    func places(_ kept: Kept) -> (Int, Int) {
      (kept.reading(0).position, kept.reading(1).position)
    }
    let before = places(kept)
    for rate in [48_000.0, 44_100] {
      try copy(folder, "one", to: "two")
      let again = try Kept(in: folder.path("two"), plays: true, rate: rate)
      #expect(again.reading(0).activity == .playing)
      #expect(again.reading(1).activity == .playing)
      #expect(again.reading(2).activity == .stopped, "it was stopped before")
      #expect(again.reading(1).position < 200, "the longest loop starts at its start")
      let now = places(again)
      let round = 24_000 * rate / 48_000
      let scale = rate / 48_000
      var apart = Double(now.1 - now.0) - Double(before.1 - before.0) * scale
      apart -= (apart / round).rounded() * round
      #expect(abs(apart) < 64, "off by \(apart) frames at \(rate) Hz")
      try again.render(4096)
    }
    try copy(folder, "one", to: "two")
    let silent = try Kept(in: folder.path("two"))
    #expect(silent.reading(0).activity == .stopped)
  }

  @Test func `a restored loop follows the tempo as before`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    // Two beats at 120 bpm.
    kept.act(.recordOn, 0)
    try kept.render(48_000)
    kept.act(.recordOn, 0)
    try kept.render(4800)
    try copy(folder, "one", to: "two")
    for rate in [48_000.0, 44_100] {
      let again = try Kept(in: folder.path("two"), plays: true, rate: rate)
      // At this tempo, a clip without one of its own would be a single beat.
      again.host.send(Command(.set(.beat(.tempo), 60)))
      again.host.send(Command(.set(.loop(.follow, 0), 1)))
      try again.render(9600)
      let before = again.reading(0).position
      try again.render(9600)
      let passed = again.reading(0).position - before
      // Within a splice of the engine.
      #expect(abs(passed - 4800) < 64, "\(passed) at \(rate) Hz")
    }
  }

  @Test func `a clip that was opened to be heard once is restored, and stopped`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    kept.act(.recordOn, 1)
    try kept.render(9600)
    kept.act(.recordOn, 1)
    let transfer = ClipTransfer(sampleRate: 48_000)
    transfer.length = 24_000
    transfer.playsOnce = true
    for frame in 0..<transfer.length {
      transfer.sound.left[frame] = Float(frame % 120) / 240
      transfer.sound.right[frame] = 0
    }
    kept.host.send(Command(.load(ClipPointer(transfer))))
    try kept.render(4096)
    kept.act(.play, 0)
    try kept.render(9600)
    #expect(kept.reading(0).activity == .playing && kept.reading(0).position > 9000)
    try copy(folder, "one", to: "two")
    let again = try Kept(in: folder.path("two"), plays: true)
    #expect(again.reading(0).activity == .stopped && again.reading(0).length == 24_000)
    #expect(again.reading(1).activity == .playing)
  }

  @Test(arguments: 0..<8)
  func `a loop stopped while another plays stays stopped`(blocks: Int) throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    for loop in 0..<2 {
      kept.act(.recordOn, loop)
      try kept.render(9600)
      kept.act(.recordOn, loop)
    }
    try kept.render(9600 + 64 * blocks)
    kept.act(.stop, 1)
    try kept.render(9600)
    try copy(folder, "one", to: "two")
    let again = try Kept(in: folder.path("two"), plays: true)
    #expect(again.reading(0).activity == .playing)
    #expect(again.reading(1).activity == .stopped)
  }

  @Test func `playing loops write nothing, at any rate and in any direction`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    for loop in 0..<4 {
      kept.act(.recordOn, loop)
      try kept.render(9000 + 1000 * loop)
      kept.act(.recordOn, loop)
    }
    kept.host.send(
      Command(.set(.loop(.rate, 0), 1.5)), Command(.set(.loop(.direction, 1), -1)),
      Command(.set(.loop(.quantize, 2), 1)))
    try kept.render(24_000)
    let before = kept.store.bytesWritten
    try kept.render(480_000)
    #expect(kept.store.bytesWritten == before)
  }

  @Test func `an unfinished recording is gone when everything is written again`()
    throws
  {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    kept.act(.recordOn, 0)
    try kept.render(20_000)
    #expect(kept.store.archive.slots[0].wasRecording)
    let line = try #require(kept.store.archive.interruptions.first)
    #expect(line.hasPrefix("loop 1: the recording was interrupted, and 0."))
    kept.act(.recordOn, 0)
    // The journal of these frames is discarded.
    _ = kept.host.render(Tone.constant(0, frames: 9000), block: 64)
    while kept.journal.next({ _, _ in }) {}
    kept.journal.request(snapshot: 2)
    try kept.render(20_000)
    let slot = kept.store.archive.slots[0]
    #expect(!slot.wasRecording && slot.versions.map(\.frames) == [0, 20_000])
    #expect(kept.store.archive.interruptions.isEmpty)
  }

  @Test func `at another sample rate the clips are converted, and stored converted`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    kept.act(.record, 3)
    try kept.render(48_000)
    kept.act(.record, 3)
    try kept.render(9000)
    try copy(folder, "one", to: "two")
    let again = try Kept(in: folder.path("two"), rate: 96_000)
    #expect(again.reading(3).length == 96_000)
    try again.render(48_000)
    try copy(folder, "two", to: "three")
    let third = try Kept(in: folder.path("three"), rate: 96_000)
    #expect(third.store.archive.rates == [96_000])
    expectSame(try again.clips(3), try third.clips(3), "loop 4")
  }

  /// A record of a journal, with its payload.
  private struct Written {
    let record: LoopRecord
    let bytes: [UInt8]
  }

  @Test
  func `a node killed while its loops are written at another sample rate restores all of them`()
    throws
  {
    let folder = try TemporaryFolder()
    // A tone of 480 Hz, of which each clip has whole periods.
    let kept = try Kept(
      in: folder.path("one"),
      input: (0..<48_000).map { 0.5 * Float(sin(2 * .pi * Double($0) / 100)) })
    for loop in 0..<3 { try kept.record(12_000 + 6000 * loop, in: loop) }
    kept.act(.overdub, 1)
    try kept.render(24_000)
    kept.act(.overdub, 1)
    // The fourth loop is being recorded when the server dies.
    kept.act(.recordOn, 3)
    try kept.render(24_000)
    let host = OfflineHost(takingOver: kept.host.engine, sampleRate: 96_000)
    _ = host.render(Tone.constant(0, frames: 4096), block: 64)
    // The first loop is recorded again; its earlier clip is an undo step.
    host.send(Command(.loop(.recordOn, loop: 0)))
    _ = host.render(Tone.constant(0.25, frames: 48_000), block: 64)
    var snapshot: [Written] = []
    while kept.journal.next({ snapshot.append(Written(record: $0, bytes: Array($1))) }) {}
    let lengths = [12_000, 18_000, 24_000, 24_000].map { 2 * $0 }
    // After a kill: clips of both rates, and a loop with clips of both.
    var (mixed, mixedLoops) = (0, 0)
    // The kill is after any record; each 64th is tried, and those before a change of more than a version.
    for count in 0...snapshot.count
    where count % 64 == 0 || count == snapshot.count
      || [.rate, .history, .recording, .phase].contains(snapshot[count].record.kind)
    {
      try copy(folder, "one", to: "two")
      do {
        let store = try LoopStore(in: folder.path("two"))
        for written in snapshot.prefix(count) {
          let isApplied = try written.bytes.withUnsafeBytes {
            try store.append(written.record, $0)
          }
          #expect(isApplied)
        }
        try store.flush()
        mixed += store.archive.rates.count > 1 ? 1 : 0
        mixedLoops +=
          store.archive.slots.contains {
            Set($0.versions.filter { $0.frames > 0 }.map(\.rate)).count > 1
          } ? 1 : 0
      }
      let again = try Kept(in: folder.path("two"), rate: 96_000)
      let what = "after \(count) of \(snapshot.count) records"
      #expect(again.restoration.isWhole && again.restoration.count == 4, "\(what)")
      for loop in 0..<4 {
        // A recording that was interrupted is at most half a second shorter.
        let found = again.reading(loop).length
        if loop == 0, again.reading(0).stepsBack > 1 { again.act(.undo, 0) }
        try again.render(1024)
        let length = again.reading(loop).length
        #expect(
          loop == 3
            ? (lengths[3] - 4800...lengths[3]).contains(length) : length == lengths[loop],
          "\(what): loop \(loop + 1) has \(found), \(length) frames")
      }
      #expect(again.reading(1).overdubs == 1, "\(what)")
      // Converted, the tone has its frequency: one period is 200 frames.
      for loop in 0..<3 {
        let sound = try again.clips(loop).versions[1].prefix(lengths[loop])
        let peak = sound.map(abs).max() ?? 0
        #expect(peak > 0.49, "\(what), loop \(loop + 1): level \(peak)")
        let residue =
          zip(sound.dropFirst(200), sound).map { abs($0 - $1) }.dropFirst(2000)
          .dropLast(2000).max() ?? 1
        // The resampler's error is below -80 dB.
        #expect(residue < 1e-4, "\(what), loop \(loop + 1): residue \(residue)")
      }
      // The journal goes on, and has one rate.
      try again.render(48_000)
      #expect(again.store.archive.rates == [96_000], "\(what)")
    }
    #expect(mixed > 0 && mixedLoops > 0)
  }

  @Test func `a node killed right after a change of the rate keeps the rate of new clips`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    try kept.record(12_000, in: 0)
    try kept.render(24_000)
    let host = OfflineHost(takingOver: kept.host.engine, sampleRate: 96_000)
    _ = host.render(Tone.constant(0, frames: 4096), block: 64)
    var (isChanged, refused) = (false, 0)
    while try !isChanged
      && kept.journal.next({
        isChanged = $0.kind == .rate
        refused += try kept.store.append($0, $1) ? 0 : 1
      })
    {}
    #expect(isChanged && refused == 0)
    try kept.store.flush()
    try copy(folder, "one", to: "two")
    // The server is back at the usual rate, and another loop is recorded.
    let again = try Kept(in: folder.path("two"))
    try again.record(18_000, in: 1)
    again.act(.overdub, 0)
    try again.render(12_000)
    again.act(.overdub, 0)
    try again.render(24_000)
    try copy(folder, "two", to: "three")
    let third = try Kept(in: folder.path("three"))
    #expect(third.restoration.isWhole && third.store.archive.rates == [48_000])
    for loop in 0..<2 {
      let (before, after) = (try again.clips(loop), try third.clips(loop))
      expectSame(before, after, "loop \(loop + 1)")
      #expect(third.reading(loop).length == [12_000, 18_000][loop])
    }
  }

  @Test func `a line reports what does not fit, and everything else is restored`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    for (loop, frames) in [(0, 30_000), (1, 100_000), (3, 20_000)] {
      kept.act(.record, loop)
      try kept.render(frames)
      kept.act(.record, loop)
      try kept.render(9000)
    }
    try copy(folder, "one", to: "two")
    let small = LoopSetup(count: 2, seconds: 1, keptSeconds: 2)
    let again = try Kept(in: folder.path("two"), loops: small)
    #expect(
      again.restoration.lines == [
        "loop 2 has 2 s, and a clip can have 1 s now", "loop 4 has no place: there are 2 now",
      ])
    #expect(again.restoration.count == 1)
    expectSame(try kept.clips(0), try again.clips(0), "loop 1")
  }

  @Test func `if memory is short, undo steps are dropped before other loops`() throws {
    let folder = try TemporaryFolder()
    let setup = LoopSetup(count: 2, seconds: 45, keptSeconds: 1)
    let rate = 8000.0
    let pages = Int(44 * rate) / LoopRecord.pageFrames
    // Four such clips fit, and part of a fifth.
    #expect(4...4 ~= Int(setup.pooledSeconds * rate) / (pages * LoopRecord.pageFrames))
    do {
      let store = try LoopStore(in: folder.path("loops"))
      let script = JournalScript()
      script.rate(Int(rate))
      // The first loop has five versions that share nothing, and the fourth one is the current one.
      for serial in UInt32(1)...6 {
        let slot = serial < 6 ? 0 : 1
        script.version(slot, serial)
        for page in 0..<pages {
          if !script.hasRoom(1) { try script.pass(to: store) }
          script.page(slot, serial, page, 0.1 * Float(serial))
        }
        script.length(slot, serial, pages * LoopRecord.pageFrames, clip: Int(serial))
        try script.pass(to: store)
      }
      script.history(0, [1, 2, 3, 4, 5], place: 3)
      script.history(1, [6])
      try script.pass(to: store)
      try store.flush()
    }
    let kept = try Kept(in: folder.path("loops"), loops: setup, rate: rate)
    #expect(
      kept.restoration.lines == [
        "loop 1 lost 2 undo or redo steps, which don't fit in memory"
      ])
    #expect(kept.restoration.count == 2)
    #expect(kept.reading(0).stepsBack == 1 && kept.reading(0).stepsForth == 1)
    for loop in 0..<2 {
      #expect(kept.reading(loop).length == pages * LoopRecord.pageFrames)
      #expect(kept.reading(loop).clip == (loop == 0 ? 4 : 6))
    }
  }

  @Test func `a journal too small for everything at once has everything in the end`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    kept.act(.record, 0)
    try kept.render(100_000)
    kept.act(.record, 0)
    try kept.render(9000)
    // Written again during an overdub, with a slow reader.
    kept.journal.request(snapshot: 2)
    kept.act(.play, 0)
    kept.act(.overdub, 0)
    var (isCurrent, isWhole) = (false, true)
    let input = Tone.noise(frames: 20_000, seed: 7)
    for _ in 0..<30 {
      _ = kept.host.render(input, block: 64)
      for _ in 0..<40 {
        let came = try kept.journal.next { record, bytes in
          if record.kind == .rate { isCurrent = record.other == 2 || isCurrent }
          isWhole = try kept.store.append(record, bytes) && isWhole
        }
        if !came { break }
      }
    }
    kept.act(.overdub, 0)
    try kept.render(96_000)
    #expect(isCurrent && isWhole)
    try copy(folder, "one", to: "two")
    expectSame(try kept.clips(0), try Kept(in: folder.path("two")).clips(0), "loop 1")
  }

  // MARK: - Damage

  /// The pages of each version of each slot.
  private func pages(_ archive: LoopArchive) throws -> [Int: [[[Float]?]]] {
    var slots: [Int: [[[Float]?]]] = [:]
    for slot in archive.slots {
      slots[slot.number] = try slot.versions.map { version in
        var pages: [[Float]?] = try (0..<version.pageCount).map { index in
          guard let offset = version.page(index) else { return nil }
          var sound = [Float](repeating: 0, count: 2 * LoopRecord.pageFrames)
          try sound.withUnsafeMutableBufferPointer {
            try archive.read(offset, into: $0.baseAddress!)
          }
          return sound
        }
        while pages.last == .some(nil) { pages.removeLast() }
        return pages
      }
    }
    return slots
  }

  /// The indices at which two versions have different pages.
  private func differences(_ one: [[Float]?], _ other: [[Float]?]) -> [Int] {
    (0..<max(one.count, other.count)).filter {
      ($0 < one.count ? one[$0] : nil) != ($0 < other.count ? other[$0] : nil)
    }
  }

  @Test func `damage at every percent of a journal changes at most the page that it hits`() throws {
    let folder = try TemporaryFolder()
    let kept = try Kept(in: folder.path("one"))
    for loop in 0..<3 {
      kept.act(.record, loop)
      try kept.render(20_000)
      for _ in 0..<2 {
        kept.act(.overdub, loop)
        try kept.render(15_000)
      }
      kept.act(.play, loop)
      try kept.render(4000)
    }
    kept.act(.undo, 1)
    try kept.render(4096)
    let whole = try folder.bytes("one/journal")
    let expected = try pages(kept.store.archive)
    #expect(expected.values.count { $0.count >= 3 } == 3)
    let path = folder.path("two/journal")
    try Files.makeFolder(folder.path("two"))
    for percent in 0..<100 {
      let place = max(32, whole.count * percent / 100)
      var flipped = whole
      flipped[place] ^= 1 << UInt8(percent % 8)
      try flipped.write(to: URL(fileURLWithPath: path))
      #expect(try pages(LoopStore(in: folder.path("two")).archive) == expected, "\(percent) %")
      // Too much to be repaired.
      for index in place..<min(place + 3, whole.count) { flipped[index] ^= 0x96 }
      try flipped.write(to: URL(fileURLWithPath: path))
      let found = try pages(LoopStore(in: folder.path("two")).archive)
      var changed: Set<[Int]> = []
      for (number, versions) in expected {
        for version in versions {
          let nearest = (found[number] ?? [[]]).map { differences(version, $0) }
            .min { $0.count < $1.count }
          changed.formUnion((nearest ?? []).map { [number, $0] })
        }
      }
      // Three bytes can be in two records.
      #expect(changed.count <= 2, "\(percent) %: \(changed)")
    }
  }
}
