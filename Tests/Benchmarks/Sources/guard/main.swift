// Measures how soon the guard suppresses feedback, the additional gain, its false detections, and its
// cost.
internal import DSP
internal import Foundation
internal import Howl

let minutes = CommandLine.arguments.count > 1 ? Double(CommandLine.arguments[1]) ?? 10 : 10

func row(_ cells: [String], first: Int = 26) {
  print(
    cells.enumerated().map { index, text in
      let blanks = String(
        repeating: " ", count: max(1, (index == 0 ? first : 14) - text.count))
      return index == 0 ? text + blanks : blanks + text
    }.joined())
}

func text(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }

// MARK: - Rooms

/// A room: its seed, the delay in frames, and the strengths of reflections and tail.
struct Room {
  var seed: Int
  var delay: Int
  var early: Double
  var tail: Double

  func make() -> HowlRoom { HowlRoom(seed: seed, delay: delay, early: early, tail: tail) }
}

/// From a dry stage to a small hall, and from a short loop delay to a long one.
let rooms = [
  Room(seed: 11, delay: 320, early: 0.4, tail: 0.15),
  Room(seed: 12, delay: 600, early: 0.4, tail: 0.15),
  Room(seed: 13, delay: 1200, early: 0.4, tail: 0.15),
  Room(seed: 1, delay: 320, early: 1, tail: 0.3),
  Room(seed: 2, delay: 400, early: 1, tail: 0.3), Room(seed: 3, delay: 600, early: 1, tail: 0.3),
  Room(seed: 4, delay: 800, early: 1, tail: 0.3), Room(seed: 5, delay: 400, early: 1, tail: 0.5),
  Room(seed: 6, delay: 600, early: 1, tail: 0.5), Room(seed: 7, delay: 1200, early: 1, tail: 0.5),
  Room(seed: 8, delay: 1800, early: 1, tail: 0.5),
]

/// Returns the RMS level of a sound.
func level(_ sound: ArraySlice<Float>) -> Double {
  (sound.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, sound.count))).squareRoot()
}

/// The highest gain relative to the limit, in dB, at which three seconds of speech end without
/// feedback, found in steps.
func mostGain(_ room: Room, isGuarded: Bool) -> Double {
  let stage = HowlStage(room.make(), isGuarded: isGuarded)
  let speech = MadeSpeech.sound(seconds: 3, seed: room.seed).map { 0.02 * $0 }
  var decibels = -3.0
  while decibels < 15 {
    stage.play(speech, decibels: decibels)
    // Feedback is loud and sustained: speech in the room is nowhere near half of full scale.
    if level(stage.heard.suffix(24_000)) > 0.25 { break }
    decibels += 0.5
  }
  return decibels - 0.5
}

/// The power of each 10 ms around a frequency, and in total.
func courses(_ sound: [Float], around hertz: Double) -> (band: [Double], all: [Double]) {
  let tangent = tan(Double.pi * hertz / 48_000)
  let damping = 1 / 14.4
  let share = 1 / (1 + tangent * (tangent + damping))
  var (first, second) = (0.0, 0.0)
  var (band, all) = ([Double](), [Double]())
  for start in stride(from: 0, to: sound.count - 479, by: 480) {
    var (own, whole) = (0.0, 0.0)
    for frame in start..<(start + 480) {
      let input = Double(sound[frame])
      let middle = share * (first + tangent * (input - second))
      let low = second + tangent * middle
      first = 2 * middle - first
      second = 2 * low - second
      own += damping * damping * middle * middle
      whole += input * input
    }
    band.append(own)
    all.append(whole)
  }
  return (band, all)
}

/// The audible duration of each feedback tone in seconds, after a sudden gain increase: while the
/// band of its notch has more than half of the power.
func howls(_ room: Room, over: Double) -> (
  found: [Double], heard: [Double]
) {
  let stage = HowlStage(room.make(), isGuarded: true)
  let speech = MadeSpeech.sound(seconds: 6, seed: room.seed).map { 0.02 * $0 }
  stage.play(Array(speech[..<48_000]), decibels: -6)
  stage.play(Array(speech[48_000...]), decibels: over)
  var (found, heard) = ([Double](), [Double]())
  for notch in stage.found {
    let (band, all) = courses(stage.heard, around: Double(notch.hertz))
    func isHowling(_ place: Int) -> Bool {
      let parts = max(0, place - 4)...place
      let own = parts.reduce(0) { $0 + band[$1] }
      // Below -50 dB it doesn't count.
      return own > 0.5 * parts.reduce(0) { $0 + all[$1] } && own > 1e-5 * 480 * 5
    }
    let place = min(notch.frame / 480, band.count - 1)
    var start = place
    while start > 0 && isHowling(start - 1) { start -= 1 }
    var end = place
    while end < band.count - 1 && isHowling(end) { end += 1 }
    found.append(Double(place - start) / 100)
    heard.append(Double(end - start) / 100)
  }
  return (found, heard)
}

