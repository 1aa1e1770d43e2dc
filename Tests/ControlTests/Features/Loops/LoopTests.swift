import Control
import OSC
import TestSupport
import Testing

/// The addresses of the loop: state, queued commands, and undo history.
@Suite struct LoopTests {
  private let desk = Desk()

  /// The words of `/loop/state`: the state, and the queued one.
  private var words: [String] {
    desk.tell("/loop/state").first?.arguments.compactMap(\.text) ?? []
  }

  private var history: [Argument]? { desk.tell("/loop/history").first?.arguments }

  /// Sends a command, runs half a second, and returns the words.
  private func press(_ button: String) -> [String] {
    desk.tell(button)
    desk.pass(frames: 24_000)
    return words
  }

  @Test func `each command leads to the reported state`() {
    #expect(words == ["empty", ""])
    #expect(press("/player/record") == ["recording", ""])
    #expect(press("/player/pause") == ["paused", ""])
    #expect(press("/player/pause") == ["recording", ""])
    #expect(press("/player/stop") == ["stopped", ""])
    #expect(press("/player/play") == ["playing", ""])
    #expect(press("/loop/overdub") == ["overdubbing", ""])
    #expect(press("/loop/replace") == ["replacing", ""])
    #expect(press("/loop/replace") == ["playing", ""])
    #expect(press("/player/pause") == ["paused", ""])
    #expect(press("/loop/clear") == ["empty", ""])
  }

