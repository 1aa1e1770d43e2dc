import OSC
import Testing

@testable import Screen

@Suite struct NodeScreenTests {
  private static func canvas(
    _ picture: NodePicture = NodeExample.picture, page: NodeScreen.Page = .overview,
    silentFor silence: Double? = nil, columns: Int = 80, rows: Int = 24, isUnicode: Bool = true
  ) -> Canvas {
    NodeScreen.canvas(
      of: picture, at: "127.0.0.1:8000", page: page, silentFor: silence, columns: columns,
      rows: rows, glyphs: Glyphs(isUnicode: isUnicode))
  }

  @Test func `all of it has room on a usual terminal`() {
    let text = Self.canvas().lines.joined(separator: "\n")
    for words in [
      "syrinx 0.1.0  127.0.0.1:8000", " 48000 Hz    64 frames  server running", "load   3.2 %",
      "xruns      2", "up   1:02:05  clients  2", "-12.3  -13.0    +0.0", "-6.0   chain",
      "direct", "-90.0   off", "3 The Wrens - Hedge", "0:00:23/0:03:45   -3.0   chain",
      "1.5  turned down", "Chain  chipmunk", "+7.0 st form  -2.5 studio", "0.750 x",
      "0.350 s feedback 0.40 hold", " 6000 Hz spread 0.00 mix 0.35", " 2.00 s size 0.50 mix 0.30",
      " 6000 Hz predelay 0.010 s", "playing    standby  overdubs   2", " 3.20 /  9.87 s",
      "press --- pause stop rew fwd done", "from live loop  rev", "overdub  1.3 s",
      "-12.0 st 1.000 x feedback 0.90 studio", "quant beat beats  8.0 threshold -40 dB",
      "A chromatic     piano", "voices   3", " A  A# B  C  C# D ", "●C#", "120.0 bpm  4 beats",
      "capture on   0:00:12 of out", "takes       12", "     3.2  Whistling", "     9.8  鳥の声",
      "q end  tab page 1/3  ? help",
    ] { #expect(text.contains(words), "\(words)") }
    // Dots stand only where something was cut off.
    #expect(!text.contains("…"))
  }

  @Test(arguments: [
    (80, 24), (120, 40), (60, 15), (61, 24), (79, 50), (80, 15), (200, 60), (59, 24), (80, 14),
    (20, 5), (1, 1), (300, 100),
  ])
  func `nothing goes beyond the last column, whatever it is called`(columns: Int, rows: Int) {
    let odd = [
      String(repeating: "a long name ", count: 30), String(repeating: "鳥の声", count: 40),
      "\u{1B}[2J\n\u{202E}", "👩‍🌾👩‍🌾👩‍🌾🦉e\u{301}", "",
    ]
    for name in odd {
      var picture = NodePicture()
      picture.takesAreAsked()
      for (path, arguments) in NodeExample.messages {
        // Each text and number as great as can be.
        let wild = arguments.map { argument -> Argument in
          argument.text != nil ? .string(name) : argument
        }
        picture.take(path, path == "/pong" ? arguments : wild, at: NodeExample.start)
      }
      picture.take("/error", Array(repeating: .string(name), count: 3), at: NodeExample.start)
      for page in NodeScreen.Page.allCases {
        for silence in [nil, 1e9] {
          let lines = Self.canvas(
            picture, page: page, silentFor: silence, columns: columns, rows: rows
          ).lines
          #expect(lines.count == rows)
          #expect(lines.allSatisfy { PlainText.width($0) <= columns })
          let harm = lines.joined().unicodeScalars.filter {
            $0.value < 32 || (0x7F..<0xA0).contains($0.value) || $0.value == 0x202E
          }
          #expect(harm.isEmpty)
        }
      }
    }
  }

  @Test func `a change of figures moves nothing else`() {
    var picture = NodeExample.picture
    let before = Self.canvas(picture).lines
    for value in [-90, 24, 0.05, -12.25] as [Float] {
      for name in ["in", "live", "loop", "grid", "music", "out"] {
        picture.take("/\(name)/gain", [.float(value)], at: NodeExample.start)
      }
      let after = Self.canvas(picture).lines
      for (old, new) in zip(before, after) {
        let blank: (Character) -> Character = { "+-0123456789. ".contains($0) ? " " : $0 }
        #expect(String(old.map(blank)) == String(new.map(blank)))
      }
    }
  }

  @Test func `an unknown value is a dash`() {
    let lines = Self.canvas(NodePicture()).lines
    #expect(lines[1].contains("load     - %") && lines[1].contains("clients  -"))
    // The first line has the place, the last one the keys.
    #expect(lines[1..<23].joined().allSatisfy { !$0.isNumber })
  }

  @Test func `a larger terminal shows more takes, wider meters and messages`() {
    var picture = NodeExample.picture
    picture.take(
      "/error", ["/capture/on", "io", "the disk is full"].map { .string($0) },
      at: NodeExample.start)
    let lines = Self.canvas(picture, columns: 120, rows: 40).lines
    let text = lines.joined(separator: "\n")
    #expect(text.contains("    61.0  Owl by the lake"))
    #expect(text.contains("Messages  errors    4"))
    #expect(lines.contains { $0.hasPrefix(" /capture/on: the disk is full") })
    let bar = { (lines: [String]) in lines[3].count { "█░│".contains($0) } }
    #expect(bar(lines) == 80 && bar(Self.canvas().lines) == 40)
  }

  @Test func `a small one shows what matters most, and says what would show more`() {
    let narrow = Self.canvas(columns: 60, rows: 15).lines.joined(separator: "\n")
    for words in ["load   3.2 %", "turned down", "playing", "press --- pause"] {
      #expect(narrow.contains(words), "\(words)")
    }
    let small = Self.canvas(columns: 40, rows: 8).lines.joined(separator: "\n")
    for words in ["syrinx", "xruns      2", "out    -6.1   -7.2", "playing", "60x15 shows more"] {
      #expect(small.contains(words), "\(words)")
    }
  }

  @Test func `a node that does not answer is said to, on every page and size`() {
    for (columns, rows) in [(80, 24), (50, 10)] {
      for page in NodeScreen.Page.allCases {
        let lines = Self.canvas(page: page, silentFor: 3.9, columns: columns, rows: rows).lines
        #expect(lines.last == " no answer from 127.0.0.1:8000 since 3 s")
      }
    }
  }

  @Test func `without Unicode all of it is ASCII`() {
    for page in NodeScreen.Page.allCases {
      let lines = Self.canvas(page: page, isUnicode: false).lines
      #expect(lines.joined().allSatisfy { $0.isASCII })
    }
  }

  @Test func `pages go round, and come back from the help`() {
    #expect(NodeScreen.Page.overview.next(by: 1) == .grid)
    #expect(NodeScreen.Page.takes.next(by: 1) == .overview)
    #expect(NodeScreen.Page.overview.next(by: -1) == .takes)
    #expect(NodeScreen.Page.help.next(by: 1) == .overview)
    #expect(Self.canvas(page: .takes).lines.joined().contains("0f3a9c2e  2026-11-21 17:30"))
    #expect(Self.canvas(page: .help).lines.joined().contains("Ctrl-C"))
    // The help is none of the three that are counted.
    #expect(Self.canvas(page: .help).lines.last?.hasPrefix(" q end  tab 3 pages  ? back") == true)
  }

  @Test func `the alarms stand out`() {
    var picture = NodeExample.picture
    picture.take("/meter", [.float(0)], at: NodeExample.start)
    picture.take("/mute", [.int32(1)], at: NodeExample.start)
    picture.take("/status/server", [.string("gone")], at: NodeExample.start)
    let canvas = Self.canvas(picture)
    #expect(canvas.cells.count { $0.style == .alarm } == "CLIPmutedgoneon".count)
  }
}
