import Control
import Engine
import Foundation
import OSC
import TestSupport
import Testing

@Suite struct ScenesTests {
  private let stage: SceneDesk
  private var desk: Desk { stage.desk }

  init() throws { stage = try SceneDesk() }

  @Test func `a saved scene brings back all values in the next block`() {
    desk.tell("/live/gain", .float(-6))
    desk.tell("/echo/on", .int32(1))
    desk.tell("/metronome/bpm", .float(97))
    desk.tell("/loop/2/mute", .int32(1))
    desk.tell("/live/route", .string("direct"))
    #expect(stage.result("/scene/save", .string("verse")) == "verse")
    desk.tell("/live/gain", .float(0))
    desk.tell("/echo/on", .int32(0))
    desk.tell("/metronome/bpm", .float(120))
    desk.tell("/loop/2/mute", .int32(0))
    desk.tell("/live/route", .string("chain"))
    #expect(stage.result("/scene/save", .string("chorus")) == "chorus")
    desk.tell("/scene", .string("verse"))
    desk.pass()
    #expect(stage.value("/scene") == "verse")
    #expect(stage.value("/live/gain") == "-6.0")
    #expect(stage.value("/echo/on") == "1.0")
    #expect(stage.value("/metronome/bpm") == "97.0")
    #expect(stage.value("/loop/2/mute") == "1.0")
    #expect(stage.value("/live/route") == "direct")
    #expect(stage.values("/scenes") == ["chorus", "verse"])
  }

  @Test func `a scene holds no setting of the place or the hardware`() throws {
    stage.result("/scene/save", .string("all"))
    let text = try stage.text("scenes", "all")
    for path in ["/lock", "/mute", "/tempo/source", "/capture/source", "/loop/1/position"] {
      #expect(!text.contains("\"\(path)\""), "\(path)")
    }
    for path in ["/live/gain", "/reverb/mix", "/metronome/bpm", "/guard/on", "/loop/4/mute"] {
      #expect(text.contains("\"\(path)\""), "\(path)")
    }
  }

