import Control
import Foundation
import OSC
import TestSupport
import Testing

/// Songs on the control side: lists, numbers, refusals and updates.
@Suite struct SongsTests {
  /// A desk with a folder of songs in its data directory.
  private struct Shop {
    let folder = try! TemporaryFolder()
    let desk: Desk
    var music: String { folder.path("home/music") }

    init(_ names: [String] = [], seconds: Double = 2, allowed: [String] = []) throws {
      try FileManager.default.createDirectory(
        atPath: folder.path("home/music"), withIntermediateDirectories: true)
      desk = Desk(home: folder.path("home"), musicFolders: allowed.map(folder.path))
      for name in names { try write(name, seconds: seconds) }
    }

    func write(_ name: String, seconds: Double = 2, hertz: Double = 200) throws {
      let path = "\(music)/\(name)"
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
        withIntermediateDirectories: true)
      try SoundFixture.write(path, [Tone.sine(hertz, frames: Int(seconds * 48_000))])
    }

    /// Runs the disk and the audio until the client receives something.
    func answer(_ address: String, _ arguments: Argument...) -> Received? {
      var received = desk.give([UInt8](address: address, arguments))
      guard received.isEmpty else { return received.first }
      desk.pass(until: "\(address) is answered", seconds: 0.001) {
        received = desk.take()
        return !received.isEmpty
      }
      return received.first
    }

    func songs(from first: Int32? = nil) -> [String]? {
      let received = first.map { answer("/music", .int32($0)) } ?? answer("/music")
      return received?.address == "/music" ? received?.arguments.compactMap(\.text) : nil
    }

