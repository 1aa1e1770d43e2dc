import OSC
import Testing

@testable import Screen

@Suite struct NodePictureTests {
  @Test func `reported values are known, others unknown`() {
    let picture = NodeExample.picture
    #expect(picture.name == "syrinx" && picture.version == "0.1.0" && picture.engine == 77)
    #expect(picture.number("/status/xruns") == 2 && picture.word("/status/server") == "running")
    #expect(picture.number("/status/voices") == 3)
    #expect(picture.number("/live/gain") == -6 && picture.number("/player/state", 3) != nil)
    #expect(picture.number("/nothing") == nil && picture.word("/live/gain") == nil)
    #expect(picture.number("/live/gain", 1) == nil)
    #expect(picture.meters[0].peak == -12.34 && picture.limiter.peak == 1.5)
    #expect(picture.cells.count == 42 && picture.lit == [[2, 4]: Double(Float(0.8))])
    #expect(picture.takes.map(\.title) == ["Whistling", "鳥の声", "Owl by the lake"])
  }

  @Test func `a restart of the node clears the picture`() {
    var picture = NodeExample.picture
    picture.take("/pong", [.int32(0), .string("a"), .string("b"), .int32(77)], at: 101)
    #expect(picture.number("/live/gain") == -6, "the same one goes on")
    picture.take("/pong", [.int32(0), .string("a"), .string("b"), .int32(78)], at: 102)
    #expect(picture.number("/live/gain") == nil && picture.takes.isEmpty && picture.areTakesOld)
    #expect(picture.engine == 78 && !picture.hasLevels)
  }

  @Test func `a new grid layout has no lit cells at first`() {
    var picture = NodeExample.picture
    picture.take("/grid/lit", [.int32(1), .int32(1), .float(0.5)], at: 101)
    picture.take("/grid/lit", [.int32(2), .int32(4), .float(0)], at: 101)
    #expect(picture.lit.keys.sorted { $0[0] < $1[0] } == [[1, 1]])
    picture.take("/grid/layout", [.int32(3), .int32(5)], at: 102)
    #expect(picture.lit.isEmpty && picture.cells.isEmpty && picture.gridColumns == 5)
  }

  @Test func `takes are listed again when one is added or deleted`() {
    var picture = NodeExample.picture
    #expect(!picture.areTakesOld)
    picture.take("/takes/total", [.int32(12)], at: 101)
    #expect(!picture.areTakesOld, "as many as before")
    picture.take("/takes/total", [.int32(11)], at: 101)
    #expect(picture.areTakesOld)
    picture.takesAreAsked()
    #expect(!picture.areTakesOld && picture.takes.count == 3, "the old list stays till the end")
    picture.take("/takes/end", [.int32(0)], at: 101)
    #expect(picture.takes.isEmpty)
    let take: [Argument] = ["id", "title", "", "date"].map { .string($0) } + [.float(1)]
    picture.take("/take", take, at: 102)
    #expect(picture.areTakesOld && picture.takes.isEmpty)
  }

  @Test func `a list without its end is queried again`() {
    var picture = NodeExample.picture
    picture.takesAreAsked()
    #expect(picture.isListingTakes && !picture.areTakesOld)
    picture.takesAreLost()
    #expect(!picture.isListingTakes && picture.areTakesOld && picture.takes.count == 3)
  }

  @Test func `losses of sound are messages, and a warning is one until its cause has gone`() {
    var picture = NodePicture()
    let details: [Argument] = [.string("cpu"), .string("other programs had the CPU for 4 ms")]
    picture.take("/lost", [.string("2026-11-28T21:14:02"), .float(5.25)] + details, at: 1)
    #expect(picture.messages.last == "5.3 ms lost: other programs had the CPU for 4 ms")
    let warning: [Argument] = [.string("voltage"), .string("the supply voltage is too low")]
    // Each subscription repeats it.
    for _ in 0..<3 { picture.take("/warning", warning, at: 2) }
    #expect(picture.messages.count == 2 && picture.messages.last == "the supply voltage is too low")
    picture.take("/warning", [.string("voltage"), .string("")], at: 3)
    #expect(picture.messages.count == 2)
    picture.take("/warning", warning, at: 4)
    #expect(picture.messages.count == 3)
  }

  @Test func `invalid messages are ignored`() {
    var picture = NodePicture()
    for path in [
      "/pong", "/meter", "/status", "/grid/layout", "/grid/cell", "/grid/lit", "/take",
      "/takes/total", "/takes/end", "/error", "/player/state", "/lost",
      "/warning",
    ] {
      for arguments: [Argument] in [
        [], [.nil], [.string("x"), .blob([1]), .float(.nan), .infinitum],
        [.int32(-5), .int32(.max), .float(.infinity)], [.double(1e300), .double(.nan)],
        Array(repeating: .float(.infinity), count: 40), Array(repeating: .string(""), count: 40),
      ] {
        picture.take(path, arguments, at: 1)
        for (columns, rows) in [(80, 24), (200, 60), (60, 15), (10, 3)] {
          for page in NodeScreen.View.allCases {
            let canvas = NodeScreen.canvas(
              of: picture, at: "host", page: page, columns: columns, rows: rows,
              glyphs: Glyphs(isUnicode: true))
            #expect(canvas.lines.count == rows)
          }
        }
      }
    }
    for number in 0..<5000 {
      picture.take("/\(number)", [.int32(1)], at: 1)
      picture.take("/error", [.string("/x"), .string("state"), .string("\(number)")], at: 1)
    }
    #expect(picture.number("/4999") == nil && picture.messages.count == 50)
    #expect(picture.messages.last == "/x: 4999")
  }
}
