internal import Glibc
internal import OSC
internal import Posix
internal import Screen

/// A full-screen session of `syrinx watch`, with its keys and signals.
final class WatchSession {
  // A picture takes some bytes of a connection that may be slow.
  private static let frameMicroseconds = 50_000.0
  // How long after an escape the rest of a key's sequence may come.
  private static let escapeMicroseconds = 50_000.0

  private let node: WatchedNode
  private let screen = FullScreen(hasColor: Environment["NO_COLOR"] == nil)
  private let glyphs = Glyphs.ofTheTerminal
  private let signals: SystemSignals
  private let keyboard: Descriptor?
  private var keys = KeyReader()
  private var loopKeys = LoopKeys()
  private var lastKey = 0.0
  private var page = NodeScreen.View.overview {
    didSet { node.asksBindings = page == .pedals }
  }
  private var nextFrame = 0.0
  private let end: Double
  private var wantsEnd = false

  init(_ node: WatchedNode, seconds: Double?) throws(SystemError) {
    self.node = node
    signals = try SystemSignals([
      SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH,
    ])
    // Without a terminal there are no keys.
    keyboard = isatty(0) == 1 ? try? Descriptor(dup(0), orThrow: "keyboard") : nil
    end = seconds.map { HostTime.steady + $0 * 1e6 } ?? .infinity
  }

  /// Shows the node until it is stopped.
  func run() {
    node.loop.watch(signals.descriptor) { [unowned self] in
      while let number = signals.next() { take(signal: number) }
    }
    if let keyboard { node.loop.watch(keyboard) { [unowned self] in read(keyboard) } }
    screen.enter()
    defer { screen.leave() }
    while !wantsEnd {
      let now = HostTime.steady
      guard now < end else { return }
      let due = node.look()
      if keys.isWaiting, now >= lastKey + Self.escapeMicroseconds { keys.finish().forEach(press) }
      if now >= nextFrame {
        nextFrame = now + Self.frameMicroseconds
        draw()
      }
      node.loop.turn(milliseconds: min(due, max(1, Int((nextFrame - now) / 1e3))))
    }
  }

  private func draw() {
    let size = screen.size
    let canvas = NodeScreen.canvas(
      of: node.picture, at: node.place, page: page, silentFor: node.silence,
      asking: loopKeys.question(at: HostTime.steady), columns: size.columns, rows: size.rows,
      glyphs: glyphs)
    if !screen.show(canvas) { wantsEnd = true }
  }

  // MARK: - Signals

  private func take(signal: Int32) {
    switch signal {
    case SIGTSTP:
      screen.leave()
      // Stopped as by default; the rest runs when the process is continued. Not SIGSTOP, which
      // would also stop an orphaned process group, which nobody could continue.
      raise(SIGTSTP)
      SystemSignals.letThrough(SIGTSTP)
      screen.enter()
    case SIGCONT: screen.enter()
    case SIGWINCH: nextFrame = 0
    default: wantsEnd = true
    }
  }

  // MARK: - Keys

  private func read(_ keyboard: Descriptor) {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(keyboard.number, &bytes, bytes.count)
    guard count > 0 else {
      // The terminal is gone, and its user with it.
      wantsEnd = count == 0 || errno != EINTR
      return
    }
    lastKey = HostTime.steady
    keys.take(Array(bytes[..<count])).forEach(press)
  }

  private func press(_ key: Key) {
    nextFrame = 0
    if loopKeys.press(key, at: HostTime.steady, on: node) { return }
    switch key {
    case .letter("q"), .letter("Q"), .escape, .control("c"): wantsEnd = true
    case .tab, .right, .down: page = page.next(by: 1)
    case .backTab, .left, .up: page = page.next(by: -1)
    case .letter("?"), .letter("h"): page = page == .help ? .overview : .help
    case .control("l"): screen.forget()
    default: break
    }
  }
}