    var state: [Argument] { desk.tell("/music/state").first?.arguments ?? [] }
  }

  private func error(_ received: Received?) -> String? {
    received?.address == "/error" ? received?.arguments[1].text : nil
  }

  @Test func `the database and the takes of a data directory inside a music folder are ignored`()
    throws
  {
    let folder = try TemporaryFolder()
    let home = folder.path("music/syrinx")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let desk = Desk(home: home, musicFolders: [folder.path("music")])
    desk.node[Takes.self].open { _ in }
    desk.awaitDisk()
    try SoundFixture.write(folder.path("music/a.wav"), left: [0.1, 0.2])
    try SoundFixture.write(home + "/b.wav", left: [0.1, 0.2])
    try SoundFixture.write(home + "/takes/c.wav", left: [0.1, 0.2])
    let answers = desk.ask("/music", until: ["/music"])
    #expect(answers.last?.arguments == [.string("a"), .string("b")])
    for name in ["library.sqlite", "library.sqlite-wal", "library.sqlite-shm"] {
      let answer = desk.ask("/take/import", .string(name)).last
      #expect(answer?.arguments[1] == .string("denied"), "\(name)")
    }
  }

  @Test func `songs are listed by artist and title, else by file name, in natural order`()
    throws
  {
    let shop = try Shop([
      "10 Ten.wav", "2 two.wav", "album/b.wav", "album/A.wav", "Zebra.wav", ".hidden.wav",
    ])
    try Data("no sound".utf8).write(to: URL(fileURLWithPath: shop.music + "/cover.jpg"))
    mkfifo(shop.music + "/pipe.wav", 0o600)
    symlink(shop.music, shop.music + "/round")
    let tagged = shop.music + "/3.wav"
    try SoundFixture.write(
      tagged, [Tone.sine(300, frames: 4800)], title: "Nightingale\nat dusk", artist: "Luscinia")
    #expect(
      shop.songs() == ["2 two", "Luscinia - Nightingale at dusk", "10 Ten", "A", "b", "Zebra"])
    // New files appear, and deleted ones disappear.
    unlink(tagged)
    try shop.write("11.wav")
    #expect(shop.songs() == ["2 two", "10 Ten", "11", "A", "b", "Zebra"])
  }

  @Test func `a long list is sent in parts, and ends with an empty one`() throws {
    let name = String(repeating: "long name ", count: 9)
    let shop = try Shop((1...400).map { "\($0) \(name).wav" }, seconds: 0.01)
    var all: [String] = []
    var parts = 0
    while let part = shop.songs(from: all.isEmpty ? nil : Int32(all.count + 1)), !part.isEmpty {
      all += part
      parts += 1
    }
    #expect(all == (1...400).map { "\($0) \(name)".trimmingCharacters(in: .whitespaces) })
    #expect(parts == 2)
    #expect(error(shop.answer("/music", .int32(0))) == "range")
  }

  @Test(arguments: [
    "../secret", "..", ".", "", "/etc", "music/../..", "music//a", "out", "music/out", ".git",
  ])
  func `a folder outside the allowed ones is denied, and the previous one stays`(name: String)
    throws
  {
    let shop = try Shop(["a.wav"])
    try FileManager.default.createDirectory(
      atPath: shop.folder.path("secret"), withIntermediateDirectories: true)
    symlink(shop.folder.path("secret"), shop.folder.path("home/out"))
    symlink(shop.folder.path("secret"), shop.music + "/out")
    #expect(error(shop.answer("/music/folder", .string(name))) == "denied")
    #expect(
      shop.desk.tell("/music/folder") == [Received("/music/folder", [.string("music")])])
    #expect(shop.songs() == ["a"])
  }

  @Test func `a song that links outside the folders is not listed`() throws {
    let shop = try Shop(["a.wav"])
    try SoundFixture.write(shop.folder.path("b.wav"), [Tone.sine(200, frames: 480)])
    symlink(shop.folder.path("b.wav"), shop.music + "/b.wav")
    symlink(shop.music + "/a.wav", shop.music + "/c.wav")
    #expect(shop.songs() == ["a"])
    // Replaced by a link after the lookup, it is not played either.
    unlink(shop.music + "/a.wav")
    symlink(shop.folder.path("b.wav"), shop.music + "/a.wav")
    #expect(error(shop.answer("/music/play", .int32(1))) == "denied")
  }

  @Test func `folders allowed at the start are known by their last component`() throws {
    let shop = try Shop(["a.wav"], allowed: ["usb/Jazz"])
    #expect(shop.desk.tell("/music/folder") == [Received("/music/folder", [.string("Jazz")])])
    #expect(error(shop.answer("/music")) == "missing")
    #expect(error(shop.answer("/music/play")) == "missing")
    try FileManager.default.createDirectory(
      atPath: shop.folder.path("usb/Jazz/Trio"), withIntermediateDirectories: true)
    try SoundFixture.write(
      shop.folder.path("usb/Jazz/Trio/b.wav"), [Tone.sine(200, frames: 480)])
    #expect(shop.songs() == ["b"])
    for name in ["Jazz/Trio", "music"] {
      let reply = Received("/reply", [.string("/music/folder"), .string(name)])
      #expect(shop.answer("/music/folder", .string(name)) == reply)
      #expect(shop.songs() == [name == "music" ? "a" : "b"])
    }
    #expect(error(shop.answer("/music/folder", .string("Trio"))) == "missing")
  }

  @Test func `an empty folder, a missing one, and a file are reported`() throws {
    let shop = try Shop()
    #expect(shop.songs() == [])
    for address in ["/music/play", "/music/next", "/music/previous"] {
      #expect(error(shop.answer(address)) == "missing")
    }
    #expect(error(shop.answer("/music/stop")) == "state")
    rmdir(shop.music)
    #expect(error(shop.answer("/music")) == "missing")
    try Data().write(to: URL(fileURLWithPath: shop.music))
    #expect(error(shop.answer("/music")) == "missing")
    // A node without a data directory has no music folder.
    let desk = Desk()
    desk.tell("/music")
    var told: [Received] = []
    desk.pass(until: "it is answered") {
      told += desk.take()
      return !told.isEmpty
    }
    #expect(error(told.first) == "denied")
  }

  @Test
  func
    `next and previous go through the list, and are refused at its ends while playback continues`()
    throws
  {
    let shop = try Shop(["a.wav", "b.wav", "c.wav"])
    func reply(_ address: String, _ title: String) -> Received {
      Received("/reply", [.string(address), .string(title)])
    }
    #expect(shop.state.first == .string("stopped"))
    #expect(shop.answer("/music/play") == reply("/music/play", "a"))
    #expect(
      shop.answer("/music/previous")
        == Received(
          "/error",
          [
            .string("/music/previous"), .string("state"),
            .string("/music/previous: already at the first song"),
          ]))
    #expect(shop.state[..<2] == [.string("playing"), .int32(1)])
    #expect(shop.answer("/music/next", .float(1)) == reply("/music/next", "b"))
    #expect(shop.answer("/music/next") == reply("/music/next", "c"))
    #expect(
      shop.answer("/music/next")
        == Received(
          "/error",
          [
            .string("/music/next"), .string("state"),
            .string("/music/next: already at the last song"),
          ]))
    #expect(shop.state[..<4] == [.string("playing"), .int32(3), .string("c"), .string("")])
    #expect(shop.state[5] == .float(2))
    #expect(shop.answer("/music/previous") == reply("/music/previous", "b"))
    #expect(shop.desk.tell("/music/next", .float(0)) == [])
    for (number, code) in [(4, "range"), (-1, "range")] {
      #expect(error(shop.answer("/music/play", .int32(Int32(number)))) == code)
    }
    #expect(shop.desk.tell("/music/play", .int32(0)) == [])
    #expect(shop.desk.tell("/music/stop") == [])
    shop.desk.pass(frames: 4800)
    #expect(shop.state[..<3] == [.string("stopped"), .int32(2), .string("b")])
    #expect(error(shop.answer("/music/stop")) == "state")
    // Without a number the last song plays again.
    #expect(shop.answer("/music/play") == reply("/music/play", "b"))
  }

  @Test func `a song continues with the next one, and the last one ends`() throws {
    let shop = try Shop(["a.wav", "b.wav"], seconds: 1)
    _ = shop.answer("/music/play")
    var heard: [Float] = []
    var numbers: [Argument] = []
    for _ in 0..<300 {
      letPass(seconds: 0.001, "the disk is read meanwhile, as under a server")
      heard += shop.desk.host.render(Tone.constant(0, frames: 480), block: 64).left
      shop.desk.seconds += 0.01
      _ = shop.desk.node.tick()
      if numbers.last != shop.state[1] { numbers.append(shop.state[1]) }
    }
    // A tone of 200 Hz fits each song in whole periods, so that both join to two seconds of it.
    let end = heard.lastIndex { $0 != 0 } ?? 0
    #expect(abs(end - 96_000) < 600)
    #expect(Measure.residue(heard[4800..<90_000], hertz: 200, sampleRate: 48_000) < -100)
    #expect(numbers == [.int32(1), .int32(2)])
    #expect(shop.state.first == .string("stopped"))
  }

  @Test func `songs that don't lead into each other join without a click`() throws {
    let shop = try Shop()
    // The first song ends at a crest, where the second starts in a trough.
    for (name, sign) in [("a.wav", Float(0.5)), ("b.wav", -0.5)] {
      try SoundFixture.write(
        "\(shop.music)/\(name)",
        [(0..<48_000).map { sign * Float(cos(2 * .pi * 100 * Double($0) / 48_000)) }])
    }
    _ = shop.answer("/music/play")
    var heard: [Float] = []
    for _ in 0..<250 {
      heard += shop.desk.host.render(Tone.constant(0, frames: 480), block: 64).left
      _ = shop.desk.node.tick()
    }
    // An S-curve of 48 frames bends by 6 / 48² of its height. A step would bend by 1.
    #expect(Measure.roughness(heard[480...]) < 0.01)
  }

  @Test func `a later request replaces a song that is being opened, and both are answered`()
    throws
  {
    let shop = try Shop(["a.wav", "b.wav", "c.wav"])
    _ = shop.songs()
    shop.desk.tell("/music/play", .int32(1))
    #expect(error(shop.desk.tell("/music/next").first) == "state")
    #expect(
      shop.answer("/music/next")
        == Received(
          "/error",
          [
            .string("/music/next"), .string("state"),
            .string("\"b\" was canceled by a later request"),
          ]))
    for _ in 0..<500 {
      letPass(seconds: 0.001, "the disk is read meanwhile, and only the expected messages are sent")
      shop.desk.pass(seconds: 0.001)
    }
    #expect(
      shop.desk.take() == [Received("/reply", [.string("/music/next"), .string("c")])])
    #expect(shop.state[..<2] == [.string("playing"), .int32(3)])
  }

  @Test func `an unplayable file is refused when requested, and skipped otherwise`()
    throws
  {
    let shop = try Shop(["a.wav", "b.wav", "c.wav"], seconds: 0.5)
    _ = shop.songs()
    try Data("no sound".utf8).write(to: URL(fileURLWithPath: shop.music + "/b.wav"))
    _ = shop.answer("/music/play")
    #expect(error(shop.answer("/music/next")) == "type")
    #expect(shop.state[..<2] == [.string("playing"), .int32(1)])
    unlink(shop.music + "/b.wav")
    #expect(error(shop.answer("/music/play", .int32(2))) == "missing")
    #expect(shop.state[..<2] == [.string("playing"), .int32(1)])
    // Reported when it would have played, with the error of the read ahead. The song after it is played.
    var errors: [Received] = []
    for _ in 0..<80 {
      shop.desk.pass(frames: 480)
      errors += shop.desk.take()
    }
    #expect(errors.count == 1 && error(errors.first) == "type")
    #expect(shop.state[..<2] == [.string("playing"), .int32(3)])
  }

  @Test func `a server at another rate continues the song at its position`() throws {
    let shop = try Shop(["a.wav"], seconds: 4)
    _ = shop.answer("/music/play")
    shop.desk.pass(frames: 48_000)
    let later = OfflineHost(takingOver: shop.desk.host.engine, sampleRate: 44_100)
    var heard: [Float] = []
    for _ in 0..<400 {
      letPass(seconds: 0.001, "the disk is read meanwhile, as under a server")
      heard += later.render(Tone.constant(0, frames: 441), block: 63).left
      shop.desk.seconds += 0.01
      _ = shop.desk.node.tick()
    }
    let first = heard.firstIndex { $0 != 0 } ?? 0
    let last = heard.lastIndex { $0 != 0 } ?? 0
    // Three seconds were left.
    #expect(abs(Double(last - first) / 44_100 - 3) < 0.05)
    #expect(
      Measure.residue(heard[(first + 4410)..<(last - 4410)], hertz: 200, sampleRate: 44_100) < -90)
    #expect(shop.state.first == .string("stopped"))
  }

  @Test func `subscribers receive the song and its position`() throws {
    let shop = try Shop(["a.wav"])
    let watcher = Desk.client(9100)
    shop.desk.tell("/subscribe", .string("/music/state"), as: watcher)
    _ = shop.answer("/music/play")
    _ = shop.desk.take(watcher)
    shop.desk.pass(frames: 48_000)
    let told = shop.desk.take(watcher).filter { $0.address == "/music/state" }
    #expect((8...14).contains(told.count))
    let places = told.compactMap { $0.arguments[4].number }
    #expect(places == places.sorted() && places.last ?? 0 > 0.8)
    #expect(told.last?.arguments[2] == .string("a"))
  }

  @Test(arguments: ["wav", "flac", "ogg", "mp3", "aiff", "opus"])
  func `any file is played or refused, and samples stay in bounds`(
    ending: String
  ) throws {
    let shop = try Shop()
    let path = "\(shop.music)/a.\(ending)"
    try SoundFixture.write(path, left: Tone.noise(amplitude: 0.2, frames: 24_000))
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(shop.songs() == ["a"])
    var state: UInt64 = 1
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    for round in 0..<15 {
      var data = whole
      for _ in 0...random(12) {
        // Mostly in the header.
        let place = random(4) == 0 ? random(data.count) : random(min(data.count, 120))
        data[place] = UInt8(random(256))
      }
      if random(4) == 0 { data = data.prefix(random(data.count)) }
      try data.write(to: URL(fileURLWithPath: path))
      let answer = shop.answer("/music/play", .int32(1))
      #expect(["/reply", "/error"].contains(answer?.address), "\(round)")
      let heard = shop.desk.host.render(Tone.constant(0, frames: 12_000), block: 64).left
      #expect(Measure.peak(heard) <= 1, "\(round)")
      _ = shop.desk.take()
    }
    try whole.write(to: URL(fileURLWithPath: path))
    // An error in the last song may be reported later.
    shop.desk.tell("/music/stop")
    shop.desk.pass(frames: 4800)
    _ = shop.desk.take()
    #expect(shop.answer("/music/play", .int32(1))?.address == "/reply")
  }
}
