// Compares the sampler with FluidSynth with the same SoundFonts and notes:
// `sampler sound FOLDER`, `sampler compare SOUNDFONT`, `sampler programs SOUNDFONT` and
// `sampler load SOUNDFONT PEER [BANK PROGRAM]`.
internal import Foundation
internal import Harness
internal import Posix

func fail(_ code: Int32, _ message: String) -> Never {
  FileHandle.standardError.write(Data("sampler: \(message)\n".utf8))
  exit(code)
}

func make(_ peer: Int) -> any Synth {
  switch peer {
  case 0: Grid()
  case 1: FluidSynth(.fourth)
  case 2: FluidSynth(.seventh)
  default: FluidSynth(.fourth, loadsAll: true)
  }
}

func heading(_ text: String, _ columns: [String]) {
  print(
    "\n" + Measure.label(text)
      + columns.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined())
}

/// Measures the purity of a tone, at the worst of many shifts.
func cleanness(_ folder: String) throws {
  heading("purity in dB, the worst of 16 shifts", ["1 kHz", "5 kHz", "10 kHz"])
  let fonts = try [1000, 5000, 10_000].map { (hertz: $0, path: try Fonts.tone($0, in: folder)) }
  for peer in 0..<3 {
    var worst: [Double] = []
    for font in fonts {
      let synth = make(peer)
      try synth.load(font.path, bank: 0, program: 0)
      var least = Double.infinity
      for shift in -12...7 where shift % 12 != 0 {
        synth.begin(key: 60 + shift, velocity: 100)
        _ = synth.play(9600)
        let hertz = Double(font.hertz) * pow(2, Double(shift) / 12)
        if hertz < 20_000 { least = min(least, Measure.clean(synth.play(9600), near: hertz)) }
        synth.silence()
      }
      worst.append(least)
    }
    print(Measure.label(make(peer).name) + worst.map { Measure.text($0) }.joined())
  }
}

/// Measures the cost of a voice, in blocks of 64 frames.
///
/// Both take turns of a few milliseconds, because the machine's speed varies.
func cost(_ folder: String) throws {
  let font = try Fonts.rich(in: folder)
  let counts = [16, 64, 128]
  var times = [[Double]](repeating: [], count: 3 * counts.count)
  for (column, count) in counts.enumerated() {
    let synths = try (0..<3).map { peer in
      let synth = make(peer)
      try synth.load(font, bank: 0, program: 0)
      for key in 0..<count { synth.begin(key: key, velocity: 90) }
      _ = synth.play(48_000)
      guard synth.voices == count else {
        throw Failure("\(synth.name) plays \(synth.voices) voices, not \(count)")
      }
      return synth
    }
    for _ in 0..<200 {
      for (peer, synth) in synths.enumerated() {
        for turn in 0..<22 {
          let start = HostTime.steady
          _ = synth.play(64)
          let time = (HostTime.steady - start) * 1000 / Double(64 * count)
          // The first blocks find the other's data in the caches.
          if turn > 1 { times[3 * column + peer].append(time) }
        }
      }
    }
  }
  heading("ns per voice and frame, median block", counts.map { "\($0)" } + ["p99 128", "ratio"])
  let medians = times.map { $0.sorted()[$0.count / 2] }
  for peer in 0..<3 {
    let last = times[6 + peer].sorted()
    print(
      Measure.label(make(peer).name)
        + counts.indices.map { Measure.text(medians[3 * $0 + peer], 2) }.joined()
        + Measure.text(last[last.count * 99 / 100], 2)
        + Measure.text(medians[6] / medians[6 + peer], 2))
  }
}

/// Measures the latency of a note requested between two blocks that are not of 64 frames.
func timing(_ folder: String) throws {
  let font = try Fonts.tone(1000, in: folder)
  heading("latency of a note in frames", ["mean", "worst"])
  for peer in 0..<3 {
    let synth = make(peer)
    try synth.load(font, bank: 0, program: 0)
    var late: [Int] = []
    var seed: UInt32 = 1
    for _ in 0..<200 {
      seed = seed &* 1_664_525 &+ 1_013_904_223
      _ = synth.play(64 + Int(seed >> 26))
      synth.begin(key: 60, velocity: 127)
      let sound = synth.play(512)
      guard let first = sound.firstIndex(where: { abs($0) > 1e-7 }) else {
        throw Failure("\(synth.name) plays nothing")
      }
      late.append(first)
      synth.silence()
    }
    let mean = Double(late.reduce(0, +)) / Double(late.count)
    print(Measure.label(synth.name) + Measure.text(mean) + Measure.text(Double(late.max()!), 0))
  }
}

/// Counts a note's calls that can block.
func calls(_ folder: String) throws {
  let font = try Fonts.rich(in: folder)
  heading("calls for 64 notes and one block", ["locks", "malloc", "free"])
  for peer in 0..<3 {
    let synth = make(peer)
    try synth.load(font, bank: 0, program: 0)
    let (left, right) = ([Float](repeating: 0, count: 64), [Float](repeating: 0, count: 64))
    var (l, r) = (left, right)
    _ = synth.play(4800)
    l.withUnsafeMutableBufferPointer { l in
      r.withUnsafeMutableBufferPointer { r in
        count_calls(1)
        for key in 32..<96 { synth.begin(key: key, velocity: 90) }
        synth.render(64, left: l.baseAddress!, right: r.baseAddress!)
        count_calls(0)
      }
    }
    let counts = counted_calls()
    print(
      Measure.label(synth.name)
        + [counts.locks, counts.allocations, counts.frees].map { Measure.text(Double($0), 0) }
        .joined())
  }
}

do {
  // As the node does.
  Heap.returnFreedMemory()
  let arguments = CommandLine.arguments
  switch (arguments.count, arguments.dropFirst().first) {
  case (3, "sound"):
    try cleanness(arguments[2])
    try cost(arguments[2])
    try timing(arguments[2])
    try calls(arguments[2])
  case (3, "cost"): try cost(arguments[2])
  case (3, "compare"): try compare(arguments[2])
  case (3, "programs"): try programs(arguments[2])
  case (4, "load"): try load(arguments[2], Int(arguments[3]) ?? 0, bank: 0, program: 0)
  case (6, "load"):
    try load(
      arguments[2], Int(arguments[3]) ?? 0, bank: Int(arguments[4]) ?? 0,
      program: Int(arguments[5]) ?? 0)
  default:
    fail(
      64,
      "takes `sound FOLDER`, `compare SOUNDFONT`, `programs SOUNDFONT` or "
        + "`load SOUNDFONT PEER [BANK PROGRAM]`")
  }
} catch {
  fail(70, "\(error)")
}
