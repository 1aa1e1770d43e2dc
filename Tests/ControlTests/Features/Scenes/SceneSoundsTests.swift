import Engine
import Foundation
import OSC
import Posix
import TestSupport
import Testing

@testable import Control

/// The instrument, the scale and the song of a scene, as heard at the moment of the switch.
@Suite struct SceneSoundsTests {
  private let stage: SceneDesk
  private var desk: Desk { stage.desk }

  init() throws {
    stage = try SceneDesk()
    for folder in ["sounds", "music"] {
      try FileManager.default.createDirectory(
        at: stage.root.appendingPathComponent(folder), withIntermediateDirectories: true)
    }
    try addInstrument("low", hertz: 400)
    try addInstrument("high", hertz: 1000)
    try writeSong("a", hertz: 300)
    try writeSong("b", hertz: 700)
    _ = desk.ask("/grid/instrument", .string("low"))
    desk.awaitDisk()
  }

  // MARK: - Material

  /// An instrument that plays a tone of ten seconds without an attack, at this frequency on key 60.
  private func addInstrument(_ name: String, hertz: Double) throws {
    let folder = stage.root.appendingPathComponent("sounds").path
    try SoundFixture.write(
      "\(folder)/\(name).wav",
      left: Tone.sine(hertz, amplitude: 0.5, frames: 480_000), rate: 48_000)
    try Data("<region> sample=\(name).wav pitch_keycenter=60 ampeg_release=0.001\n".utf8)
      .write(to: URL(fileURLWithPath: "\(folder)/\(name).sfz"))
    let replies = desk.ask("/instrument/load", .string(name), .string("sounds/\(name).sfz"))
    #expect(replies.last?.address == "/reply")
  }

  /// A song of five seconds that begins at the crest of a tone.
  private func writeSong(_ name: String, hertz: Double) throws {
    let sound = (0..<240_000).map { 0.5 * Float(cos(2 * .pi * hertz * Double($0) / 48_000)) }
    try SoundFixture.write(
      stage.root.appendingPathComponent("music/\(name).wav").path, [sound])
  }

  private func put(_ text: String, as name: String) throws {
    try stage.put(text, "scenes", name)
    stage.result("/scene/check")
    awaitReading()
  }

  /// Waits until what the scenes need is in memory.
  private func awaitReading() {
    let scenes = desk.node.features[Scenes.self]
    desk.pass(until: "all is read") {
      !scenes.instruments.isReading && !scenes.songs.isReading && !scenes.sets.isReading
    }
  }

  // MARK: - Time

  /// The first frame of the next block, as the engine counts.
  private var next: Int64 { desk.host.engine.shared.clockReading.frame + 64 }

  /// A sound, from a frame on.
  private struct Heard {
    var first: Int64
    var sound: [Float] = []
    func from(_ frame: Int64, count: Int) -> ArraySlice<Float> {
      sound[Int(frame - first)..<Int(frame - first) + count]
    }
  }

  /// Plays until a frame.
  private func listen(until frame: Int64) -> Heard {
    var heard = Heard(first: next)
    while next < frame { heard.sound += desk.play(Tone.constant(0, frames: 64)).left }
    return heard
  }

  /// Presses or releases a MIDI key at a frame.
  private func key(_ number: UInt8, _ velocity: UInt8, at frame: Int64) {
    let host = UInt32(Int64(desk.host.frame) + frame - next)
    desk.host.midi.append((host, [0x90, number, velocity]))
  }

  /// The frame of a beat at least 0.3 s ahead.
  private func nextBeat() -> Int64 {
    while desk.host.engine.shared.latestBeat.nextFrame < next + 14_400 {
      _ = desk.play(Tone.constant(0, frames: 64))
    }
    return desk.host.engine.shared.latestBeat.nextFrame
  }

  /// Queues a scene for the next beat, and returns its frame.
  private func switchAtNextBeat(to scene: String) -> Int64 {
    let beat = nextBeat()
    desk.tell("/scene", .string(scene), .string("beat"))
    return beat
  }

  private func isTone(_ hertz: Double, _ sound: ArraySlice<Float>) -> Bool {
    Measure.peak(sound) > 0.05 && Measure.residue(sound, hertz: hertz, sampleRate: 48_000) < -60
  }

  // MARK: - Instruments

