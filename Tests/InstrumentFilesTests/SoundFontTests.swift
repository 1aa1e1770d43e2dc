import DSP
import Foundation
import TestSupport
import Testing

@testable import InstrumentFiles
@testable import SoundFiles

@Suite struct SoundFontTests {
  typealias Zone = SoundFontFixture.Zone

  private let folder: TemporaryFolder
  private var path: String { folder.path("font.sf2") }

  init() throws { folder = try TemporaryFolder() }

  private func instrument(_ fixture: SoundFontFixture) throws -> Instrument {
    try fixture.write(path)
    let font = try SoundFont(path)
    return try font.instrument(font.programs[0])
  }

  private func region(_ generators: [(code: Int, amount: Int)]) throws -> Region {
    var fixture = SoundFontFixture()
    fixture.instruments = [[Zone(generators + [(53, 0)])]]
    return try #require(try instrument(fixture).regions.first)
  }

  // MARK: - Programs

  @Test func `programs are listed by bank and number`() throws {
    var fixture = SoundFontFixture()
    fixture.programs = [("Drums", 128, 0), ("Violin", 0, 40), ("Piano", 0, 0)].map {
      .init(name: $0, bank: $1, number: $2, zones: [Zone([(41, 0)])])
    }
    fixture.name = "Caf\u{e9} \u{7}bar"
    try fixture.write(path)
    let font = try SoundFont(path)
    #expect(font.programs.map(\.name) == ["Piano", "Violin", "Drums"])
    #expect(font.programs.map(\.bank) == [0, 0, 128] && font.programs.map(\.number) == [0, 40, 0])
    #expect(font.programs.map(\.index) == [2, 1, 0] && font.name == "Caf\u{e9} bar")
    #expect(try font.program(bank: 128, number: 0).name == "Drums")
    let fault = #expect(throws: InstrumentFault.self) { try font.program(number: 7) }
    #expect(fault?.description == "\(path) has no program 7 in bank 0")
  }

  // MARK: - Zones

  @Test func `an empty zone gets the defaults of the specification`() throws {
    let region = try region([])
    #expect(region.keys == 0...127 && region.velocities == 0...127 && region.rootKey == 60)
    #expect(region.start == 0 && region.end == 1000 && region.loopMode == .none)
    #expect(region.keyTracking == 100 && region.tune == 0 && region.gain == 0 && region.pan == 0)
    #expect(region.filter == nil && region.group == 0 && region.fixedKey == nil)
    // The minimum times mean 0. There is no decay.
    var envelope = SamplerRegion.Envelope()
    envelope.isWhole = true
    #expect(region.envelope == envelope)
    // A frequency of 0 cents is key 0.
    #expect(abs(region.tremolo.frequency - 8.1758) < 0.0001)
    #expect(region.modulators.count == 9)
  }

  @Test func `zones inherit from the global zone and override it`() throws {
    var fixture = SoundFontFixture()
    fixture.instruments = [
      [
        Zone([(17, -500), (51, 2)]), Zone([(53, 0)]), Zone([(17, 250), (53, 0)]), Zone([(17, 9)]),
      ]
    ]
    let regions = try instrument(fixture).regions
    #expect(regions.map(\.pan) == [-1, 0.5] && regions.map(\.tune) == [200, 200])
  }

  @Test func `a program adds to its instruments, except for sample-only generators`() throws {
    var fixture = SoundFontFixture()
    fixture.instruments = [[Zone([(51, 1), (38, -1200), (8, 9000), (57, 3), (53, 0)])]]
    fixture.programs[0].zones = [
      Zone([(51, 7)]), Zone([(52, 50), (41, 0)]),
      Zone([(51, -2), (38, 1200), (8, 9000), (57, 5), (54, 1), (58, 20), (41, 0)]),
    ]
    let regions = try instrument(fixture).regions
    #expect(regions.map(\.tune) == [850, -100])
    #expect(regions.map(\.envelope.release) == [0.5, 1])
    #expect(regions.map(\.group) == [3, 3] && regions.map(\.loopMode) == [.none, .none])
    #expect(regions.map(\.rootKey) == [60, 60])
    // 9000 + 9000 exceeds the range: the filter is fully open.
    #expect(regions[0].filter != nil && regions[1].filter == nil)
  }