func median(_ values: [Double]) -> Double {
  values.isEmpty ? 0 : values.sorted()[values.count / 2]
}

row(
  ["delay, tail, feedback at", "without dB", "guarded dB", "found s", "max", "heard s", "max"],
  first: 28)
var gains: [Double] = []
for room in rooms {
  let plain = mostGain(room, isGuarded: false)
  let guarded = mostGain(room, isGuarded: true)
  gains.append(guarded - plain)
  let outcomes = [1.0, 2, 3].map { howls(room, over: $0) }
  let (found, heard) = (outcomes.flatMap(\.found), outcomes.flatMap(\.heard))
  let limit = room.make().limitHertz
  row(
    [
      "\(text(Double(room.delay) / 48, 1)) ms, \(room.tail), \(text(limit, 0)) Hz", text(plain, 1),
      text(guarded, 1), text(median(found), 2), text(found.max() ?? 0, 2), text(median(heard), 2),
      text(heard.max() ?? 0, 2),
    ], first: 28)
}
print(
  "additional gain with the guard: \(gains.map { text($0, 1) }.joined(separator: " ")) dB, median \(text(median(gains), 1))"
)
print(
  "found, heard: from when feedback has half of the power, after a step to 1, 2 and 3 dB over the limit"
)
print("")

// MARK: - Instruments

row(["held tones, 3 x \(text(minutes, 0)) min", "probes", "notches", "in a room", "notches"])
for kind in HeldTones.allCases {
  var sums = [0, 0, 0, 0]
  // One seed has too few of the critical tones: a guard without false detections on the first had
  // 17 on the others.
  for seed in 5...7 {
    let sound = kind.sound(seconds: minutes * 60, seed: seed)
    for (place, decibels) in [-200.0, -6].enumerated() {
      let stage = HowlStage(HowlRoom(seed: 2, delay: 600), isGuarded: true)
      stage.play(sound.map { (decibels > -100 ? 0.3 : 1) * $0 }, decibels: decibels)
      sums[2 * place] += stage.probeCount
      sums[2 * place + 1] += stage.found.count
    }
  }
  row([kind.rawValue] + sums.map(String.init))
}
print("in a room: 6 dB below feedback, where the room responds slightly to all probes")
print("")

// MARK: - Cost

func nanoseconds(_ work: () -> Void) -> Double {
  let before = DispatchTime.now().uptimeNanoseconds
  work()
  return Double(DispatchTime.now().uptimeNanoseconds - before)
}

/// The mean, and the longest of the eight blocks of a hop, each at its fastest run; in ns per
/// frame.
func cost(_ source: [Float]) -> (mean: Double, longest: Double) {
  var guardian = HowlGuard(sampleRate: 48_000)
  guardian.setOn(true)
  let blocks = source.count / 64
  var least = [Double](repeating: .infinity, count: 8)
  var (left, right) = ([Float](repeating: 0, count: 64), [Float](repeating: 0, count: 64))
  var all: [Double] = []
  for block in 0..<blocks {
    left = Array(source[(block * 64)..<(block * 64 + 64)])
    right = left
    let time = left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        nanoseconds {
          guardian.process(
            Stereo(left.baseAddress!, right.baseAddress!), peak: 1, frames: 64)
        }
      }
    }
    // Each block does the same work once per hop: the minimum excludes the machine's other work.
    least[block % 8] = min(least[block % 8], time)
    all.append(time)
  }
  return (all.reduce(0, +) / Double(all.count) / 64, least.max()! / 64)
}

let speech = MadeSpeech.sound(seconds: 20).map { 0.1 * $0 }
let organ = HeldTones.organ.sound(seconds: 20, seed: 1)
row(["ns per frame, both sides", "mean", "longest block"])
for (name, sound) in [("speech", speech), ("organ, probing all the time", organ)] {
  let (mean, longest) = cost(sound)
  row([name, text(mean, 1), text(longest, 1)])
}