  @Test func `undo steps that memory can't hold are reported once`() {
    desk.tell("/subscribe", .string("/error"))
    let sound = Tone.noise(amplitude: 0.01, frames: 490_000)
    desk.tell("/player/record")
    _ = desk.play(sound, block: 1024)
    desk.tell("/player/play")
    var received: [Received] = []
    // Memory for thirteen clips of ten seconds.
    for _ in 0..<14 {
      for frames in [490_000, 4800] {
        received += desk.tell("/loop/overdub")
        _ = desk.play(Array(sound.prefix(frames)), block: 1024)
        received += desk.take()
      }
    }
    let reports = received.filter { $0.address == "/error" }.compactMap { $0.arguments.last?.text }
    #expect(
      reports == ["the loops' memory is full: the oldest undo steps are dropped for new ones"])
    #expect(history?.first?.number ?? 15 < 15)
  }

  @Test func `a queued command is reported as the next state`() {
    desk.tell("/loop/quantize", .string("bar"))
    desk.tell("/metronome/bpm", .float(120))
    // A bar is two seconds. Each command is sent half a second before the bar.
    for (button, now, next) in [
      ("/player/record", "empty", "recording"), ("/player/stop", "recording", "stopped"),
      ("/player/play", "stopped", "playing"), ("/loop/overdub", "playing", "overdubbing"),
      ("/loop/overdub", "overdubbing", "playing"), ("/loop/replace", "playing", "replacing"),
      ("/loop/overdub", "replacing", "overdubbing"), ("/loop/replace", "overdubbing", "replacing"),
    ] {
      #expect(press(button) == [now, next], "\(button)")
      desk.pass(frames: 96_000)
      #expect(words == [next, ""], "\(button)")
      desk.pass(frames: 72_000)
    }
  }

  @Test(
    arguments: [
      ([], "start"), (["record"], "recording"), (["record", "pause"], "suspended"),
      (["record", "stop"], "start"), (["record", "stop", "play"], "playing"),
      (["record", "stop", "play", "pause"], "paused"), (["record", "play", "done"], "start"),
    ] as [([String], String)])
  func `the buttons that the player reports as enabled are those that it accepts`(
    before: [String], state: String
  ) {
    // Done is accepted in every state, and listed where there is a clip to close.
    for (index, name) in PlayerControls.names.dropLast().enumerated() {
      let desk = Desk()
      func press(_ button: String) -> [Received] {
        let replies = desk.tell("/player/\(button)")
        desk.pass(frames: 4800)
        return replies + desk.take()
      }
      for button in before { _ = press(button) }
      #expect(desk.tell("/player/state").first?.arguments.first == .string(state))
      let isEnabled = desk.tell("/player/controls").first?.arguments[index] == .int32(1)
      let isRefused = press(name).contains { $0.address == "/error" }
      #expect(isEnabled == !isRefused, "\(name) while \(state)")
    }
  }

  @Test func `stop is enabled while a command waits for its beat`() {
    desk.tell("/loop/quantize", .string("bar"))
    #expect(press("/player/record") == ["empty", "recording"])
    #expect(desk.tell("/player/controls").first?.arguments[2] == .int32(1))
    #expect(press("/player/stop") == ["empty", ""])
    #expect(desk.tell("/player/controls").first?.arguments[2] == .int32(0))
  }

  @Test func `the numbers are those of the player's state`() {
    _ = press("/player/record")
    _ = press("/player/stop")
    _ = press("/player/play")
    let state = desk.tell("/player/state").first?.arguments
    #expect(desk.tell("/loop/state").first?.arguments[1...3] == state?[2...4])
  }

  @Test func `subscribers receive a change immediately, and the position ten times per second`() {
    desk.tell("/subscribe", .string("/loop/state"))
    desk.tell("/player/record")
    desk.pass(frames: 960)
    #expect(desk.take().last?.arguments.first == .string("recording"))
    desk.pass(frames: 48_000)
    #expect((9...11).contains(desk.take().count))
    desk.tell("/player/stop")
    desk.pass(frames: 960)
    #expect(desk.take().last?.arguments.first == .string("stopped"))
    desk.pass(frames: 48_000)
    #expect(desk.take().isEmpty)
  }

  @Test func `undo and redo steps are counted`() {
    #expect(history == [.int32(0), .int32(0)])
    let phone = Desk.client(9001)
    desk.tell("/subscribe", .string("/loop/history"), as: phone)
    _ = press("/player/record")
    // A running recording must end first.
    #expect(history == [.int32(0), .int32(0)])
    _ = press("/player/stop")
    _ = press("/loop/clear")
    #expect(history == [.int32(2), .int32(0)])
    _ = press("/loop/undo")
    #expect(history == [.int32(1), .int32(1)])
    _ = press("/player/record")
    _ = press("/player/stop")
    #expect(history == [.int32(2), .int32(0)])
    let told = desk.take(phone).map(\.arguments)
    #expect(told.contains([.int32(1), .int32(1)]) && told.last == [.int32(2), .int32(0)])
  }

  @Test func `undo of a queued command reports it like /loop/cancel`() {
    func queue() {
      desk.tell("/loop/overdub")
      desk.pass(frames: 480)
      #expect(
        desk.take().last { $0.address == "/player/next" }?.arguments.first == .string("overdub"))
    }
    desk.tell("/player/record")
    desk.pass(frames: 9600)
    desk.tell("/player/play")
    desk.tell("/loop/quantize", .string("bar"))
    desk.tell("/subscribe", .string("/player/next"))
    desk.tell("/subscribe", .string("/loop/state"))
    var told: [[Received]] = []
    for command in ["/loop/cancel", "/loop/undo"] {
      queue()
      _ = desk.take()
      desk.tell(command)
      desk.pass(frames: 480)
      let news = desk.take().filter {
        $0.address == "/player/next" || $0.arguments.last == .string("")
      }
      told.append(news.map { Received($0.address, [$0.arguments.first!]) })
    }
    #expect(told[0] == told[1] && told[1].contains(Received("/player/next", [.string("")])))
    #expect(history == [.int32(1), .int32(0)])
  }

  @Test func `subscribers receive the growing clip, four times per second at most`() {
    #expect(desk.tell("/subscribe", .string("/loop/peaks")) == [Received("/loop/peaks", [])])
    desk.tell("/player/record")
    for _ in 0..<200 {
      _ = desk.play(Tone.noise(frames: 480))
    }
    let told = desk.take()
    #expect((6...9).contains(told.count))
    #expect(told.allSatisfy { $0.arguments.count == 256 })
    desk.tell("/player/stop")
    desk.pass(frames: 48_000)
    #expect(desk.take().count <= 2)
    desk.tell("/loop/clear")
    desk.pass(frames: 48_000)
    #expect(desk.take() == [Received("/loop/peaks", [])])
    desk.tell("/loop/undo")
    desk.pass(frames: 48_000)
    #expect(desk.take().first?.arguments.count == 256)
    desk.pass(frames: 96_000)
    #expect(desk.take().isEmpty)
  }
}
