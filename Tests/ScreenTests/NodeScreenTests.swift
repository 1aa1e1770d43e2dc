import OSC
import Testing

@testable import Screen

@Suite struct NodeScreenTests {
  private static func canvas(
    _ picture: NodePicture = NodeExample.picture, page: NodeScreen.View = .overview,
    silentFor silence: Double? = nil, columns: Int = 80, rows: Int = 24, isUnicode: Bool = true
  ) -> Canvas {
    NodeScreen.canvas(
      of: picture, at: "127.0.0.1:8000", page: page, silentFor: silence, columns: columns,
      rows: rows, glyphs: Glyphs(isUnicode: isUnicode))
  }

  @Test func `everything fits an 80x24 terminal`() {
    let text = Self.canvas().lines.joined(separator: "\n")
    for words in [
      "syrinx 0.1.0  127.0.0.1:8000", " 48000 Hz    64 frames  server running", "load   3.2 %",
      "xruns      2", "up   1:02:05  clients  2", "-12.3  -13.0    +0.0", "-6.0   chain",
      "direct", "-90.0   off", "3 The Wrens - Hedge", "0:00:23/0:03:45   -3.0   chain",
      "1.5  reduction", "Chain  chipmunk", "+7.0 st form  -2.5 studio", "0.750 x",
      "0.350 s feedback 0.40 hold", " 6000 Hz spread 0.00 mix 0.35", " 2.00 s size 0.50 mix 0.30",
      " 6000 Hz predelay 0.010 s", "playing    standby  overdubs   2", " 3.20 /  9.87 s",
      "press --- pause stop rew fwd done", "from live loop  rev", "overdub  1.3 s",
      "-12.0 st 1.000 x feedback 0.90 studio", "quant beat beats  8.0 threshold -40 dB",
      "A chromatic     piano", "voices   3", " A  A# B  C  C# D ", "●C#", "120.0 bpm  4 beats",
      "capture on   0:00:12 of out", "takes       12", "     3.2  Whistling", "     9.8  鳥の声",
      "q end  tab page 1/5  ? help", "Player ──1>─2m─3R─4.─",
    ] { #expect(text.contains(words), "\(words)") }
    // An ellipsis marks truncation only.
    #expect(!text.contains("…"))
  }

  @Test(arguments: [
    (80, 24), (120, 40), (60, 15), (61, 24), (79, 50), (80, 15), (200, 60), (59, 24), (80, 14),
    (20, 5), (1, 1), (300, 100),
  ])
  func `nothing exceeds the last column, with any names`(columns: Int, rows: Int) {
    let odd = [
      String(repeating: "a long name ", count: 30), String(repeating: "鳥の声", count: 40),
      "\u{1B}[2J\n\u{202E}", "👩‍🌾👩‍🌾👩‍🌾🦉e\u{301}", "",
    ]
    for name in odd {
      var picture = NodePicture()
      picture.takesAreAsked()
      for (path, arguments) in NodeExample.messages {
        // The longest texts and numbers.
        let wild = arguments.map { argument -> Argument in
          argument.text != nil ? .string(name) : argument
        }
        picture.take(path, path == "/pong" ? arguments : wild, at: NodeExample.start)
      }
      picture.take("/error", Array(repeating: .string(name), count: 3), at: NodeExample.start)
      for page in NodeScreen.View.allCases {
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

  @Test func `changing values move nothing else`() {
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

  @Test func `a small terminal shows the essentials, and the size for more`() {
    let narrow = Self.canvas(columns: 60, rows: 15).lines.joined(separator: "\n")
    for words in ["load   3.2 %", "reduction", "playing", "press --- pause"] {
      #expect(narrow.contains(words), "\(words)")
    }
    let small = Self.canvas(columns: 40, rows: 8).lines.joined(separator: "\n")
    for words in ["syrinx", "xruns      2", "  -6.1   -7.2", "playing", "60x15 shows more"] {
      #expect(small.contains(words), "\(words)")
    }
  }

  @Test func `a silent node is reported on every page at every size`() {
    for (columns, rows) in [(80, 24), (50, 10)] {
      for page in NodeScreen.View.allCases {
        let lines = Self.canvas(page: page, silentFor: 3.9, columns: columns, rows: rows).lines
        #expect(lines.last == " no reply from 127.0.0.1:8000 for 3 s")
      }
    }
  }

  @Test func `without Unicode the screen is ASCII`() {
    for page in NodeScreen.View.allCases {
      let lines = Self.canvas(page: page, isUnicode: false).lines
      #expect(lines.joined().allSatisfy { $0.isASCII })
    }
  }

  @Test func `meters, clipping and loops fit the smallest screen`() {
    var picture = NodeExample.picture
    picture.take("/meter", [.float(0), .float(-20)], at: NodeExample.start)
    let canvas = Self.canvas(picture, columns: 40, rows: 10)
    let lines = canvas.lines
    #expect(lines[2] == " in  ███████████████   +0.0  -13.0 CLIP".replacing("+", with: " "))
    #expect(lines[3].hasPrefix(" out █████████████") && lines[3].hasSuffix("  -6.1   -7.2"))
    #expect(lines[5].hasPrefix(" 1  PLAY     ███") && lines[5].hasSuffix("-> OVER  1.3 s"))
    #expect(lines[7].hasPrefix(">3  REC      █████░░░░") && lines[7].hasSuffix("  5.0 /   5.0 s"))
    #expect(lines[8].contains("EMPTY") && lines[8].hasSuffix("-> REC"))
    // Clipping and recording are highlighted.
    #expect(canvas.cells.count { $0.style == .alarm } == 4)
    #expect(canvas.cells.count { $0.style.isReversed && $0.style.color == .red } == 4 + 3)
  }

  @Test func `each loop has a line with state, playhead, layers and queued state`() {
    let lines = Self.canvas(page: .loops).lines
    #expect(lines[2].hasPrefix("─ Loops  4 of  10 s ─"))
    #expect(lines[3].hasPrefix("  1 PLAY     ██████░"))
    #expect(lines[3].contains("  3.2 /   9.9 s   2 over  -> OVER  1.3 s"))
    #expect(lines[4].hasPrefix("  2 MUTE     █████████░") && lines[4].contains("  -6.0 dB"))
    #expect(lines[5].hasPrefix("> 3 REC      █████████░"), "of the longest loop, half")
    // The time until sound arrives is unknown.
    #expect(lines[6].hasPrefix("  4 EMPTY    ░░░") && lines[6].hasSuffix("-> REC"))
    #expect(lines[22].contains("u undo  y redo  m mute  c c clear  k keep  ? more"))
  }

  @Test func `each state of a loop has its own word and style`() {
    let states = [
      "empty": "EMPTY", "recording": "REC", "overdubbing": "OVER", "replacing": "REPLACE",
      "substituting": "SUBST", "multiplying": "MULTIPLY", "inserting": "INSERT",
      "playing": "PLAY", "muted": "MUTE", "paused": "PAUSE", "stopped": "STOP",
    ]
    var letters: Set<Character> = []
    for (state, word) in states {
      var picture = NodeExample.picture
      picture.take(
        "/loop/1/state", [.string(state), .float(1), .float(2), .int32(0), .string("")],
        at: NodeExample.start)
      let line = LoopLine(1, of: picture)
      #expect(line.word == word && line.share == (state == "recording" ? 0.1 : 0.5))
      #expect(letters.insert(line.letter).inserted, "\(state)")
      let shown = Self.canvas(picture, page: .loops).lines[3]
      #expect(shown.hasPrefix("  1 \(word) "))
    }
    #expect(LoopLine(2, of: NodePicture()).word == "-")
  }

  @Test func `a jump stays within the clip`() {
    var picture = NodeExample.picture
    picture.take(
      "/loop/1/state", [.string("playing"), .float(12), .float(30), .int32(0), .string("")],
      at: NodeExample.start)
    #expect(picture.position(ofLoop: 1, after: 10) == 22)
    #expect(picture.position(ofLoop: 1, after: -10) == 2)
    #expect(picture.position(ofLoop: 1, after: 20) == 30)
    #expect(picture.position(ofLoop: 1, after: -20) == 0)
    #expect(picture.position(ofLoop: 4, after: 10) == nil, "it has no clip")
  }

  @Test func `all loops fit, and the chosen one is marked`() {
    var picture = NodeExample.picture
    picture.take("/loops/size", [.int32(16), .float(600)], at: NodeExample.start)
    picture.take("/loop/select", [.int32(16)], at: NodeExample.start)
    let lines = Self.canvas(picture, page: .loops).lines
    #expect(lines[18].hasPrefix(">16 -") && lines[3].hasPrefix("  1 PLAY"))
    #expect(picture.chosenLoop == 16)
    // Clamped to the loops there are.
    for (told, chosen) in [(17, 16), (0, 1), (-3, 1)] as [(Int32, Int)] {
      picture.take("/loop/select", [.int32(told)], at: NodeExample.start)
      #expect(picture.chosenLoop == chosen)
    }
    picture.take("/loops/size", [.int32(999), .float(.nan)], at: NodeExample.start)
    #expect(picture.loopCount == 16 && Self.canvas(picture, page: .loops).lines.count == 24)
  }

  @Test func `a confirmation is in the last line`() {
    for (columns, rows) in [(80, 24), (40, 10)] {
      let canvas = NodeScreen.canvas(
        of: NodeExample.picture, at: "host", asking: "c again clears loop 3", columns: columns,
        rows: rows, glyphs: Glyphs(isUnicode: true))
      #expect(canvas.lines.last == " c again clears loop 3")
    }
  }

  @Test func `pages wrap around, and return from the help`() {
    #expect(NodeScreen.View.overview.next(by: 1) == .loops)
    #expect(NodeScreen.View.loops.next(by: 1) == .grid)
    #expect(NodeScreen.View.takes.next(by: 1) == .pedals)
    #expect(NodeScreen.View.pedals.next(by: 1) == .overview)
    #expect(NodeScreen.View.overview.next(by: -1) == .pedals)
    #expect(NodeScreen.View.help.next(by: 1) == .overview)
    #expect(Self.canvas(page: .takes).lines.joined().contains("0f3a9c2e  2026-11-21 17:30"))
    #expect(Self.canvas(page: .help).lines.joined().contains("Ctrl-C"))
    // The help isn't counted.
    #expect(Self.canvas(page: .help).lines.last?.hasPrefix(" q end  tab 5 pages  ? back") == true)
  }

  @Test func `bindings have a page`() {
    var picture = NodeExample.picture
    let row: [Argument] = [
      .string("/loop/2/clear"), .int32(60), .string("note"), .string("long"), .string(""),
      .string("note:60@10"),
    ]
    picture.take("/midi/binding", row, at: NodeExample.start)
    // An older node has controllers only.
    picture.take("/midi/binding", [.string("/echo/mix"), .int32(7)], at: NodeExample.start)
    picture.take("/midi/bindings/end", [.int32(2)], at: NodeExample.start)
    let lines = Self.canvas(picture, page: .pedals).lines
    let text = lines.joined(separator: "\n")
    for words in [
      "Bindings 2", "note:60@10           long    /loop/2/clear",
      "controller:7         turn    /echo/mix",
    ] { #expect(text.contains(words), "\(words)") }
    // A new list replaces the old one when it is complete.
    picture.take("/midi/binding", row, at: NodeExample.start)
    #expect(picture.bindings.count == 2)
    picture.take("/midi/bindings/end", [.int32(1)], at: NodeExample.start)
    #expect(picture.bindings.map(\.address) == ["/loop/2/clear"])
  }

  @Test func `alarms are highlighted`() {
    var picture = NodeExample.picture
    picture.take("/meter", [.float(0)], at: NodeExample.start)
    picture.take("/mute", [.int32(1)], at: NodeExample.start)
    picture.take("/status/server", [.string("gone")], at: NodeExample.start)
    let canvas = Self.canvas(picture)
    #expect(canvas.cells.count { $0.style == .alarm } == "CLIPmutedgoneon".count)
  }
}