  @Test
  func `the instrument changes on the frame of the scene, and the notes of the former one end`()
    throws
  {
    try put(#"{ "set": { "/grid/instrument": "high" } }"#, as: "solo")
    let beat = switchAtNextBeat(to: "solo")
    key(60, 100, at: beat - 4800)
    key(72, 100, at: beat - 1)
    key(48, 100, at: beat + 1)
    let heard = listen(until: beat + 9600)
    #expect(isTone(400, heard.from(beat - 4000, count: 3900)))
    // The key one frame before played the former instrument, and ended.
    #expect(isTone(500, heard.from(beat + 480, count: 4800)))
    #expect(stage.value("/grid/instrument") == "high")
    #expect(stage.value("/scene") == "solo")
  }

  @Test func `notes go on if the instrument stays`() throws {
    try put(#"{ "set": { "/grid/instrument": "Low", "/live/gain": -6 } }"#, as: "same")
    key(60, 100, at: next + 64)
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(stage.result("/scene", .string("same")) == "same")
    let heard = listen(until: next + 4800)
    #expect(isTone(400, heard.from(heard.first, count: 4800)))
    #expect(stage.value("/live/gain") == "-6.0")
  }

  @Test func `of several scenes in one buffer, the last one sets the instrument`() throws {
    try put(#"{ "set": { "/grid/instrument": "high" } }"#, as: "a")
    try put(#"{ "set": { "/grid/instrument": "low" } }"#, as: "b")
    for (order, hertz) in [(["a", "b"], 400.0), (["b", "a"], 1000), (["a", "b", "a"], 1000)] {
      for name in order { desk.tell("/scene", .string(name)) }
      _ = listen(until: next + 4800)
      #expect(desk.take().allSatisfy { $0.address != "/error" })
      key(60, 100, at: next)
      let heard = listen(until: next + 4800)
      #expect(isTone(hertz, heard.from(heard.first + 64, count: 4600)), "\(order)")
      key(60, 0, at: next)
      _ = listen(until: next + 4800)
    }
  }

  @Test func `an instrument requested before the moment of a scene plays until then`() throws {
    try put(#"{ "set": { "/grid/instrument": "high" } }"#, as: "solo")
    try addInstrument("mid", hertz: 600)
    awaitReading()
    let beat = switchAtNextBeat(to: "solo")
    // After the switch was sent.
    _ = listen(until: beat - 3840)
    desk.tell("/grid/instrument", .string("mid"))
    desk.wait(until: "it was sent") {
      _ = desk.node.tick()
      return !desk.node.features[Instruments.self].loader.isUnderWay
    }
    key(60, 100, at: next + 64)
    key(60, 100, at: beat + 64)
    let heard = listen(until: beat + 9600)
    #expect(isTone(600, heard.from(heard.first + 256, count: 2400)))
    #expect(isTone(1000, heard.from(beat + 960, count: 4800)))
    #expect(stage.value("/grid/instrument") == "high")
    // Nothing that was replaced is still in use: AddressSanitizer watches the next changes.
    for name in ["mid", "low", "high"] {
      _ = desk.ask("/grid/instrument", .string(name))
      key(62, 100, at: next)
      _ = listen(until: next + 960)
    }
  }

  @Test func `an instrument that isn't loaded by the moment of a scene is canceled`() throws {
    try put(#"{ "set": { "/grid/instrument": "high" } }"#, as: "solo")
    let beat = switchAtNextBeat(to: "solo")
    _ = listen(until: beat - 3840)
    desk.tell("/grid/instrument", .string("low"))
    // The node receives the reply for the scene before it finds the instrument loaded.
    while next <= beat { _ = desk.host.render(Tone.constant(0, frames: 64), block: 64) }
    desk.tell("/sync", .int32(1))
    _ = listen(until: next + 9600)
    #expect(stage.value("/grid/instrument") == "high")
  }

  @Test func `an instrument that can't be read is reported, and the rest of the scene is set`()
    throws
  {
    try put(#"{ "set": { "/grid/instrument": "nope", "/live/gain": -9 }, "song": 9 }"#, as: "hand")
    let faults = desk.ask("/scene/check", until: ["/scene/checked"])
      .filter { $0.address == "/scene/fault" }.compactMap { $0.arguments[2].text }
    #expect(faults.count == 2 && faults[0].contains("nope") && faults[1].contains("song 9"))
    var replies = desk.tell("/scene", .string("hand"))
    desk.pass(until: "both are refused") {
      replies += desk.take()
      return replies.count { $0.address == "/error" } >= 2
    }
    let paths = replies.filter { $0.address == "/error" }.compactMap { $0.arguments[0].text }
    #expect(Set(paths) == ["/grid/instrument", "/music/play"])
    #expect(stage.value("/live/gain") == "-9.0")
    #expect(stage.value("/grid/instrument") == "low")
  }

  @Test func `a scene with a song that is found missing takes effect once`() throws {
    _ = desk.ask("/music", until: ["/music"])
    try stage.put(
      #"{ "song": 9, "programs": [{ "channel": 3, "program": 7 }] }"#, "scenes", "hand")
    stage.result("/scene/check")
    // The answer that the song does not exist comes while the switch asks for it.
    let scenes = desk.node.features[Scenes.self]
    scenes.songs.forgetAll()
    scenes.songs.want([])
    desk.tell("/scene", .string("hand"))
    var sent = 0
    for _ in 0..<50 { sent += desk.play(Tone.constant(0, frames: 64)).midi.count }
    #expect(sent == 1)
  }

  // MARK: - Scales

  @Test func `keys change pitch on the frame of the scene`() throws {
    try put(#"{ "set": { "/grid/reference": 466.1638 } }"#, as: "sharp")
    let beat = switchAtNextBeat(to: "sharp")
    key(60, 100, at: beat - 1)
    let before = listen(until: beat + 4800)
    // A held key keeps its pitch.
    #expect(isTone(400, before.from(beat + 64, count: 4096)))
    key(60, 0, at: next)
    _ = listen(until: next + 4800)

    try put(#"{ "set": { "/grid/reference": 440 } }"#, as: "concert")
    let second = switchAtNextBeat(to: "concert")
    key(60, 100, at: second - 4800)
    key(60, 0, at: second - 960)
    key(60, 100, at: second + 1)
    let heard = listen(until: second + 4800)
    #expect(isTone(400 * 466.1638 / 440, heard.from(second - 4400, count: 3200)))
    #expect(isTone(400, heard.from(second + 64, count: 4096)))
  }

  @Test func `notes of held buttons end on the frame of a scene with another scale`() throws {
    desk.tell("/grid/touch", .int32(1), .int32(1))
    try put(#"{ "set": { "/grid/scale": "major", "/grid/root": "D" } }"#, as: "verse")
    let beat = switchAtNextBeat(to: "verse")
    let heard = listen(until: beat + 480)
    #expect(Measure.peak(heard.from(beat - 240, count: 240)) > 0.05)
    // Five time constants of the release are e⁻⁵ of 0.4.
    #expect(Measure.peak(heard.from(beat + 240, count: 240)) < 0.003)
    #expect(stage.value("/grid/scale") == "major")
    #expect(stage.value("/grid/root") == "D")
  }

  @Test func `a button after the frame of a scene plays its scale`() throws {
    try put(#"{ "set": { "/grid/root": "A", "/grid/scale": "major" } }"#, as: "a")
    try put(#"{ "set": { "/grid/root": "D", "/grid/scale": "major" } }"#, as: "d")
    stage.result("/scene", .string("a"))
    let beat = switchAtNextBeat(to: "d")
    _ = listen(until: beat - 3840)
    // Without a tick of the node between the block with the frame and the packet.
    while next <= beat { _ = desk.host.render(Tone.constant(0, frames: 64), block: 64) }
    desk.tell("/grid/touch", .int32(1), .int32(1))
    #expect(stage.value("/grid/root") == "D")
    let cell = try #require(desk.tell("/grid/layout").first { $0.address == "/grid/cell" })
    let note = try #require(cell.arguments[3].number)
    let heard = listen(until: next + 4800)
    #expect(isTone(400 * exp2((note - 60) / 12), heard.from(heard.first + 640, count: 4096)))
    desk.tell("/grid/release", .int32(1), .int32(1))
  }

  @Test func `a planned change of the grid is not seen before its frame`() throws {
    try put(#"{ "set": { "/grid/root": "E", "/grid/reference": 430 } }"#, as: "later")
    let beat = switchAtNextBeat(to: "later")
    let maps = desk.node.features[MIDI.self].keyMaps.count
    _ = listen(until: beat - 960)
    #expect(stage.values("/scene/queued") == ["", ""])
    #expect(stage.value("/grid/root") == "A" && stage.value("/grid/reference") == "440.0")
    _ = listen(until: beat + 960)
    #expect(stage.value("/grid/root") == "E" && stage.value("/grid/reference") == "430.0")
    #expect(desk.node.features[MIDI.self].keyMaps.count == max(1, maps))
  }

  // MARK: - Songs

  @Test func `a song starts on the frame of its scene, also after another one`() throws {
    try put(#"{ "song": 1 }"#, as: "one")
    try put(#"{ "song": 2 }"#, as: "two")
    try put(#"{ "song": false }"#, as: "none")
    let beat = switchAtNextBeat(to: "one")
    let first = listen(until: beat + 4800)
    #expect(Measure.peak(first.from(beat - 64, count: 64)) == 0)
    // The fade-in of a file that begins at a crest takes 48 frames.
    #expect(abs(first.from(beat, count: 1).first ?? 0) > 0)
    #expect(Measure.peak(first.from(beat, count: 64)) > 0.2)
    #expect(isTone(300, first.from(beat + 480, count: 4300)))
    awaitReading()

    let second = switchAtNextBeat(to: "two")
    let heard = listen(until: second + 4800)
    #expect(isTone(300, heard.from(second - 4800, count: 4500)))
    #expect(abs(heard.from(second - 1, count: 1).first ?? 1) < 1e-3)
    #expect(Measure.peak(heard.from(second, count: 64)) > 0.2)
    #expect(isTone(700, heard.from(second + 480, count: 4300)))
    #expect(
      song == ["playing", "2.0"])

    let third = switchAtNextBeat(to: "none")
    let end = listen(until: third + 4800)
    #expect(isTone(700, end.from(third - 4800, count: 4800)))
    #expect(Measure.peak(end.from(third + 250, count: 4500)) == 0)
    #expect(stage.result("/scene", .string("none")) == "none")
    #expect(desk.take().allSatisfy { $0.address != "/error" })
  }

  @Test func `a song that was requested meanwhile is replaced at the moment of the scene`() throws {
    try put(#"{ "song": 2 }"#, as: "two")
    let beat = switchAtNextBeat(to: "two")
    _ = listen(until: beat - 3840)
    #expect(stage.values("/scene/queued") == ["", ""])
    desk.tell("/music/play", .int32(1))
    let heard = listen(until: beat + 9600)
    #expect(isTone(700, heard.from(beat + 480, count: 9000)))
    let errors = desk.take().filter { $0.address == "/error" }
    #expect(errors.map { $0.arguments[0] } == [.string("/music/play")])
    #expect(song == ["playing", "2.0"])
  }

  /// The state of playback, and the number of the song.
  private var song: [String] { Array(stage.values("/music/state").prefix(2)) }

  @Test func `a stop before the moment of a scene ends the song that plays until then`() throws {
    try put(#"{ "song": 1 }"#, as: "one")
    try put(#"{ "song": 2 }"#, as: "two")
    stage.result("/scene", .string("one"))
    awaitReading()
    _ = listen(until: next + 4800)
    let beat = switchAtNextBeat(to: "two")
    _ = listen(until: beat - 3840)
    desk.tell("/music/stop")
    let heard = listen(until: beat + 9600)
    #expect(Measure.peak(heard.from(beat - 3200, count: 3200)) == 0)
    #expect(isTone(700, heard.from(beat + 480, count: 9000)))
    #expect(desk.take().allSatisfy { $0.address != "/error" })
  }

  @Test(arguments: [true, false])
  func `a song begins at the speed that its scene sets`(follows: Bool) throws {
    // Pulses of 10 ms, every half second.
    let pulses = (0..<480_000).map {
      $0 % 24_000 < 480 ? 0.5 * Float(sin(2 * .pi * 1000 * Double($0) / 48_000)) : 0
    }
    try SoundFixture.write(stage.root.appendingPathComponent("music/c.wav").path, [pulses])
    _ = desk.ask("/music", until: ["/music"])
    try put(
      #"""
      { "set": { "/music/follow": \#(follows ? 1 : 0), "/music/bpm": 120, "/metronome/bpm": 150 },
        "song": 3 }
      """#, as: "song")
    desk.tell("/music/follow", .int32(follows ? 0 : 1))
    desk.tell("/music/bpm", .float(120))
    let beat = switchAtNextBeat(to: "song")
    let heard = listen(until: beat + 90_000)
    let interval: Int64 = follows ? 19_200 : 24_000
    for pulse in 0..<3 {
      let at = beat + Int64(pulse) * interval
      // A stretched pulse spreads by the window of its engine, ±10 ms.
      #expect(Measure.peak(heard.from(at, count: 480)) > 0.1, "\(pulse)")
      #expect(Measure.peak(heard.from(at + 4000, count: 4000)) < 0.01, "\(pulse)")
    }
  }

  @Test func `a song that is gone is reported to the sender of the scene`() throws {
    try put(#"{ "song": 2 }"#, as: "two")
    stage.result("/scene", .string("two"))
    try put(#"{ "song": 1 }"#, as: "one")
    try FileManager.default.removeItem(
      at: stage.root.appendingPathComponent("music/a.wav"))
    let scenes = desk.node.features[Scenes.self]
    scenes.songs.forgetAll()
    awaitReading()
    var replies = desk.tell("/scene", .string("one"))
    desk.pass(until: "it is refused") {
      replies += desk.take()
      return replies.contains { $0.address == "/error" }
    }
    let error = replies.last { $0.address == "/error" }
    #expect(
      error?.arguments[0] == .string("/music/play") && error?.arguments[1] == .string("missing"))
  }

  @Test func `scenes in timed bundles take effect on time, whatever is sent in between`() throws {
    for (name, gain) in [("a", -1), ("b", -2), ("c", -3), ("d", -4)] {
      try put(#"{ "song": \#(gain == -2 ? 2 : 1), "set": { "/live/gain": \#(gain) } }"#, as: name)
    }
    func ask(_ name: String, after seconds: Double) {
      let due = desk.host.engine.shared.clockReading.microseconds + seconds * 1e6
      desk.give(
        [UInt8](
          bundle: [[UInt8](address: "/scene", [.string(name)])],
          at: TimeTag(unixMicroseconds: due - HostTime.steadyOfUnixEpoch)))
    }
    ask("a", after: 0.5)
    ask("c", after: 1.5)
    ask("b", after: 1)
    #expect(stage.values("/scene/queued") == ["a", "time"])
    #expect(stage.result("/scene", .string("d")) == "d")
    #expect(stage.value("/live/gain") == "-4.0")
    for expected in ["-1.0", "-2.0", "-3.0"] {
      _ = listen(until: next + 24_000)
      #expect(stage.value("/live/gain") == expected)
    }
    ask("a", after: 5)
    desk.tell("/scene/cancel")
    #expect(stage.values("/scene/queued") == ["", ""])
  }

  @Test func `a scene on a beat shifts with the beat after an xrun`() throws {
    try put(#"{ "programs": [{ "channel": 3, "program": 7 }] }"#, as: "hand")
    let beat = switchAtNextBeat(to: "hand")
    _ = listen(until: beat - 2400)
    #expect(stage.values("/scene/queued") == ["", ""])
    desk.host.lose(frames: 777)
    var found: Int64?
    for _ in 0..<200 where found == nil {
      let output = desk.play(Tone.constant(0, frames: 64))
      if let message = output.midi.first {
        found = desk.host.engine.shared.clockReading.frame + Int64(message.frame)
      }
    }
    #expect(found == beat + 777 && found == desk.host.engine.shared.latestBeat.frame)
  }

  @Test func `all parts of a scene change in one block`() throws {
    try put(
      #"""
      { "set": { "/grid/instrument": "high", "/grid/reference": 450, "/live/gain": -12 },
        "song": 1, "programs": [{ "channel": 1, "program": 2 }] }
      """#, as: "all")
    let beat = switchAtNextBeat(to: "all")
    key(60, 100, at: beat + 1)
    let heard = listen(until: beat + 9600)
    let sound = Array(heard.from(beat + 480, count: 9000))
    // The song at 300 Hz, and the key at 1000 Hz in the other tuning.
    let song = Measure.residue(sound, hertz: 300, sampleRate: 48_000)
    let both = 1000 * 450 / 440.0
    let note = Measure.residue(sound, hertz: both, sampleRate: 48_000)
    // Each tone is the residue of the other.
    #expect(song < 10 && note < 10, "\(song) \(note)")
    #expect(stage.value("/live/gain") == "-12.0")
  }
}
