import DSP
import Foundation
import TestSupport
import Testing

@testable import InstrumentFiles

@Suite struct SFZTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("set/samples"), withIntermediateDirectories: true)
    let sound = Tone.noise(frames: 1000)
    for name in ["set/a.wav", "set/samples/b 2.wav", "set/samples/c4.wav", "outside.wav"] {
      try SoundFixture.write(folder.path(name), [sound], rate: 44_100)
    }
  }

  private func write(_ text: String, _ name: String = "set/test.sfz") throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
  }

  private func read(_ text: String) throws -> Instrument {
    try write(text)
    return try SFZ.read(folder.path("set/test.sfz"))
  }

  // MARK: - Text

  @Test func `a header applies to those below it, until the next one of its level`() throws {
    let regions = try read(
      """
      // a comment <region> sample=none.wav
      <global> volume=-1 pan=50 sample=a.wav
      <master> tune=10
      <group> volume=-2 /* over
      lines pan=0 */ lokey=10
      <region> hikey=20 <region> hikey=30 volume=-3
      <group> <region> tune=5
      <master> <region>
      <global> sample=a.wav <region>
      """
    ).regions
    #expect(regions.map(\.gain) == [-2, -3, -1, -1, 0])
    #expect(regions.map(\.pan) == [0.5, 0.5, 0.5, 0.5, 0])
    #expect(regions.map(\.tune) == [10, 10, 5, 0, 0])
    #expect(regions.map(\.keys) == [10...20, 10...30, 0...127, 0...127, 0...127])
  }

  @Test func `file names support spaces, backslashes and a default path`() throws {
    let read = try read(
      """
      <control> default_path=samples\\
      <region> sample=b 2.wav key=60
      <region> key=61 sample=c4.wav
      <control> default_path=
      <region>sample=a.wav<region>sample=samples/../samples/b 2.wav   tune=7
      """)
    #expect(read.samples.map(\.name) == ["b 2.wav", "c4.wav", "a.wav", "b 2.wav"])
    #expect(read.regions.map(\.sample) == [0, 1, 2, 3] && read.regions[3].tune == 7)
    #expect(read.faults.isEmpty && read.unknown.isEmpty && read.name == "test")
    #expect(read.samples[0].frames == 1000 && read.samples[0].rate == 44_100)
    #expect(try read.samples[0].read() == [Tone.noise(frames: 1000)])
  }

  @Test func `definitions and includes are resolved`() throws {
    try write("#define $LOW 40\n<group> lokey=$LOW hikey=$LOWER", "set/samples/part.txt")
    let regions = try read(
      """
      #define $LOWER c5
      #include "samples/part.txt"
      <region> sample=$NAME.wav
      #define $NAME a
      #define $EXT $NAMEx
      <region> sample=$NAME.wav volume=-$LOW
      """
    ).regions
    #expect(regions.map(\.keys) == [40...72] && regions.map(\.gain) == [-40])
  }

  @Test func `unknown opcodes and invalid values are reported once, and the rest plays`() throws {
    let read = try read(
      """
      <global> sample=a.wav
      <region> foo_cc1=3 key=60 foo_cc1=4 bar=x y
      <region> pan=200 tune=abc lokey=h3 volume=nan
      <curve> curve_index=1
      """)
    #expect(read.unknown == ["<curve>", "bar", "foo_cc1"] && read.regions.count == 2)
    #expect(
      read.faults == [
        "pan=200: invalid value", "tune=abc: invalid value",
        "lokey=h3: invalid value", "volume=nan: invalid value",
      ])
  }

  // MARK: - Opcodes

  @Test func `keys are numbers or note names, and share the offset`() throws {
    let regions = try read(
      """
      <global> sample=a.wav
      <region> key=c4 <region> lokey=C#-1 hikey=g9 pitch_keycenter=eb3 transpose=-12 tune=50
      <region> sample=samples/c4.wav pitch_keycenter=sample key=20
      <region> lokey=-1 hikey=-1
      <control> octave_offset=1 note_offset=-2
      <region> key=60 lovel=20 hivel=30
      """
    ).regions
    #expect(regions.map(\.keys) == [60...60, 1...127, 20...20, 70...70])
    #expect(regions.map(\.rootKey) == [60, 51, 60, 70] && regions[1].tune == -1150)
    #expect(regions[3].velocities == 20...30)
  }

  @Test func `sample offsets are in frames, and the last frame is inclusive`() throws {
    let regions = try read(
      """
      <global> sample=a.wav
      <region> offset=10 end=899 loop_mode=loop_continuous loop_start=100 loop_end=199
      <region> loop_mode=loop_sustain loop_end=5000 <region> loop_mode=one_shot offset=9999
      <region> loop_mode=loop_continuous loop_start=900 loop_end=100 <region> end=-1 <region>
      """
    ).regions
    #expect(regions.map(\.end) == [900, 1000, 1000, 1000, 1000])
    #expect(regions.map(\.start) == [10, 0, 999, 0, 0])
    #expect(regions.map(\.loop) == [100..<200, 0..<1000, 0..<0, 0..<0, 0..<0])
    #expect(
      regions.map(\.loopMode) == [.continuous, .untilRelease, .oneShot, .none, .none])
  }

  @Test func `the loop stored in the sample is the default`() throws {
    try LoopedWave.write(folder.path("set/loop.wav"), frames: 1000, loop: 200..<800)
    let regions = try read(
      "<global> sample=loop.wav <region> <region> loop_mode=no_loop <region> loop_start=300"
    ).regions
    #expect(regions.map(\.loop) == [200..<800, 0..<0, 300..<800])
    #expect(regions.map(\.loopMode) == [.continuous, .none, .continuous])
  }

  @Test func `envelopes, filter, round robin, random, groups and keyswitches`() throws {
    let region = try read(
      """
      <region> sample=a.wav ampeg_delay=1 delay=0.5 ampeg_attack=2 ampeg_hold=3 ampeg_decay=4
      ampeg_sustain=50 ampeg_release=6 ampeg_vel2attack=-1 ampeg_start=10 fileg_decay=7
      fileg_depth=1200 cutoff=500 resonance=6 fil_type=hpf_2p fil_veltrack=2400 fil_keytrack=100
      trigger=release group=3 off_by=4 seq_length=4 seq_position=2 lorand=0.25 hirand=0.5
      sw_lokey=20 sw_hikey=30 sw_last=c1 sw_default=25 sw_previous=60 pitch_keytrack=0 amplitude=10
      """
    ).regions[0]
    var envelope = SamplerRegion.Envelope()
    (envelope.delay, envelope.start, envelope.attack, envelope.hold) = (1.5, 0.1, 2, 3)
    (envelope.decay, envelope.sustain, envelope.release) = (4, 0.5, 6)
    envelope.attackByVelocity = -1
    #expect(region.envelope == envelope)
    #expect(region.modulationEnvelope.decay == 7 && region.modulationToFilter == 1200)
    var filter = SamplerRegion.Filter()
    (filter.kind, filter.cutoff, filter.resonance) = (.highpass2, 500, 6)
    (filter.perKey, filter.byVelocity) = (100, 2400)
    #expect(region.filter == filter)
    #expect(region.trigger == .release && region.group == 3 && region.offBy == 4)
    #expect(region.turn == .init(length: 4, position: 2) && region.chance == 0.25..<0.5)
    #expect(region.switches == .init(keys: 20...30, last: 24, initial: 25, previous: 60))
    #expect(region.keyTracking == 0 && abs(region.gain + 20) < 1e-12)
  }

  @Test func `velocity tracking has the configured depth`() throws {
    let regions = try read(
      "<global> sample=a.wav <region> <region> amp_veltrack=50 <region> amp_veltrack=0"
    ).regions
    let losses = regions.map { region in
      region.modulators.first { $0.source.controller == .velocity }
        .map { $0.amount * Double($0.source.value(at: 64 / 127)) }
    }
    // 40 dB per decade.
    #expect(abs(losses[0]! - 40 * log10(127.0 / 64)) < 1e-4)
    #expect(abs(losses[1]! - 20 * log10(127.0 / 64)) < 1e-4 && losses[2] == nil)
  }

  // MARK: - Malformed files

  @Test func `a file that has become much shorter is no longer a sample`() throws {
    let sample = try read("<region> sample=a.wav").samples[0]
    let fewer = Tone.noise(frames: 900)
    try SoundFixture.write(folder.path("set/a.wav"), [fewer], rate: 44_100)
    #expect(try sample.read() == [fewer + [Float](repeating: 0, count: 100)])
    let fault = #expect(throws: InstrumentFault.self) {
      try SampleFile(sample.path).read(frames: 1 << 26)
    }
    #expect(
      fault?.description
        == "\(sample.path) is truncated: it has 900 of 67108864 frames of a sample")
  }

  @Test func `missing samples are reported, and paths out of the folder are denied`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("set/link.wav"), withDestinationPath: folder.path("outside.wav"))
    try Data("no sound".utf8).write(to: URL(fileURLWithPath: folder.path("set/bad.wav")))
    let read = try read(
      """
      <region> sample=none.wav <region> sample=none.wav <region> sample=../outside.wav
      <region> sample=samples/../../outside.wav <region> sample=/etc/passwd <region> sample=link.wav
      <region> sample=*sine <region> sample=bad.wav <region> key=3 <region> sample=a.wav
      """)
    #expect(read.regions.count == 1 && read.faults.count == 8)
    let root = URL(fileURLWithPath: folder.path("set")).resolvingSymlinksInPath().path
    #expect(read.faults[0] == "can't read \(root)/none.wav: No such file or directory")
    for fault in read.faults[1...4] {
      #expect(fault.hasSuffix(" is outside \(root)"))
    }
    // With an ancestor as root, more may be read.
    let wider = try SFZ.read(folder.path("set/test.sfz"), root: folder.url.path)
    #expect(wider.regions.count == 4 && wider.faults.count == 5)
  }

  @Test(arguments: [
    "", "hello", "<region", "key=3", "#include \"test.sfz\"\n<region>", "<region>\0",
    "#include \"../x\"", "#include \"none\"",
  ])
  func `a malformed file is reported in one line`(text: String) throws {
    let fault = #expect(throws: InstrumentFault.self) { try read(text) }
    #expect(fault?.description.contains("\n") == false)
  }

  @Test func `definitions that grow without bound are rejected`() throws {
    var text = "#define $A aaaaaaaaaaaaaaaa\n"
    for _ in 0..<22 { text += "#define $A $A$A\n" }
    #expect(throws: InstrumentFault.self) { try read(text) }
  }

  @Test func `malformed input never crashes the parser`() throws {
    let text = Array(
      """
      <control> default_path= note_offset=1
      #define $K 60
      <global> ampeg_attack=0.1 /* x */ loop_mode=loop_continuous loop_start=5 loop_end=900
      <group> key=$K lovel=3 hivel=100 seq_length=3 end=950 offset=4 lorand=0.1 hirand=0.9
      <region> sample=a.wav tune=3 // end
      <region> sample=samples\\b 2.wav cutoff=300 pan=-30 sw_lokey=c2 sw_hikey=c3
      """.utf8)
    var dice = Dice(seed: 5)
    var (opened, regions) = (0, 0)
    for _ in 0..<3000 {
      var changed = text
      for _ in 0...Int.random(in: 0..<6, using: &dice) {
        let place = changed.indices.randomElement(using: &dice)!
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: changed[place] = UInt8.random(in: 1...255, using: &dice)
        case 1: changed[place] = Array("0123456789-=<>$#/* ".utf8).randomElement(using: &dice)!
        case 2: changed.remove(at: place)
        default: changed.insert(contentsOf: changed[place..<min(place + 9, changed.count)], at: 0)
        }
      }
      try Data(changed).write(to: URL(fileURLWithPath: folder.path("set/test.sfz")))
      guard let read = try? SFZ.read(folder.path("set/test.sfz")) else { continue }
      opened += 1
      for region in read.regions {
        regions += 1
        let frames = read.samples[region.sample].frames
        #expect(region.start >= 0 && region.start < region.end && region.end <= frames)
        #expect(region.loop.lowerBound >= 0 && region.loop.upperBound <= region.end)
      }
    }
    // Most of the mutated files are still valid, some are not.
    #expect(opened > 500 && opened < 3000 && regions > 500)
  }
}
