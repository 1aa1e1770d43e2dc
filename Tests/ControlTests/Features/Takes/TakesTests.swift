import Control
import DSP
import Engine
import Foundation
import Library
import OSC
import Posix
import SoundFiles
import TestSupport
import Testing

/// The library of takes, as used by a client.
@Suite final class TakesTests {
  private let folder: TemporaryFolder
  private let desk: Desk
  private var home: String { folder.path("home") }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("home"), withIntermediateDirectories: true)
    desk = Desk(home: folder.path("home"))
  }

  /// Records a number of frames into the loop, and returns them.
  @discardableResult
  private func record(_ sound: [Float], behind: [Float] = Tone.constant(0, frames: 4800))
    -> [Float]
  {
    desk.tell("/player/record")
    _ = desk.play(sound)
    desk.tell("/player/stop")
    _ = desk.play(behind)
    return sound
  }

  /// Saves the loop, and returns the id of the take.
  private func save(_ title: String? = nil) throws -> String {
    let answers =
      if let title { desk.ask("/take/save", .string(title)) } else { desk.ask("/take/save") }
    let reply = try #require(answers.first { $0.address == "/reply" }, "\(answers)")
    #expect(reply.arguments[0] == .string("/take/save"))
    return try #require(reply.arguments[1].text)
  }

  private func list(_ arguments: Argument...) -> [Received] {
    switch arguments.count {
    case 0: desk.ask("/takes", until: ["/takes/end"])
    case 1: desk.ask("/takes", arguments[0], until: ["/takes/end"])
    default: desk.ask("/takes", arguments[0], arguments[1], until: ["/takes/end"])
    }
  }

  private func find(_ text: String) -> [String?] {
    desk.ask("/takes/find", .string(text), until: ["/takes/end"]).dropLast()
      .map { $0.arguments[1].text }
  }

  private func code(_ received: [Received]) -> String? {
    received.first { $0.address == "/error" }?.arguments[1].text
  }

  // MARK: - The loop and the library

  @Test func `a saved loop is restored to the bit, including its crossfade`() throws {
    let clip = Tone.noise(amplitude: 0.4, frames: 12_345)
    // The crossfade contains what follows the clip.
    record(clip, behind: Tone.noise(amplitude: 0.4, frames: 4800, seed: 7))
    let id = try save()
    func threeRounds() -> [Float] {
      desk.tell("/player/play")
      let loop = desk.play(Tone.constant(0, frames: 3 * 12_345)).loop
      desk.tell("/player/done")
      _ = desk.play(Tone.constant(0, frames: 4800))
      return loop
    }
    let before = threeRounds()
    #expect(Measure.firstDifference(before[48..<12_000], clip[48...]) == nil)
    desk.tell("/loop/clear")
    _ = desk.play(Tone.constant(0, frames: 4800))
    let answer = desk.ask("/take/load", .string(id))
    #expect(answer.last?.arguments[..<2] == [.string("/take/load"), .string(id)])
    #expect(desk.tell("/player/state")[0].arguments[..<2] == [.string("start"), .string("play")])
    #expect(Measure.firstDifference(threeRounds(), before) == nil)
  }

  @Test func `samples over full scale are preserved`() throws {
    record(Tone.constant(1.75, frames: 4800))
    let path = "\(home)/takes/\(try save()).wav"
    var reader = try SoundReader(path)
    let block = StereoBuffer(frames: 4800)
    #expect(try reader.read(into: block.stereo, frames: 4800) == 4800)
    #expect(block.stereo.left[2400] == 1.75)
  }

  @Test func `playing a take opens the player for it`() throws {
    record(Tone.sine(440, amplitude: 0.5, frames: 24_000))
    let id = try save()
    desk.tell("/loop/clear")
    _ = desk.play(Tone.constant(0, frames: 4800))
    #expect(desk.ask("/take/play", .string(id)).last?.address == "/reply")
    let sound = desk.play(Tone.constant(0, frames: 9600)).left
    #expect(Measure.peak(sound[4800...]) > 0.45)
    #expect(
      desk.tell("/player/state")[0].arguments[..<2] == [.string("playing"), .string("play")])
  }

  @Test func `a take that is played ends, whatever the loop is set to, and pauses in between`()
    throws
  {
    record(Tone.sine(440, amplitude: 0.5, frames: 24_000))
    let id = try save()
    desk.tell("/player/done")
    func state() -> [Argument] { Array(desk.tell("/player/state")[0].arguments[..<2]) }
    func isHeard(_ frames: Int) -> Bool {
      Measure.peak(desk.play(Tone.constant(0, frames: frames)).loop.suffix(2400)) > 0.45
    }
    #expect(desk.ask("/take/play", .string(id)).last?.address == "/reply")
    #expect(isHeard(7200))
    // The player's button reads Pause then, and pauses it.
    desk.tell("/player/play")
    #expect(!isHeard(24_000))
    #expect(state() == [.string("paused"), .string("play")])
    desk.tell("/player/play")
    #expect(isHeard(4800))
    #expect(!isHeard(24_000))
    #expect(state() == [.string("start"), .string("play")])
    #expect(desk.tell("/player/loop")[0].arguments == [.int32(1)])
    // Played again, it ends again.
    desk.tell("/player/play")
    #expect(isHeard(7200))
    #expect(!isHeard(36_000))
    // Once closed, it is a loop.
    desk.tell("/player/done")
    desk.tell("/player/play")
    #expect(isHeard(60_000))
  }

  private var playing: [Argument] { desk.tell("/take/playing")[0].arguments }

  @Test func `the take that plays from the loop is named until it ends or is stopped`() throws {
    record(Tone.sine(440, amplitude: 0.5, frames: 24_000))
    let id = try save()
    #expect(playing == [.string("")])
    desk.tell("/player/play")
    desk.pass()
    // What was recorded is not the take that it was saved as.
    #expect(playing == [.string("")])
    desk.tell("/player/done")
    #expect(desk.ask("/take/play", .string(id)).last?.address == "/reply")
    desk.pass()
    #expect(playing == [.string(id)])
    #expect(desk.tell("/feed/playing")[0].arguments == [.int32(0)])
    // That is of posts.
    desk.tell("/feed/stop")
    desk.pass()
    #expect(playing == [.string(id)])
    desk.tell("/player/pause")
    desk.pass()
    #expect(playing == [.string(id)])
    desk.tell("/player/pause")
    _ = desk.play(Tone.constant(0, frames: 36_000))
    #expect(playing == [.string("")])
    desk.tell("/player/play")
    desk.pass()
    #expect(playing == [.string(id)])
    desk.tell("/take/stop")
    _ = desk.play(Tone.constant(0, frames: 9600))
    #expect(playing == [.string("")])
    #expect(Measure.peak(desk.play(Tone.constant(0, frames: 9600)).loop) == 0)
    // It may have ended by itself just before.
    #expect(desk.tell("/take/stop").isEmpty)
  }

  @Test func `a take that follows another one is announced without a gap, also before its bar`()
    throws
  {
    var ids: [String] = []
    for number in 0..<3 {
      record(Tone.sine(440, amplitude: 0.5, frames: 48_000))
      ids.append(try save("\(number)"))
    }
    desk.tell("/player/done")
    let other = Desk.client(9100)
    desk.tell("/subscribe", .string("/take/playing"), as: other)
    _ = desk.take(other)
    var told: [Received] = []
    for (number, id) in ids.enumerated() {
      // The last one waits for its bar.
      if number == 2 { desk.tell("/loop/1/quantize", .string("bar")) }
      var answers = desk.tell("/take/play", .string(id))
      // A frame at a time: the one before plays until this one is loaded, however long that takes. Values are
      // compared every half second, so they are after each of these frames.
      desk.wait(until: "it is announced, and the command answered") {
        desk.seconds += 0.5
        // It would expire after a minute of these.
        told += desk.tell("/sync", .int32(1), as: other)
        _ = desk.play([0], block: 1)
        answers += desk.take()
        return playing == [.string(id)] && !answers.isEmpty
      }
      #expect(answers.map(\.address) == ["/reply"])
      for _ in 0..<5 { desk.pass() }
    }
    told = (told + desk.take(other)).filter { $0.address == "/take/playing" }
    #expect(told.map { $0.arguments[0].text } == ids)
    desk.tell("/take/stop")
    desk.pass(until: "it waits no longer") { playing == [.string("")] }
  }

  @Test
  func `a take in the loop is no longer that take with a layer, nor once its loading is undone`()
    throws
  {
    record(Tone.sine(440, amplitude: 0.5, frames: 24_000))
    let id = try save()
    for change in ["/loop/overdub", "/loop/undo"] {
      desk.tell("/player/done")
      #expect(desk.ask("/take/load", .string(id)).last?.address == "/reply")
      desk.tell("/player/play")
      desk.pass()
      #expect(playing == [.string(id)])
      desk.tell(change)
      _ = desk.play(Tone.constant(0.1, frames: 9600))
      #expect(playing == [.string("")], "\(change)")
      if change == "/loop/overdub" { desk.tell(change) }
      _ = desk.play(Tone.constant(0, frames: 9600))
      #expect(playing == [.string("")], "\(change)")
    }
  }

  @Test func `a take that is loaded to be played as a loop repeats`() throws {
    record(Tone.sine(440, amplitude: 0.5, frames: 24_000))
    let id = try save()
    // Also while another one is heard once.
    #expect(desk.ask("/take/play", .string(id)).last?.address == "/reply")
    #expect(desk.ask("/take/load", .string(id)).last?.address == "/reply")
    desk.tell("/player/play")
    #expect(Measure.peak(desk.play(Tone.constant(0, frames: 60_000)).loop.suffix(2400)) > 0.45)
  }

  @Test func `a take longer than a loop is played from its file, and the loop is unchanged`()
    throws
  {
    let loop = record(Tone.noise(amplitude: 0.1, frames: 4800))
    let sound = Tone.noise(amplitude: 0.3, frames: 528_000)
    try Self.write(sound, to: folder.path("home/long.wav"), rate: 48_000)
    let id = try #require(
      desk.ask("/take/import", .string("long.wav")).last?.arguments[1].text)
    desk.tell("/music/route", .string("direct"))
    desk.pass()
    #expect(
      desk.ask("/take/play", .string(id)).last
        == Received(
          "/reply", [.string("/take/play"), .string(id), .string("long")]))
    #expect(desk.tell("/music/state")[0].arguments[2] == .string("long"))
    // Less than is read ahead, since this clock is not the disk's.
    let heard = desk.play(Tone.constant(0, frames: 9600)).left
    // Part of it played before the reply. After the fade from the chain it is that of the file.
    let place = (0..<400_000).first { frame in
      (0..<16).allSatisfy { sound[frame + $0] == heard[4800 + $0] }
    }
    let first = try #require(place)
    #expect(Measure.firstDifference(heard[4800...], sound[first...]) == nil)
    #expect(
      desk.tell("/player/state")[0].arguments[3] == .float(Float(loop.count) / 48_000))
    #expect(playing == [.string(id)])
    #expect(desk.tell("/take/stop").isEmpty)
    _ = desk.play(Tone.constant(0, frames: 9600))
    #expect(playing == [.string("")])
    #expect(desk.tell("/music/state")[0].arguments[0] == .string("stopped"))
  }

  @Test func `saving an empty loop is refused, and so is loading while recording`() throws {
    #expect(code(desk.ask("/take/save")) == "state")
    record(Tone.noise(frames: 4800))
    let id = try save()
    desk.tell("/player/record")
    desk.pass()
    #expect(code(desk.ask("/take/load", .string(id))) == "state")
    #expect(code(desk.ask("/take/load", .string("beef"))) == "missing")
    #expect(desk.tell("/player/state")[0].arguments[0] == .string("recording"))
  }

  @Test func `a take keeps its tempo, which a loop follows`() throws {
    // Two beats at 120 bpm; at 60, it would be a single one.
    record(Tone.noise(frames: 48_000))
    let id = try save()
    desk.tell("/metronome/bpm", .float(60))
    #expect(desk.ask("/take/load", .string(id)).contains { $0.address == "/reply" })
    desk.tell("/loop/1/follow", .string("tempo"))
    desk.tell("/loop/1/play")
    desk.pass(frames: 9600)
    let before = try #require(desk.tell("/loop/1/position").first?.arguments[0].number)
    desk.pass(frames: 9600)
    let after = try #require(desk.tell("/loop/1/position").first?.arguments[0].number)
    #expect(abs(after - before - 0.1) < 0.003)
  }

  @Test func `a long take is truncated to the loop, and keeps what follows the end`()
    throws
  {
    let sound = Tone.noise(amplitude: 0.3, frames: 600_000)
    let path = folder.path("home/long.wav")
    try Self.write(sound, to: path, rate: 48_000)
    let imported = desk.ask("/take/import", .string("long.wav"))
    let id = try #require(imported.last?.arguments[1].text)
    #expect(desk.ask("/take/load", .string(id)).last?.address == "/reply")
    #expect(desk.tell("/player/state")[0].arguments[3] == .float(10))
    desk.tell("/player/position", .float(9.9))
    desk.tell("/player/play")
    let loop = desk.play(Tone.constant(0, frames: 9600)).loop
    // Between jump and loop crossfade, 240 frames each, and after it.
    #expect(Measure.firstDifference(loop[240..<4800], sound[475_440...]) == nil)
    #expect(Measure.firstDifference(loop[5040..<9000], sound[240...]) == nil)
  }

  @Test func `a take at another sample rate keeps its pitch and length in the loop`() throws {
    try Self.write(
      (0..<44_100).map { Float(0.5 * sin(2 * .pi * 440 * Double($0) / 44_100)) },
      to: folder.path("home/tone.wav"), rate: 44_100)
    let id = try #require(
      desk.ask("/take/import", .string("tone.wav")).last?.arguments[1].text)
    #expect(desk.ask("/take/load", .string(id)).last?.address == "/reply")
    #expect(desk.tell("/player/state")[0].arguments[3] == .float(1))
    desk.tell("/player/play")
    let loop = desk.play(Tone.constant(0, frames: 48_000)).loop
    // The error of the resampling, without the start and the loop crossfade.
    #expect(Measure.residue(loop[2000..<46_000], hertz: 440, sampleRate: 48_000) < -100)
  }

  private static func write(_ sound: [Float], to path: String, rate: Int) throws {
    var writer = try WaveWriter(path, rate: rate, isFine: true)
    try sound.withUnsafeBufferPointer { samples in
      let buffer = StereoBuffer(frames: sound.count)
      buffer.stereo.left.update(from: samples.baseAddress!, count: sound.count)
      buffer.stereo.right.update(from: samples.baseAddress!, count: sound.count)
      try writer.append(buffer.stereo, frames: sound.count)
    }
    try writer.finish()
  }

  // MARK: - Metadata

  @Test func `date, place, preset, source and title are filled in`() throws {
    desk.tell("/location", .float(52.5), .double(13.25))
    desk.tell("/player/source", .string("mix"))
    let before = ZonedDate.now
    record(Tone.noise(amplitude: 0.2, frames: 4800))
    // Values set later don't belong to this recording.
    desk.tell("/location", .float(0), .float(0))
    desk.tell("/player/source", .string("live"))
    let id = try save()
    let shown = desk.ask("/take/show", .string(id))
    #expect(
      shown.map(\.address) == [
        "/take", "/take/notes", "/take/message", "/take/image", "/take/sound", "/reply",
      ])
    let take = shown[0].arguments
    #expect(take[5...] == [.float(52.5), .float(13.25)])
    let date = try #require(ZonedDate(take[3].text ?? ""))
    #expect((before.microseconds...ZonedDate.now.microseconds).contains(date.microseconds))
    #expect(take[1] == .string(Take.title(for: date)))
    #expect(take[4] == .float(0.1))
    #expect(shown[4].arguments[1] == .string("mix"))
    let peak = try #require(shown[4].arguments[5].number)
    #expect(abs(peak - 20 * log10(0.2)) < 0.1)
  }

  /// The place of the take in a reply to /take/save, as listed.
  private func north(_ id: String) -> Double? {
    desk.ask("/take/show", .string(id)).first?.arguments[5].number
  }

  @Test func `each clip keeps its own origin through recording, undo and loading`()
    throws
  {
    desk.tell("/location", .float(1), .float(0))
    record(Tone.noise(frames: 480_000))
    // Copying takes a while. A recording made meanwhile is another clip.
    desk.tell("/take/save")
    desk.tell("/location", .float(2), .float(0))
    desk.tell("/player/record")
    _ = desk.play(Tone.noise(frames: 4800, seed: 9))
    desk.tell("/player/stop")
    _ = desk.play(Tone.constant(0, frames: 4800))
    var answers = desk.take()
    desk.pass(until: "it is saved") {
      answers += desk.take()
      return answers.contains { $0.address == "/reply" }
    }
    let first = try #require(answers.first { $0.address == "/reply" }?.arguments[1].text)
    #expect(north(first) == 1)
    #expect(north(try save()) == 2)
    // An undo step, to the first clip.
    desk.tell("/loop/undo")
    desk.pass()
    #expect(north(try save()) == 1)
    // A loaded clip keeps its origin, and so does one undone.
    desk.tell("/location", .float(3), .float(0))
    record(Tone.noise(frames: 4800))
    #expect(desk.ask("/take/load", .string(first)).last?.address == "/reply")
    #expect(north(try save()) == 1)
    desk.tell("/loop/undo")
    desk.pass()
    #expect(north(try save()) == 3)
  }

  @Test func `the node waits for a save in progress when it exits`() throws {
    record(Tone.noise(frames: 480_000))
    desk.tell("/take/save")
    // Its write has not started yet.
    #expect(desk.node.isWriting)
    desk.awaitDisk()
    #expect(try TakeLibrary(home: home).list(count: 1).total == 1)
  }

  @Test func `an unknown place is NaN`() throws {
    record(Tone.noise(frames: 4800))
    _ = try save("bare")
    let take = list()[0].arguments
    #expect(take[1] == .string("bare"))
    #expect(take[5].number?.isNaN == true && take[6].number?.isNaN == true)
  }

  @Test func `title, species, notes and message can be edited, and subscribers are notified`()
    throws
  {
    record(Tone.noise(frames: 4800))
    let id = try save()
    let other = Desk.client(9100)
    for path in ["/take", "/take/*"] { desk.tell("/subscribe", .string(path), as: other) }
    _ = desk.take(other)
    for (path, text) in [
      ("/take/title", "Dawn"), ("/take/species", "Wren"), ("/take/notes", "loud\nand near"),
      ("/take/message", "listen!"),
    ] {
      #expect(
        desk.ask(path, .string(id), .string(text)).last
          == Received(
            "/reply", [.string(path), .string(id), .string("Dawn")]))
    }
    let all = desk.take(other)
    for (path, text) in [("/take/notes", "loud\nand near"), ("/take/message", "listen!")] {
      #expect(all.contains(Received(path, [.string(id), .string(text)])))
    }
    let told = all.filter { $0.address == "/take" }
    #expect(told.last?.arguments[1...2] == [.string("Dawn"), .string("Wren")])
    let shown = desk.ask("/take/show", .string(id))
    #expect(shown[1] == Received("/take/notes", [.string(id), .string("loud\nand near")]))
    #expect(shown[2] == Received("/take/message", [.string(id), .string("listen!")]))
    #expect(code(desk.ask("/take/title", .string(id), .string("a\u{1b}[2J"))) == "range")
  }

  @Test func `autoplay plays a shown take`() throws {
    record(Tone.sine(440, amplitude: 0.5, frames: 9600))
    let id = try save()
    desk.tell("/player/done")
    _ = desk.ask("/take/show", .string(id))
    desk.pass(frames: 4800)
    #expect(desk.tell("/player/state")[0].arguments[0] == .string("start"))
    desk.tell("/settings/autoplay", .int32(1))
    _ = desk.ask("/take/show", .string(id), .int32(0))
    desk.pass(frames: 4800)
    #expect(desk.tell("/player/state")[0].arguments[0] == .string("start"))
    _ = desk.ask("/take/show", .string(id))
    desk.pass(until: "it plays") {
      desk.tell("/player/state")[0].arguments[0] == .string("playing")
    }
  }

  // MARK: - Lists

  @Test func `takes are listed newest first, in pages, and counted`() throws {
    let other = Desk.client(9100)
    desk.tell("/subscribe", .string("/takes/total"), as: other)
    for number in 0..<5 {
      record(Tone.noise(frames: 480))
      _ = try save("take \(number)")
    }
    let all = list()
    #expect(
      all.dropLast().map { $0.arguments[1].text } == (0..<5).reversed().map { "take \($0)" })
    #expect(all.last == Received("/takes/end", [.int32(5)]))
    let page = list(.int32(1), .int32(2))
    #expect(page.dropLast().map { $0.arguments[1].text } == ["take 3", "take 2"])
    #expect(page.last == Received("/takes/end", [.int32(2)]))
    #expect(list(.int32(9)).last == Received("/takes/end", [.int32(0)]))
    #expect(code(list(.int32(-1))) == "range")
    for _ in 0..<5 { desk.pass() }
    #expect(desk.take(other).last == Received("/takes/total", [.int32(5)]))
  }

  @Test func `takes are found by words, species, time and place`() throws {
    desk.tell("/location", .float(52.5), .float(13.4))
    record(Tone.noise(frames: 480))
    let owl = try save("Night in the park")
    _ = desk.ask("/take/species", .string(owl), .string("Grey owl"))
    desk.tell("/location", .float(48.1), .float(11.6))
    record(Tone.noise(frames: 480))
    let coot = try save("Morning at the lake")
    _ = desk.ask("/take/species", .string(coot), .string("Coot"))
    #expect(find("morn") == ["Morning at the lake"])
    #expect(find("species:\"grey owl\"") == ["Night in the park"])
    #expect(find("near:52.51,13.41 within:5") == ["Night in the park"])
    #expect(find("the near:48.1,11.6") == ["Morning at the lake"])
    #expect(find("from:2020-01-01 to:2020-12-31") == [])
    #expect(find("from:2020-01-01").count == 2)
    #expect(find("no such words") == [])
    #expect(find("Species:owl") == ["Night in the park"])
    // Quotes around nothing are not a search for everything.
    for nothing in ["\"", "\"\"", "\" \""] { #expect(find(nothing) == [], "\(nothing)") }
    for (search, expected) in [
      ("species:", "species: takes a name; got nothing"),
      ("to:", "expected a date like 2026-11-21 or 2026-11-21T17:30; got nothing"),
    ] {
      let answers = desk.ask("/takes/find", .string(search), until: ["/takes/end"])
      #expect(answers.first?.arguments.last?.text?.hasSuffix(expected) == true, "\(answers)")
    }
    let answers = desk.ask("/takes/find", .string("from:yesterday"), until: ["/takes/end"])
    #expect(code(answers) == "range")
  }

  @Test func `a deleted take is in the trash, and can be restored`() throws {
    record(Tone.noise(frames: 480))
    let id = try save("gone")
    #expect(
      desk.ask("/take/delete", .string(id)).last
        == Received("/reply", [.string("/take/delete"), .string(id)]))
    #expect(list().count == 1)
    #expect(code(desk.ask("/take/show", .string(id))) == "missing")
    #expect(desk.ask("/take/restore", .string(id)).last?.arguments[2] == .string("gone"))
    #expect(list().count == 2)
  }

  // MARK: - Files

  @Test func `an export never overwrites a file`() throws {
    record(Tone.noise(frames: 480))
    let id = try save()
    let songs = URL(fileURLWithPath: folder.path("home/songs"))
    try FileManager.default.createDirectory(at: songs, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: songs.appendingPathComponent("best.wav"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("home/link.wav"), withDestinationPath: "songs/best.wav")
    for name in ["songs/best.wav", "link.wav"] {
      let refused = desk.ask("/take/export", .string(id), .string(name))
      #expect(code(refused) == "denied")
      #expect(
        refused.last?.arguments[2].text == "\(name) already exists; choose another name")
    }
    #expect(try Data(contentsOf: songs.appendingPathComponent("best.wav")) == Data("mine".utf8))
    // Its own exports, too: a second export needs another name.
    #expect(desk.ask("/take/export", .string(id), .string("a.wav")).last?.address == "/reply")
    #expect(code(desk.ask("/take/export", .string(id), .string("a.wav"))) == "denied")
    // Names that only start like the node's own are allowed.
    #expect(
      desk.ask("/take/export", .string(id), .string("statement.wav")).last?.address == "/reply")
  }

  @Test func `files are read and written inside the data directory only`() throws {
    record(Tone.noise(frames: 4800))
    let id = try save()
    let exported = desk.ask("/take/export", .string(id), .string("out/owl.flac"))
    #expect(exported.last?.address == "/reply")
    #expect(try SoundReader(folder.path("home/out/owl.flac")).expectedFrames == 4800)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("home/way-out"), withDestinationPath: folder.url.path)
    for name in [
      "../x.wav", "/tmp/x.wav", "a/../../x.wav", "way-out/x.wav", "takes/x.wav",
      "library.sqlite", "library.sqlite-wal", "presets/x.wav", "state/x.wav", "", "out/",
    ] {
      #expect(code(desk.ask("/take/export", .string(id), .string(name))) == "denied", "\(name)")
    }
    #expect(!folder.names.contains("x.wav"))
    #expect(code(desk.ask("/take/export", .string(id), .string("a.xyz"))) == "denied")
    #expect(code(desk.ask("/take/import", .string("way-out/home/out/owl.flac"))) == nil)
    #expect(code(desk.ask("/take/import", .string("/etc/passwd"))) == "denied")
    #expect(code(desk.ask("/take/import", .string("none.wav"))) == "missing")
    try Data([0xFF, 0xD8, 0xFF]).write(to: URL(fileURLWithPath: folder.path("home/bird.JPG")))
    #expect(desk.ask("/take/image", .string(id), .string("bird.JPG")).last?.address == "/reply")
    #expect(
      desk.ask("/take/show", .string(id))[3]
        == Received("/take/image", [.string(id), .string("\(id).jpg")]))
    #expect(FileManager.default.fileExists(atPath: "\(home)/takes/\(id).jpg"))
  }

  @Test func `without a data directory every request is refused`() {
    let desk = Desk()
    for (path, arguments) in [
      ("/takes", []), ("/take/save", []), ("/take/show", [Argument.string("a")]),
    ] {
      let answers = desk.give([UInt8](address: path, arguments))
      #expect(code(answers) == "state", "\(path)")
    }
    // It holds for this run.
    #expect(desk.tell("/settings/autoplay", .int32(1)).isEmpty)
    #expect(desk.tell("/settings/autoplay") == [Received("/settings/autoplay", [.int32(1)])])
  }

  @Test func `a library that can't be opened is reported, and used again when it can`() throws {
    let path = "\(home)/library.sqlite"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(code(list()) == "io")
    try FileManager.default.removeItem(atPath: path)
    #expect(list().last == Received("/takes/end", [.int32(0)]))
  }

  // MARK: - Settings

  @Test func `settings survive a restart, and newer values win`() throws {
    desk.tell("/settings/autoplay", .int32(1))
    desk.tell("/location", .double(52.520_008), .double(13.404_954))
    desk.awaitDisk()
    #expect(desk.take().filter { $0.address == "/error" } == [])
    let next = Desk(home: home)
    next.tell("/location", .float(1), .float(2))
    var said: [String] = []
    next.node[Takes.self].open { said.append($0) }
    next.awaitDisk()
    #expect(said == [])
    #expect(next.tell("/settings/autoplay") == [Received("/settings/autoplay", [.int32(1)])])
    #expect(next.tell("/location") == [Received("/location", [.float(1), .float(2)])])
  }

  @Test func `the folder of the songs is persisted, too`() throws {
    try FileManager.default.createDirectory(
      atPath: home + "/jazz", withIntermediateDirectories: true)
    #expect(desk.ask("/music/folder", .string("jazz")).last?.address == "/reply")
    desk.awaitDisk()
    let next = Desk(home: home)
    next.node[Takes.self].open { _ in }
    next.pass(until: "the folder is the one that was kept") {
      next.tell("/music/folder").last?.arguments == [.string("jazz")]
    }
  }

  @Test func `a setting is echoed to subscribers, and refused out of range`() {
    let other = Desk.client(9100)
    desk.tell("/subscribe", .string("/settings"), as: other)
    #expect(desk.take(other) == [])
    desk.tell("/settings/autoplay", .int32(1))
    for _ in 0..<5 { desk.pass() }
    #expect(desk.take(other).contains(Received("/settings/autoplay", [.int32(1)])))
    #expect(code(desk.tell("/settings/autoplay", .int32(2))) == "range")
    #expect(code(desk.tell("/location", .float(91), .float(0))) == "range")
    #expect(code(desk.tell("/location", .float(1))) == "type")
  }
}
