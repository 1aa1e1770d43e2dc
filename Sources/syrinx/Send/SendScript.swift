internal import Control
internal import Glibc
internal import OSC
internal import Posix

/// The lines of standard input, sent as they arrive.
final class SendScript {
  // An open bundle.
  private struct Bundle {
    let line: Int
    let time: TimeTag
    var messages: [(path: String, arguments: [Argument])] = []
  }

  // After this many packets, waits for the node: networks drop bursts.
  private static let packetsAtOnce = 64
  private static let mostRead = 1 << 16
  private static let longestLine = 1 << 16

  private let audience: Audience
  private var input: [UInt8] = []
  private var lineNumber = 0
  private var bundle: Bundle?
  private var packets = 0
  private var refusals: [Failure] = []

  init(_ audience: Audience) {
    self.audience = audience
    audience.collectRefusals { [unowned self] refusal in
      Environment.say(refusal.message)
      refusals.append(refusal)
    }
  }

  /// Sends all lines until the input ends; throws at the first invalid one.
  func run() throws(Failure) {
    let loop = EventLoop()
    guard let keyboard = try? Descriptor(dup(0), orThrow: "standard input") else {
      throw Failure(.missingInput, "standard input is closed")
    }
    var isReadable = false
    loop.watch(keyboard) { isReadable = true }
    while true {
      loop.turn(milliseconds: 20)
      audience.hear()
      guard isReadable else { continue }
      isReadable = false
      guard try readSome(keyboard) else { break }
    }
    // The last line may have no newline.
    if !input.isEmpty { try take(input, at: HostTime.wall) }
    if let bundle {
      throw Failure(.usage, "line \(bundle.line): missing ] at the end of the bundle")
    }
  }

  /// Throws if the node has reported an error.
  func check() throws(Failure) {
    guard let first = refusals.first else { return }
    let count = refusals.count
    throw Failure(first.code, "\(count) message\(count == 1 ? " was" : "s were") refused")
  }

  private func readSome(_ keyboard: Descriptor) throws(Failure) -> Bool {
    var bytes = [UInt8](repeating: 0, count: Self.mostRead)
    let count = read(keyboard.number, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return true }
    guard count > 0 else { return false }
    // Lines read together share one time, so that a pattern is exact.
    let now = HostTime.wall
    input += bytes[..<count]
    while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(input[..<end])
      input.removeSubrange(...end)
      try take(line, at: now)
    }
    guard input.count <= Self.longestLine else {
      throw Failure(.usage, "line \(lineNumber + 1) is longer than \(Self.longestLine) bytes")
    }
    return true
  }

  private func take(_ bytes: [UInt8], at now: Double) throws(Failure) {
    lineNumber += 1
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.usage, "line \(lineNumber) is not UTF-8")
    }
    do throws(Failure) {
      try follow(try SendLine(text), at: now)
    } catch {
      throw Failure(
        error.code, error.code == .usage ? "line \(lineNumber): \(error.message)" : error.message)
    }
  }

  private func follow(_ line: SendLine, at now: Double) throws(Failure) {
    switch line {
    case .empty: break
    case .message(let path, let arguments):
      if bundle != nil {
        bundle?.messages.append((path, arguments))
      } else {
        try audience.send(path, arguments)
        try pace()
      }
    case .opening(let due):
      guard bundle == nil else {
        throw Failure(.usage, "bundles can't be nested; ] ends the previous one")
      }
      let time: TimeTag =
        switch due {
        case .now: .immediately
        case .after(let seconds): TimeTag(unixMicroseconds: now + seconds * 1e6)
        case .at(let seconds): TimeTag(unixMicroseconds: seconds * 1e6)
        }
      bundle = Bundle(line: lineNumber, time: time)
    case .closing:
      guard let whole = bundle else { throw Failure(.usage, "] without a bundle") }
      bundle = nil
      try audience.send(whole.messages, at: whole.time)
      try pace()
    }
  }

  private func pace() throws(Failure) {
    packets += 1
    if packets.isMultiple(of: Self.packetsAtOnce) { try audience.settle() }
  }
}