  @Test func `a region covers the intersection of the ranges of program and instrument`() throws {
    func keys(_ range: ClosedRange<Int>) -> (code: Int, amount: Int) {
      (43, SoundFontFixture.range(range))
    }
    func velocities(_ range: ClosedRange<Int>) -> (code: Int, amount: Int) {
      (44, SoundFontFixture.range(range))
    }
    var fixture = SoundFontFixture()
    fixture.instruments = [
      [
        Zone([keys(0...59), (53, 0)]), Zone([keys(60...127), velocities(64...127), (53, 0)]),
      ]
    ]
    fixture.programs[0].zones = [
      Zone([keys(50...70), velocities(0...99), (41, 0)]), Zone([keys(0...10), (41, 0)]),
      // A range out of order is ignored.
      Zone([(17, 0), keys(3...4), (41, 0)]),
    ]
    let regions = try instrument(fixture).regions
    #expect(
      regions.map(\.keys) == [50...59, 60...70, 0...10, 0...59, 60...127])
    #expect(
      regions.map(\.velocities) == [0...99, 64...99, 0...127, 0...127, 64...127])
    #expect(regions[1].fits(key: 60, velocity: 64) && !regions[1].fits(key: 60, velocity: 63))
  }

  // MARK: - Values

  @Test func `pitch depends on root key, tuning, the sample's correction and scale tuning`() throws
  {
    var fixture = SoundFontFixture()
    fixture.samples[0].root = 72
    fixture.samples[0].correction = -7
    fixture.instruments = [
      [
        Zone([(51, -1), (52, 20), (56, 50), (53, 0)]),
        Zone([(58, 48), (46, 61), (47, 99), (53, 0)]),
      ]
    ]
    var regions = try instrument(fixture).regions
    #expect(regions.map(\.rootKey) == [72, 48] && regions.map(\.tune) == [-87, -7])
    #expect(regions[0].cents(key: 74) == 100 - 87)
    #expect(regions[1].fixedKey == 61 && regions[1].fixedVelocity == 99)
    #expect(regions[1].cents(key: 10) == 1300 - 7)
    // 255 marks an unpitched sound.
    fixture.samples[0].root = 255
    regions = try instrument(fixture).regions
    #expect(regions.map(\.rootKey) == [60, 48])
  }

  @Test func `generator values are converted to dB, seconds, Hz and fractions`() throws {
    let region = try region([
      (48, 100), (17, 500), (15, 250), (16, 1000), (8, 6000), (9, 60), (33, 0), (34, -1200),
      (35, 1200), (36, 2400), (37, 200), (38, -2400), (39, 50), (40, -25), (29, 250), (7, 1200),
      (11, -600), (13, 30), (5, 12), (10, 24), (6, 36), (21, 0), (22, 1200), (57, 4),
    ])
    // 0.4 of the attenuation, and half of the resonance.
    #expect(abs(region.gain + 4 + 3) < 1e-12)
    #expect(region.pan == 1)
    let filter = try #require(region.filter)
    // Five octaves above key 0.
    #expect(abs(filter.cutoff - 8.1757989 * 32) < 0.001 && filter.resonance == 6)
    let envelope = region.envelope
    #expect(envelope.delay == 1 && envelope.attack == 0.5 && envelope.hold == 2)
    #expect(envelope.decay == 4 && envelope.release == 0.25 && envelope.isWhole)
    // 20 dB.
    #expect(abs(envelope.sustain - 0.1) < 1e-12)
    // Of keys 36 and 12.
    #expect(abs(envelope.hold * exp2(24 * envelope.holdPerKey / 1200) - 4) < 1e-12)
    #expect(abs(envelope.decay * exp2(48 * envelope.decayPerKey / 1200) - 2) < 1e-12)
    #expect(region.modulationEnvelope.sustain == 0.75 && region.modulationToPitch == 1200)
    #expect(region.modulationToFilter == -600)
    #expect(region.tremolo.toGain == 3 && region.tremolo.toPitch == 12)
    #expect(region.tremolo.toFilter == 24 && region.vibrato.toPitch == 36)
    #expect(region.tremolo.delay == 1 && abs(region.tremolo.frequency - 16.3516) < 0.001)
    #expect(region.group == 4 && region.offBy == 4)
  }

  @Test func `attenuation is scaled by 0.4`() throws {
    var fixture = SoundFontFixture()
    fixture.instruments = [[Zone([(48, 60), (53, 0)])]]
    fixture.programs[0].zones = [Zone([(48, 40), (41, 0)])]
    #expect(abs(try instrument(fixture).regions[0].gain + 4) < 1e-12)
  }

  @Test func `loop and end offsets are applied, fine and coarse`() throws {
    var fixture = SoundFontFixture()
    fixture.sound = [UInt8](repeating: 0, count: 2 * 80_000)
    fixture.samples[0] = .init(start: 1000, end: 75_000, loop: 2000..<70_000)
    fixture.instruments = [
      [
        Zone([
          (54, 1), (0, 3), (4, 1), (1, -10), (12, -1), (2, 5), (45, 1), (3, -7), (50, -1), (53, 0),
        ]),
        Zone([(54, 3), (53, 0)]), Zone([(54, 2), (53, 0)]),
        Zone([(54, 1), (3, -32_000), (50, -2), (53, 0)]),
      ]
    ]
    let regions = try instrument(fixture).regions
    #expect(regions[0].start == 3 + 32_768 && regions[0].end == 74_000 - 10 - 32_768)
    #expect(regions[0].loop == 33_773..<36_225 && regions[0].loopMode == .continuous)
    #expect(regions[1].loop == 1000..<69_000 && regions[1].loopMode == .untilRelease)
    #expect(regions[2].loop.isEmpty && regions[2].loopMode == .none)
    #expect(regions[3].loop.isEmpty && regions[3].loopMode == .none)
    fixture.instruments = [[Zone([(54, 1), (2, 5), (45, 1), (3, -7), (53, 0)])]]
    #expect(try instrument(fixture).regions[0].loop == 1005 + 32_768..<68_993)
  }

  // MARK: - Modulators

  @Test func `velocity attenuates by 40 dB per decade`() throws {
    let modulators = try region([]).modulators
    let velocity = try #require(modulators.first { $0.source.controller == .velocity })
    #expect(velocity.target == .attenuation)
    for played in [1.0, 32, 64, 100, 127] {
      // The maximum is 96 dB. Velocity 1 yields 84.
      #expect(abs(velocity.value(at: played / 127) - 40 * log10(127 / played)) < 1e-4)
    }
    #expect(velocity.value(at: 0) == 96)
    #expect(!modulators.contains { $0.target == .cutoff })
  }

  @Test func `an instrument's modulators override the defaults, and a program's are added`() throws
  {
    var fixture = SoundFontFixture()
    // Velocity to attenuation; key pressure to vibrato; a modulator of a modulator, which is
    // omitted.
    let velocity = [0x0502, 48, 480, 0, 0]
    fixture.instruments = [
      [
        Zone([], modulators: [velocity, [0x000A, 6, 30, 0, 0]]),
        Zone([(53, 0)], modulators: [[0x000A, 6, 70, 0, 0], [0x007F, 6, 70, 0, 0]]),
      ]
    ]
    fixture.programs[0].zones = [
      Zone([(41, 0)], modulators: [[0x0502, 48, 100, 0, 0], [0x0F02, 17, 250, 0x0081, 2]])
    ]
    let modulators = try instrument(fixture).regions[0].modulators
    let amounts = modulators.filter { $0.target == .attenuation }.map(\.amount)
    #expect(amounts.sorted() == [58, 96, 96])
    let pressure = modulators.filter { $0.source.controller == .keyPressure }
    #expect(pressure.map(\.amount) == [70] && modulators.count == 11)
    let pan = try #require(
      modulators.first { $0.target == .pan && $0.source.controller != .control(10) })
    #expect(
      pan.source == .init(.velocity, curve: .step, isReversed: true, isBipolar: true))
    #expect(pan.scale == .init(.control(1)) && pan.isAbsolute)
    #expect(pan.source.value(at: 0.9) == -1 && pan.scale.value(at: 0.5) == 0.5)
    #expect(pan.amount == 0.5)
  }

  // MARK: - Samples

  @Test func `samples are read from their offset, with 16 bits and with 24`() throws {
    var fixture = SoundFontFixture()
    fixture.samples = [.init(start: 990, end: 1010), .init(name: "other", start: 0, end: 2000)]
    var read = try instrument(fixture)
    #expect(read.samples.count == 1 && read.samples[0].frames == 20)
    #expect(read.samples[0].rate == 44_100 && read.samples[0].channels == 1)
    let steps = (-10..<10).map { Float($0) / 32_768 }
    #expect(try read.samples[0].read() == [steps])
    fixture.fine = (0..<2000).map { UInt8($0 % 256) }
    read = try instrument(fixture)
    let fine = (0..<20).map { (frame: Int) -> Float in
      Float(256 * (frame - 10) + (990 + frame) % 256) / 8_388_608
    }
    #expect(try read.samples[0].read() == [fine])
  }

  @Test func `the channels of a stereo pair are linked`() throws {
    var fixture = SoundFontFixture()
    fixture.samples = [
      .init(name: "L", partner: 1, kind: 4),
      .init(name: "R", start: 1000, end: 2000, partner: 0, kind: 2),
      .init(name: "lonely", partner: 7, kind: 2),
    ]
    fixture.instruments = [[Zone([(53, 1)]), Zone([(53, 0)]), Zone([(53, 2)]), Zone([(53, 0)])]]
    let read = try instrument(fixture)
    #expect(read.samples.map(\.name) == ["R", "L", "lonely"])
    #expect(read.samples.map(\.side) == [.right, .left, .right])
    #expect(read.samples.map(\.partner) == [1, 0, nil])
    #expect(read.regions.map(\.sample) == [0, 1, 2, 1])
    // Without links, adjacent samples of equal length are pairs.
    fixture.samples[0].partner = 7
    fixture.samples[1].partner = 7
    #expect(try instrument(fixture).samples.map(\.partner) == [1, 0, nil])
    fixture.samples[0].end = 999
    #expect(try instrument(fixture).samples.map(\.partner) == [nil, nil, nil])
  }

  @Test func `Vorbis samples are decoded, and their loops are relative to the sample`() throws {
    let tone = Tone.sine(441, frames: 20_000, sampleRate: 44_100)
    try SoundFixture.write(folder.path("tone.ogg"), left: tone, rate: 44_100)
    let ogg = Array(try folder.bytes("tone.ogg"))
    var fixture = SoundFontFixture()
    fixture.sound = [1, 2, 3] + ogg
    fixture.samples = [
      .init(start: 3, end: 3 + ogg.count, loop: 1000..<11_000, kind: 0x11)
    ]
    fixture.instruments = [[Zone([(54, 1), (53, 0)])]]
    let read = try instrument(fixture)
    #expect(read.faults.isEmpty && read.samples.map(\.frames) == [20_000])
    #expect(read.regions.map(\.loop) == [1000..<11_000])
    let sound = try read.samples[0].read()
    let error = zip(sound[0], tone).map { abs($0 - $1) }.max()
    // Vorbis at 192 kb/s deviates from a plain tone by less than 0.02, but not less than 0.001.
    #expect(sound[0].count == 20_000 && error! < 0.02)
    // Samples of no region are not read.
    #expect(try read.samples[0].read(first: 5000)[0] == Array(sound[0][..<5000]))
  }

  @Test(arguments: [1, 100, 4000, 44_100, 300_001])
  func `the length of Vorbis samples is determined without decoding`(frames: Int) throws {
    let path = folder.path("tone.ogg")
    try SoundFixture.write(path, left: Tone.noise(frames: frames), rate: 44_100)
    let bytes = Array(try folder.bytes("tone.ogg"))
    // Embedded in a file, followed by a page of another stream.
    let font = folder.path("font.sf3")
    try Data([UInt8](repeating: 7, count: 99) + bytes + bytes).write(
      to: URL(fileURLWithPath: font))
    let ends = try #require(
      try VorbisEnds(WaveFile(font, to: .read), place: 99, bytes: bytes.count))
    #expect(ends.frames == frames && ends.rate == 44_100)
    #expect(try SampleFile(font, place: 99, bytes: bytes.count).frames == frames)
    // A malformed or truncated stream is left to the decoder.
    #expect(try VorbisEnds(WaveFile(font, to: .read), place: 98, bytes: bytes.count) == nil)
    #expect(try VorbisEnds(WaveFile(font, to: .read), place: 99, bytes: 20) == nil)
  }

  @Test func `a font whose sound has an odd length may omit the pad byte`() throws {
    var fixture = SoundFontFixture()
    fixture.sound.append(9)
    let bytes = fixture.bytes
    // The LIST chunk of the sound ends with the pad byte.
    let tables = try #require(Data(bytes).range(of: Data("pdta".utf8))).lowerBound - 8
    try Data(bytes[..<(tables - 1)] + bytes[tables...]).write(to: URL(fileURLWithPath: path))
    #expect(throws: InstrumentFault.self) { try SoundFont(path) }
    var list = Array(bytes[..<(tables - 1)] + bytes[tables...])
    let sound = try #require(Data(bytes).range(of: Data("sdta".utf8))).lowerBound - 4
    list.replaceSubrange(sound..<sound + 4, with: SoundFontFixture.long(4 + 8 + 4001))
    try Data(list).write(to: URL(fileURLWithPath: path))
    #expect(try SoundFont(path).programs.count == 1)
  }

  // MARK: - Malformed files

  @Test func `invalid samples are reported, and the rest is playable`() throws {
    var fixture = SoundFontFixture()
    fixture.samples = [
      .init(), .init(name: "beyond", start: 1500, end: 2001),
      .init(name: "empty", start: 5, end: 5),
      .init(name: "rom", kind: 0x8001), .init(name: "no ogg", kind: 0x11),
      .init(name: "still", rate: 0),
    ]
    fixture.instruments = [(0...6).map { Zone([(53, $0)]) }]
    fixture.programs[0].zones.append(Zone([(41, 9)]))
    let read = try instrument(fixture)
    #expect(read.regions.count == 1 && read.samples.count == 1 && read.faults.count == 7)
    #expect(read.faults[0] == "the sample beyond exceeds the sound of \(path)")
    #expect(read.faults.allSatisfy { !$0.contains("\n") })
  }

  @Test func `a malformed or truncated file is reported in one line`() throws {
    let bytes = SoundFontFixture().bytes
    #expect(throws: InstrumentFault.self) { try SoundFont(folder.path("none.sf2")) }
    #expect(throws: InstrumentFault.self) { try SoundFont(folder.url.path) }
    for count in [0, 11, 12, 100, 2000, bytes.count - 1] {
      try Data(bytes.prefix(count)).write(to: URL(fileURLWithPath: path))
      let fault = #expect(throws: InstrumentFault.self) { try SoundFont(path) }
      #expect(fault?.kind == .broken && fault?.description.contains("\n") == false)
    }
  }

  @Test func `a file that requires billions of regions is rejected`() throws {
    var fixture = SoundFontFixture()
    fixture.instruments = [(0..<3000).map { _ in Zone([(53, 0)]) }]
    fixture.programs[0].zones = (0..<3000).map { _ in Zone([(41, 0)]) }
    let fault = #expect(throws: InstrumentFault.self) { try instrument(fixture) }
    #expect(fault?.description == "\(path) is invalid: a program has more than 16384 regions")
  }

  @Test func `malformed input never crashes the parser`() throws {
    var fixture = SoundFontFixture()
    fixture.samples.append(.init(name: "other", start: 1000, end: 2000, partner: 0, kind: 4))
    fixture.instruments.append([
      Zone([(17, 1)]), Zone([(43, 0x4020), (44, 0x7F00), (54, 1), (3, 4), (53, 1)]),
    ])
    fixture.programs.append(
      .init(zones: [
        Zone([(48, 5)], modulators: [[0x0502, 48, 480, 0, 0]]), Zone([(41, 1)]), Zone([(41, 0)]),
      ]))
    let bytes = fixture.bytes
    // Skips the sound in the middle, which has no structure.
    let places = Array(0..<110) + Array(4100..<bytes.count)
    var random = Dice(seed: 11)
    var (opened, played) = (0, 0)
    for round in 0..<4000 {
      var changed = bytes
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let place = places.randomElement(using: &random)!
        let values: [UInt8] = [0, 255, 127, 128, UInt8.random(in: 0...255, using: &random)]
        changed[place] = values.randomElement(using: &random)!
      }
      if round % 10 == 0 { changed.removeLast(Int.random(in: 0..<800, using: &random)) }
      try Data(changed).write(to: URL(fileURLWithPath: path))
      guard let font = try? SoundFont(path) else { continue }
      opened += 1
      for program in font.programs {
        guard let read = try? font.instrument(program) else { continue }
        for region in read.regions {
          let frames = read.samples[region.sample].frames
          #expect(region.start >= 0 && region.start < region.end && region.end <= frames)
          #expect(region.loop.lowerBound >= 0 && region.loop.upperBound <= region.end)
          #expect(region.tune.isFinite && region.envelope.decay.isFinite)
        }
        for sample in read.samples {
          #expect(sample.frames <= 2000)
          if (try? sample.read()) != nil { played += 1 }
        }
      }
    }
    // Both outcomes of each check occur.
    #expect(opened > 1000 && opened < 4000 && played > 1000)
  }
}

extension Modulator {
  /// The offset of the destination for a controller position from 0 to 1.
  fileprivate func value(at place: Double) -> Double {
    amount * Double(source.value(at: Float(place)))
  }
}