  @Test func `a scene leaves alone what its limits exclude`() throws {
    #expect(
      stage.result("/scene/save", .string("fx"), .string("/echo"), .string("-/echo/mix")) == "fx")
    let text = try stage.text("scenes", "fx")
    #expect(
      text.contains("/echo/time") && !text.contains("/live") && !text.contains("\"/echo/mix\":"))
    // The limits stay when it is saved again.
    #expect(stage.result("/scene/save", .string("fx")) == "fx")
    #expect(try stage.text("scenes", "fx") == text)
    #expect(stage.result("/scene/save", .string("fx"), .string("echo")).hasPrefix("type: "))
    // They also hold for values written by hand.
    try stage.put(
      #"{ "but": ["/live"], "set": { "/live/gain": -20, "/grid/gain": -20 } }"#, "scenes", "hand")
    #expect(stage.result("/scene", .string("hand")) == "hand")
    #expect(stage.value("/live/gain") == "0.0")
    #expect(stage.value("/grid/gain") == "-20.0")
  }

  @Test func `a scene can start from a preset and change settings of the grid`() throws {
    try stage.put(
      #"{ "preset": "chipmunk", "set": { "/pitch/semitones": 3, "/grid/scale": "major" } }"#,
      "scenes", "hand")
    #expect(stage.result("/scene", .string("hand")) == "hand")
    #expect(stage.value("/pitch/on") == "1.0")
    #expect(stage.value("/pitch/semitones") == "3.0")
    #expect(stage.value("/grid/scale") == "major")
  }

  @Test func `each fault of a file is reported with its line, and nothing is set`() throws {
    try stage.put(
      """
      {
        "set": {
          "/live/gain": -6,
          "/live/gian": -6,
          "/echo/mix": 7
        },
        "loops": { "play": [9], "pause": [1] },
        "song": "blue",
        "tune": 1
      }
      """, "scenes", "hand")
    let replies = desk.ask("/scene/check", until: ["/scene/checked"])
    let faults = replies.filter { $0.address == "/scene/fault" }
    #expect(faults.map { $0.arguments[1].number } == [7, 8, 9, 4, 5, 1])
    #expect(replies.last == Received("/scene/checked", [.int32(6)]))
    desk.tell("/scene", .string("hand"))
    desk.pass()
    #expect(stage.value("/live/gain") == "0.0")
    #expect(stage.value("/scene") == "")
    #expect(stage.result("/scene", .string("hnad")).hasPrefix("missing: "))
  }

  @Test(arguments: ["beat", "bar"])
  func `a scene takes effect on the frame of its moment`(moment: String) throws {
    try stage.put(#"{ "programs": [{ "channel": 3, "program": 7 }] }"#, "scenes", "hand")
    desk.awaitDisk()
    stage.result("/scene/check")
    desk.tell("/metronome/bpm", .float(133))
    // Past the first beat of a bar.
    while desk.host.engine.shared.latestBeat.beat != 2 { desk.pass(frames: 480) }
    desk.tell("/scene", .string("hand"), .string(moment))
    #expect(stage.values("/scene/queued") == ["hand", moment])
    var found: Int64?
    for _ in 0..<5000 where found == nil {
      let output = desk.play(Tone.constant(0, frames: 64))
      if let message = output.midi.first {
        #expect(message.bytes == [0xC2, 6])
        found = desk.host.engine.shared.clockReading.frame + Int64(message.frame)
      }
    }
    let beat = desk.host.engine.shared.latestBeat
    #expect(found == beat.frame)
    #expect(beat.beat == (moment == "bar" ? 1 : 3))
    #expect(stage.values("/scene/queued") == ["", ""])
  }

  @Test func `the node polls within 5 ms after it sends a switch`() throws {
    try stage.put(#"{ "set": { "/live/gain": -9 } }"#, "scenes", "hand")
    stage.result("/scene/check")
    desk.tell("/scene", .string("hand"), .string("beat"))
    var delay = Int.max
    while stage.value("/scene/queued") == "hand" {
      _ = desk.host.render(Tone.constant(0, frames: 64), block: 64)
      desk.seconds += 64 / 48_000
      delay = desk.node.tick()
    }
    #expect(delay <= 5)
  }

  @Test func `a scene waits for the cycle of the leading loop`() throws {
    stage.record(1, hertz: 400, frames: 30_000)
    try stage.put(#"{ "set": { "/live/gain": -9 } }"#, "scenes", "hand")
    stage.result("/scene/check")
    desk.tell("/loop/1/play")
    _ = desk.play(Tone.constant(0, frames: 640))
    desk.tell("/scene", .string("hand"), .string("loop"))
    let cycle = try #require(desk.host.engine.shared.nextCycle)
    while desk.host.engine.shared.clockReading.frame + 64 <= cycle {
      #expect(stage.value("/live/gain") == "0.0")
      _ = desk.play(Tone.constant(0, frames: 64))
    }
    _ = desk.play(Tone.constant(0, frames: 64))
    #expect(stage.value("/live/gain") == "-9.0")
  }

  @Test func `a waiting scene can be withdrawn or replaced`() throws {
    try stage.put(#"{ "set": { "/live/gain": -9 } }"#, "scenes", "a")
    try stage.put(#"{ "set": { "/live/gain": -3 } }"#, "scenes", "b")
    stage.result("/scene/check")
    desk.tell("/metronome/bpm", .float(60))
    while desk.host.engine.shared.latestBeat.beat != 2 { desk.pass(frames: 480) }
    desk.tell("/scene", .string("a"), .string("bar"))
    desk.tell("/scene/cancel")
    desk.pass(frames: 4 * 48_000)
    #expect(stage.value("/live/gain") == "0.0")
    #expect(desk.tell("/scene/cancel").first?.arguments[1] == .string("state"))
    desk.tell("/scene/at", .string("bar"))
    desk.tell("/scene", .string("a"))
    let told = desk.tell("/scene", .string("b"))
    #expect(told.first?.arguments.last?.text?.contains("\"a\" was canceled") == true)
    desk.pass(frames: 4 * 48_000)
    #expect(stage.value("/live/gain") == "-3.0")
  }

  @Test func `fifty scenes switch in one block each`() throws {
    for index in 0..<50 {
      desk.tell("/live/gain", .float(Float(-index)))
      #expect(stage.result("/scene/save", .string("s\(index)")) == "s\(index)")
    }
    for index in (0..<50).reversed() {
      desk.tell("/scene", .string("s\(index)"))
      desk.pass()
      #expect(stage.value("/scene") == "s\(index)")
      #expect(stage.value("/live/gain") == "\(Float(-index))")
    }
  }

  @Test func `the lock keeps scenes from being replaced or deleted`() {
    #expect(stage.result("/scene/save", .string("a")) == "a")
    desk.tell("/lock", .int32(1))
    #expect(stage.result("/scene/save", .string("a")).hasPrefix("denied: "))
    #expect(stage.result("/scene/delete", .string("a")).hasPrefix("denied: "))
    #expect(stage.result("/scene/save", .string("b")) == "b")
    desk.tell("/lock", .int32(0))
    #expect(stage.result("/scene/delete", .string("a")) == "a")
    #expect(stage.values("/scenes") == ["b"])
  }

  @Test func `a scene plays and stops loops`() throws {
    stage.record(1, hertz: 400)
    stage.record(2, hertz: 500)
    desk.tell("/loop/1/play")
    _ = desk.play(Tone.constant(0, frames: 640))
    #expect(stage.result("/scene/save", .string("one")) == "one")
    #expect(try stage.text("scenes", "one").contains(#""play": [1], "stop": [2]"#))
    desk.tell("/loop/1/stop")
    desk.tell("/loop/2/play")
    _ = desk.play(Tone.constant(0, frames: 640))
    #expect(stage.result("/scene", .string("one")) == "one")
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(stage.value("/loop/1/state") == "playing")
    #expect(stage.value("/loop/2/state") == "stopped")
    // A loop that plays already is not paused.
    #expect(stage.result("/scene", .string("one")) == "one")
    _ = desk.play(Tone.constant(0, frames: 640))
    #expect(stage.value("/loop/1/state") == "playing")
  }

  @Test func `a scene loads its loop set once, unless the lock holds the loops`() throws {
    stage.record(1, hertz: 400)
    #expect(stage.result("/loops/save", .string("evening")) == "evening")
    desk.tell("/loop/1/clear")
    desk.pass()
    try stage.put(#"{ "loops": { "set": "evening", "play": [1] } }"#, "scenes", "hand")
    stage.result("/scene/check")
    desk.tell("/lock", .int32(1))
    let refused = desk.tell("/scene", .string("hand"))
    #expect(refused.contains { $0.address == "/error" && $0.arguments[1] == .string("denied") })
    desk.pass()
    desk.tell("/lock", .int32(0))
    desk.tell("/scene", .string("hand"))
    desk.pass(until: "the loop plays") { stage.value("/loop/1/state") == "playing" }
    desk.tell("/loop/1/stop")
    desk.pass(frames: 4800)
    desk.tell("/scene", .string("hand"))
    desk.pass()
    desk.pass()
    #expect(stage.value("/loop/1/state") == "playing")
  }

  /// Saves a set of one loop with a tone, and removes it from the loops.
  private func saveSet(_ name: String, loop: Int, hertz: Double) {
    stage.record(loop, hertz: hertz)
    #expect(stage.result("/loops/save", .string(name)) == name)
    desk.tell("/loop/\(loop)/clear")
    desk.pass()
  }

  @Test func `a scene exchanges the loops for those of its set on one frame`() throws {
    saveSet("a", loop: 1, hertz: 400)
    saveSet("b", loop: 2, hertz: 600)
    desk.tell("/loop/1/record")
    _ = desk.play(Tone.sine(500, frames: 24_000))
    desk.tell("/loop/1/play")
    _ = desk.play(Tone.constant(0, frames: 640))
    try stage.put(
      #"{ "loops": { "set": "b", "play": [2] }, "programs": [{ "program": 7 }] }"#, "scenes", "hand"
    )
    desk.awaitDisk()
    stage.result("/scene/check")
    while desk.host.engine.shared.latestBeat.beat != 2 { desk.pass(frames: 480) }
    desk.tell("/scene", .string("hand"), .string("beat"))
    desk.awaitDisk()
    var found: Int64?
    for _ in 0..<5000 where found == nil {
      #expect(desk.host.engine.shared.loops[1].state.read().length == 0)
      #expect(desk.host.engine.shared.loops[0].state.read().state.isPlaying)
      let output = desk.play(Tone.constant(0, frames: 64))
      if let message = output.midi.first {
        found = desk.host.engine.shared.clockReading.frame + Int64(message.frame)
      }
    }
    #expect(found == desk.host.engine.shared.latestBeat.frame)
    // In the block of the program change, all loops are those of the set.
    #expect(desk.host.engine.shared.loops[0].state.read().length == 0)
    let loop = desk.host.engine.shared.loops[1].state.read()
    #expect(loop.length == 24_000 && loop.state.isPlaying)
    // Two cycles, without the fade and the other loop's end, and without the loop point, where silence was recorded.
    let heard = desk.play(Tone.constant(0, frames: 48_000)).left
    for part in [2400..<22_000, 26_400..<46_000] {
      #expect(Measure.residue(heard[part], hertz: 600, sampleRate: 48_000) < -100)
    }
    #expect(stage.value("/scene") == "hand")
    // The take's name and all values are those of the set, and undo leads back.
    desk.tell("/loop/2/undo")
    desk.pass()
    #expect(desk.host.engine.shared.loops[1].state.read().length == 0)
  }

  @Test func `scenes with loop sets switch in one block each once they are read`() throws {
    let names = ["a", "b", "c"]
    for (index, name) in names.enumerated() {
      saveSet(name, loop: index + 1, hertz: 400)
      try stage.put(
        #"{ "loops": { "set": "\#(name)", "play": [\#(index + 1)] } }"#, "scenes", name)
    }
    stage.result("/scene/check")
    for index in [0, 1, 2, 1, 0, 2, 0] {
      desk.awaitDisk()
      desk.tell("/scene", .string(names[index]))
      _ = desk.play(Tone.constant(0, frames: 64))
      let playing = (0..<3).filter {
        desk.host.engine.shared.loops[$0].state.read().state.isPlaying
      }
      #expect(playing == [index])
      // The clip is copied before the next set.
      _ = desk.play(Tone.constant(0, frames: 4800))
    }
  }

  @Test func `sets in quick succession are exchanged on one frame each, and one undo leads back`()
    throws
  {
    for loop in 1...3 { stage.record(loop, hertz: 400, frames: 96_000) }
    #expect(stage.result("/loops/save", .string("full")) == "full")
    desk.tell("/loop/1/clear")
    desk.tell("/loop/2/clear")
    desk.pass()
    #expect(stage.result("/loops/save", .string("part")) == "part")
    try stage.put(#"{ "loops": { "set": "full", "play": [1, 2, 3] } }"#, "scenes", "full")
    try stage.put(#"{ "loops": { "set": "part", "play": [3] } }"#, "scenes", "part")
    stage.result("/scene/check")
    desk.awaitDisk()
    func lengths() -> [Int] {
      (0..<3).map { desk.host.engine.shared.loops[$0].state.read().length }
    }
    var seen = [lengths()]
    for name in ["full", "part", "full"] {
      desk.tell("/scene", .string(name))
      for _ in 0..<6 {
        _ = desk.play(Tone.constant(0, frames: 64))
        if lengths() != seen.last { seen.append(lengths()) }
      }
      desk.awaitDisk()
    }
    for _ in 0..<200 {
      _ = desk.play(Tone.constant(0, frames: 480))
      if lengths() != seen.last { seen.append(lengths()) }
    }
    let (full, part) = ([96_000, 96_000, 96_000], [0, 0, 96_000])
    #expect(seen.allSatisfy { $0 == full || $0 == part } && seen.last == full)
    for loop in 1...3 { desk.tell("/loop/\(loop)/undo") }
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(lengths() == (seen.count > 2 ? seen[seen.count - 2] : part))
  }

  @Test func `a set leaves alone the loops that the scene excludes`() throws {
    saveSet("b", loop: 2, hertz: 600)
    stage.record(1, hertz: 400)
    stage.record(2, hertz: 500, frames: 30_000)
    desk.tell("/loop/2/play")
    try stage.put(
      #"{ "but": ["/loop/2"], "loops": { "set": "b", "play": [1] } }"#, "scenes", "hand")
    stage.result("/scene/check")
    desk.awaitDisk()
    #expect(stage.result("/scene", .string("hand")) == "hand")
    _ = desk.play(Tone.constant(0, frames: 4800))
    let loop = desk.host.engine.shared.loops[1].state.read()
    #expect(loop.length == 30_000 && loop.state.isPlaying)
    #expect(desk.host.engine.shared.loops[0].state.read().length == 0)
  }

  @Test(arguments: ["off", "beat", "bar"], ["now", "beat", "bar", "end"])
  func `a switch wins over starts and stops that wait for its moment`(
    quantize: String, stopAt: String
  )
    throws
  {
    for loop in 1...4 { stage.record(loop, hertz: 300 + 50 * Double(loop)) }
    desk.tell("/metronome/bpm", .float(150))
    for loop in 1...4 {
      desk.tell("/loop/\(loop)/quantize", .string(quantize))
      desk.tell("/loop/\(loop)/stopAt", .string(stopAt))
    }
    try stage.put(#"{ "loops": { "play": [1, 2], "stop": [3, 4] } }"#, "scenes", "a")
    try stage.put(#"{ "loops": { "play": [3, 4], "stop": [1, 2] } }"#, "scenes", "b")
    stage.result("/scene/check")
    func playing() -> [Int] {
      (0..<4).filter { desk.host.engine.shared.loops[$0].state.read().state.isPlaying }
    }
    stage.result("/scene", .string("a"))
    for _ in 0..<400 { _ = desk.play(Tone.constant(0, frames: 480)) }
    #expect(playing() == [0, 1])
    while desk.host.engine.shared.latestBeat.beat != 1 {
      _ = desk.play(Tone.constant(0, frames: 480))
    }
    // b takes effect with the second beat, and its starts and stops may wait for the bar; a comes with the bar.
    desk.tell("/scene", .string("b"), .string("beat"))
    while stage.value("/scene") != "b" { _ = desk.play(Tone.constant(0, frames: 64)) }
    desk.tell("/scene", .string("a"), .string("bar"))
    for _ in 0..<800 { _ = desk.play(Tone.constant(0, frames: 480)) }
    #expect(stage.value("/scene") == "a")
    #expect(playing() == [0, 1])
  }

  @Test func `a switch ends a fade-out, and withdraws an armed recording`() throws {
    stage.record(1, hertz: 400)
    try stage.put(#"{ "loops": { "play": [1], "stop": [2] } }"#, "scenes", "hand")
    stage.result("/scene/check")
    desk.tell("/loop/1/play")
    _ = desk.play(Tone.constant(0, frames: 4800))
    desk.tell("/loop/1/fade", .float(-1))
    desk.tell("/loop/2/quantize", .string("bar"))
    _ = desk.play(Tone.constant(0, frames: 24_000))
    desk.tell("/loop/2/record")
    #expect(stage.result("/scene", .string("hand")) == "hand")
    for _ in 0..<300 { _ = desk.play(Tone.constant(0, frames: 480)) }
    #expect(stage.value("/loop/1/state") == "playing")
    #expect(desk.host.engine.shared.loops[1].state.read().state.isRecording == false)
    #expect(desk.host.engine.shared.loops[1].state.read().length == 0)
    let heard = desk.play(Tone.constant(0, frames: 24_000)).left
    #expect(Measure.peak(heard) > 0.4)
  }

  @Test(arguments: [
    (#"{ "set": { "/grid/instrument": "nope" } }"#, "/grid/instrument"),
    (#"{ "song": 3 }"#, "/music/play"),
  ])
  func `what a scene can't do later is reported to its sender`(scene: String, path: String) throws {
    desk.node[Instruments.self].open { _ in }
    try stage.put(scene, "scenes", "hand")
    stage.result("/scene/check")
    var replies = desk.tell("/scene", .string("hand"))
    var errors: [String] = []
    desk.pass(until: "it is refused") {
      replies += desk.take()
      errors = replies.filter { $0.address == "/error" }.compactMap { $0.arguments[0].text }
      return !errors.isEmpty
    }
    #expect(errors.first == path)
    #expect(stage.value("/scene") == "hand")
  }

  @Test func `limits that name nothing, a lock, and a loop that is to play and to stop are faults`()
    throws
  {
    #expect(stage.result("/scene/save", .string("a"), .string("/nope")).hasPrefix("unknown: "))
    #expect(stage.result("/scene/save", .string("a"), .string("-/loop/7")) == "a")
    try stage.put(
      """
      {
        "only": ["/echo",
          "/nope"],
        "set": {
          "/lock": 0
        },
        "loops": { "play": [1], "stop": [1] }
      }
      """, "scenes", "hand")
    let faults = desk.ask("/scene/check", until: ["/scene/checked"])
      .filter { $0.address == "/scene/fault" }
    #expect(Set(faults.map { $0.arguments[1].number }) == [1, 3])
    try stage.put(#"{ "set": { "/lock": 0 } }"#, "scenes", "hand")
    let lock = desk.ask("/scene/check", until: ["/scene/checked"])
      .filter { $0.address == "/scene/fault" }
    #expect(lock.count == 1)
  }

  @Test func `a saved scene has the instrument of the grid`() throws {
    #expect(stage.result("/scene/save", .string("all")) == "all")
    #expect(try stage.text("scenes", "all").contains("/grid/instrument"))
  }

  @Test func `the last of several scenes in quick succession decides about the loops`() throws {
    for (index, name) in ["a", "b"].enumerated() {
      stage.record(1, hertz: index == 0 ? 400 : 600, frames: 240_000)
      #expect(stage.result("/loops/save", .string(name)) == name)
      try stage.put(#"{ "loops": { "set": "\#(name)", "play": [1] } }"#, "scenes", name)
    }
    desk.tell("/loop/1/clear")
    stage.result("/scene/check")
    desk.awaitDisk()
    // Five seconds are copied in a third of a second.
    for name in ["b", "a", "b", "a"] {
      desk.tell("/scene", .string(name))
      _ = desk.play(Tone.constant(0, frames: 64))
      desk.awaitDisk()
    }
    for _ in 0..<150 { _ = desk.play(Tone.constant(0, frames: 480)) }
    let heard = desk.play(Tone.constant(0, frames: 48_000)).left
    #expect(Measure.residue(heard, hertz: 400, sampleRate: 48_000) < -100)
    #expect(desk.take().allSatisfy { $0.address != "/error" })
  }

  @Test func `a scene leaves the tempo of another source alone`() throws {
    try stage.put(#"{ "set": { "/metronome/bpm": 87, "/live/gain": -9 } }"#, "scenes", "slow")
    let now = desk.host.engine.shared.clockReading
    desk.host.engine.shared.link.put(
      LinkReading(microseconds: now.microseconds, beat: 0, beatsPerMinute: 130))
    desk.tell("/tempo/source", .string("link"))
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(stage.value("/metronome/bpm") == "130.0")
    #expect(stage.result("/scene", .string("slow")) == "slow")
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(stage.value("/metronome/bpm") == "130.0")
    #expect(stage.value("/live/gain") == "-9.0")
    desk.tell("/tempo/source", .string("own"))
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(stage.result("/scene", .string("slow")) == "slow")
    #expect(stage.value("/metronome/bpm") == "87.0")
  }

  @Test func `a scene whose loop set is missing reports it, and sets its values`() throws {
    try stage.put(
      #"{ "loops": { "set": "nowhere" }, "set": { "/live/gain": -9 } }"#, "scenes", "hand")
    let replies = desk.ask("/scene", .string("hand"))
    #expect(replies.last?.arguments[1] == .string("missing"))
    desk.pass()
    #expect(stage.value("/live/gain") == "-9.0")
  }
}
