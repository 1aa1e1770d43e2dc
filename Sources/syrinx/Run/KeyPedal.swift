internal import Glibc
internal import Posix

/// A pedal that works as a keyboard, read from its evdev device, which it grabs.
///
/// It can be plugged in later, and again. Scripts can use a named pipe instead.
final class KeyPedal {
  // The time between attempts to open the device, in microseconds.
  private static let period = 500_000.0
  // The kernel's input_event: a timeval, then type, code and value.
  private static let timeSize = MemoryLayout<timeval>.size
  private static let eventSize = timeSize + 8
  // EVIOCGRAB, _IOW('E', 0x90, int).
  private static let grab: UInt = 0x4004_4590
  private static let keyType: UInt16 = 1
  private static let dropped: (type: UInt16, code: UInt16) = (0, 3)

  private let path: String
  private let loop: EventLoop
  private let press: (_ key: Int, _ isDown: Bool) -> Void
  private var device: Descriptor?
  private var bytes: [UInt8] = []
  private var held: Set<Int> = []
  private var next = 0.0
  // The last message, which is not repeated.
  private var said = ""
  private var isHopeless = false

  /// Creates a pedal for a device, which calls `press` for each key.
  ///
  /// It is read from the first `look` on.
  init(
    _ path: String, on loop: EventLoop, press: @escaping (_ key: Int, _ isDown: Bool) -> Void
  ) throws(Failure) {
    self.path = path
    self.loop = loop
    self.press = press
    var status = stat()
    guard stat(path, &status) != 0 || Self.isReadable(status) else {
      throw Failure(
        .usage,
        "--keys takes a keyboard device, such as /dev/input/event3, or a named pipe; got \(path)")
    }
  }

  private static func isReadable(_ status: stat) -> Bool {
    [S_IFCHR, S_IFIFO].contains(status.st_mode & S_IFMT)
  }

  /// Opens the device if it is there.
  ///
  /// Returns the delay until the next poll in milliseconds.
  func look(_ now: Double) -> Int {
    guard device == nil, !isHopeless else { return 1000 }
    if now >= next {
      next = now + Self.period
      open()
    }
    return max(1, Int((next - now) / 1e3))
  }

  private func open() {
    var status = stat()
    guard stat(path, &status) == 0, Self.isReadable(status) else {
      say("--keys: \(path) does not exist yet; waiting for it")
      return
    }
    let isPipe = status.st_mode & S_IFMT == S_IFIFO
    // Writers of a pipe come and go. Opened for writing, too, it has no end of file.
    let modes = (isPipe ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC
    guard let opened = try? Descriptor(Glibc.open(path, modes), orThrow: path) else {
      sayWhyNot(errno, status)
      return
    }
    if !isPipe, ioctl(opened.number, Self.grab, 1) != 0 {
      let isTaken = errno == EBUSY
      isHopeless = !isTaken
      say(
        isTaken
          ? "--keys: another program has grabbed \(path); retrying"
          : "--keys: \(path) is not a keyboard; `ls -l /dev/input/by-id` lists the devices"
      )
      return
    }
    if !said.isEmpty { Environment.say("--keys: reading \(path)") }
    said = ""
    device = opened
    loop.watch(opened) { [unowned self] in read(opened) }
  }

  private func sayWhyNot(_ code: Int32, _ status: stat) {
    guard code == EACCES else {
      say("--keys: \(SystemError("can't read \(path)", code: code))")
      return
    }
    let group = getgrgid(status.st_gid).map { String(cString: $0.pointee.gr_name) }
    let name = group ?? "\(status.st_gid)"
    say(
      "--keys: only the group \(name) may read \(path); `sudo usermod -aG \(name) $USER`, then "
        + "log in again")
  }

  private func say(_ line: String) {
    guard line != said else { return }
    said = line
    Environment.say(line)
  }

  // MARK: - Keys

  private func read(_ device: Descriptor) {
    var buffer = [UInt8](repeating: 0, count: 64 * Self.eventSize)
    let count = Glibc.read(device.number, &buffer, buffer.count)
    if count < 0, [EINTR, EAGAIN].contains(errno) { return }
    guard count > 0 else {
      close(device)
      return
    }
    bytes += buffer[..<count]
    while bytes.count >= Self.eventSize {
      let event = bytes.prefix(Self.eventSize)
      let (type, code, value) = event.withUnsafeBytes { event in
        (
          event.loadUnaligned(fromByteOffset: Self.timeSize, as: UInt16.self),
          event.loadUnaligned(fromByteOffset: Self.timeSize + 2, as: UInt16.self),
          event.loadUnaligned(fromByteOffset: Self.timeSize + 4, as: Int32.self)
        )
      }
      bytes.removeFirst(Self.eventSize)
      take(type, code, value)
    }
  }

  private func take(_ type: UInt16, _ code: UInt16, _ value: Int32) {
    // Dropped events may include releases.
    if (type, code) == Self.dropped { liftAll() }
    guard type == Self.keyType else { return }
    switch value {
    case 0:
      if held.remove(Int(code)) != nil { press(Int(code), false) }
    case 1:
      held.insert(Int(code))
      press(Int(code), true)
    // Auto-repeat is not a press.
    default: break
    }
  }

  private func liftAll() {
    for key in held { press(key, false) }
    held = []
  }

  private func close(_ device: Descriptor) {
    loop.forget(device)
    self.device = nil
    bytes = []
    liftAll()
    say("--keys: \(path) was disconnected; waiting for it")
    next = 0
  }
}
