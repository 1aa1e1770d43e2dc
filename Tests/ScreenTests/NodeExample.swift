import OSC
import Screen

/// The messages of a node in use.
enum NodeExample {
  static let start = 100.0

  /// Its messages, in order.
  static let messages: [(String, [Argument])] =
    [
      ("/pong", [.int32(0), .string("syrinx"), .string("0.1.0"), .int32(77)]),
      (
        "/status",
        [
          .int32(48_000), .int32(64), .float(3.24), .int32(2), .float(3725), .int32(2),
          .string("running"), .float(120), .int32(900), .int32(4),
        ] + Array(repeating: .int32(0), count: 7) + [.int32(3), .string("USB")]
      ),
      (
        "/meter",
        [-12.34, -13, -12, -13, -120, -120, -20, -21, -6.1, -7.2, 1.5].map { .float($0) }
      ),
      ("/in/gain", [.float(0)]), ("/live/gain", [.float(-6)]), ("/loop/gain", [.float(0)]),
      ("/grid/gain", [.float(-90)]), ("/music/gain", [.float(-3)]), ("/out/gain", [.float(1.5)]),
      ("/live/route", [.string("chain")]), ("/loop/route", [.string("direct")]),
      ("/grid/route", [.string("off")]), ("/music/route", [.string("chain")]),
      ("/mute", [.int32(0)]), ("/chain/bypass", [.int32(0)]), ("/preset", [.string("chipmunk")]),
      ("/pitch/on", [.int32(1)]), ("/pitch/semitones", [.float(7)]),
      ("/pitch/formant", [.float(-2.5)]), ("/pitch/engine", [.string("studio")]),
      ("/pitch/mix", [.float(1)]), ("/stretch/on", [.int32(1)]), ("/stretch/rate", [.float(0.75)]),
      ("/echo/on", [.int32(0)]), ("/echo/time", [.float(0.35)]), ("/echo/beats", [.float(0)]),
      ("/echo/feedback", [.float(0.4)]), ("/echo/mix", [.float(0.35)]),
      ("/echo/tone", [.float(6000)]), ("/echo/spread", [.float(0)]), ("/echo/hold", [.int32(1)]),
      ("/reverb/on", [.int32(1)]), ("/reverb/decay", [.float(2)]), ("/reverb/size", [.float(0.5)]),
      ("/reverb/mix", [.float(0.3)]), ("/reverb/damping", [.float(6000)]),
      ("/reverb/predelay", [.float(0.01)]),
      (
        "/player/state",
        [.string("playing"), .string("standby"), .float(3.2), .float(9.87), .int32(2)]
      ),
      (
        "/player/controls",
        [0, 1, 1, 1, 1, 1].map { .int32($0) }
          + ["record", "pause", "stop", "rewind", "forward", "done"].map { .string($0) }
      ),
      ("/player/next", [.string("overdub"), .float(1.25)]), ("/player/loop", [.int32(1)]),
      ("/player/direction", [.int32(-1)]), ("/player/source", [.string("live")]),
      ("/loop/semitones", [.float(-12)]), ("/loop/rate", [.float(1)]),
      ("/loop/feedback", [.float(0.9)]), ("/loop/engine", [.string("studio")]),
      ("/loop/quantize", [.string("beat")]), ("/loop/beats", [.float(8)]),
      ("/loop/threshold", [.float(-40)]),
      ("/loops/size", [.int32(4), .float(10)]), ("/loop/select", [.int32(3)]),
      (
        "/loop/1/state",
        [.string("playing"), .float(3.2), .float(9.87), .int32(2), .string("overdubbing")]
      ),
      ("/loop/1/next", [.string("overdub"), .float(1.25)]), ("/loop/1/gain", [.float(0)]),
      (
        "/loop/2/state",
        [.string("muted"), .float(2), .float(4), .int32(0), .string("")]
      ),
      ("/loop/2/gain", [.float(-6)]), ("/loop/2/mute", [.int32(1)]),
      (
        "/loop/3/state",
        [.string("recording"), .float(5), .float(5), .int32(0), .string("")]
      ),
      ("/loop/4/state", [.string("empty"), .float(0), .float(0), .int32(0), .string("recording")]),
      ("/loop/4/next", [.string("record"), .float(-1)]),
      ("/metronome/on", [.int32(0)]), ("/metronome/bpm", [.float(120)]),
      ("/metronome/beats", [.int32(4)]),
      ("/capture/state", [.string("on"), .float(12.3), .string("id")]),
      ("/capture/source", [.string("out")]),
      (
        "/music/state",
        [
          .string("playing"), .int32(3), .string("Hedge"), .string("The Wrens"), .float(23),
          .float(225), .int32(0),
        ]
      ),
      ("/grid/root", [.string("A")]), ("/grid/scale", [.string("chromatic")]),
      ("/grid/instrument", [.string("piano")]), ("/grid/layout", [.int32(4), .int32(12)]),
    ]
    + (0..<42).map { index in
      let names = ["A", "A#", "B", "C", "C#", "D", "D#", "E", "F", "F#", "G", "G#"]
      return (
        "/grid/cell",
        [
          .int32(Int32(index / 12 + 1)), .int32(Int32(index % 12 + 1)),
          .string(names[index % 12]), .int32(Int32(45 + index)),
        ]
      )
    } + [
      ("/grid/lit", [.int32(2), .int32(4), .float(0.8)]), ("/takes/total", [.int32(12)]),
    ]
    + [("Whistling", 3.2), ("鳥の声", 9.8), ("Owl by the lake", 61)].enumerated().map {
      (
        "/take",
        [
          .string("\($0.offset)f3a9c2e-0000"), .string($0.element.0), .string("Strix aluco"),
          .string("2026-11-21T17:30:12.5+01:00"), .float(Float($0.element.1)), .float(.nan),
          .float(.nan),
        ]
      )
    } + [("/takes/end", [.int32(3)])]

  /// The picture after all of them.
  static var picture: NodePicture {
    var picture = NodePicture()
    picture.takesAreAsked()
    for (path, arguments) in messages { picture.take(path, arguments, at: start) }
    return picture
  }
}
