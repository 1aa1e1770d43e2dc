internal import OSC
internal import Posix

/// A simulated phone with TouchOSC, based on its manual and file format.
///
/// It sends and receives exactly what a layout defines: on two UDP sockets, like the app, or on
/// one. Its time advances only within `run` and `wait`.
package final class TouchPhone {
  /// The root control of the layout.
  package let root: TouchControl
  /// The faults of the layout: script errors with their lines, and features that the app lacks.
  package private(set) var faults: [String] = []
  /// The messages received at `/error`.
  package private(set) var errors: [String] = []
  /// The sent messages, oldest first.
  package private(set) var sent: [Received] = []
  /// The received messages, oldest first.
  package private(set) var received: [Received] = []
  /// The lines that its scripts printed.
  package private(set) var log: [String] = []

  private let app: LuaApp
  private let controls: [TouchControl]
  private let socket: Socket
  private let sender: Socket
  private let reader = DatagramReader()
  private let node: Endpoint
  private let start = HostTime.steady
  private var nextFrame = HostTime.steady
  private var frameCount = 0
  // Sixty frames per second.
  private let frameLength = 1e6 / 60

  /// Opens a layout, and connects it to a port of this machine.
  ///
  /// `layout` makes the file's path from the phone's receive port. Messages to its send socket are
  /// ignored, unless both are the same.
  package init(
    node port: UInt16, sendsFromOwnSocket: Bool = false,
    layout: (_ receivePort: UInt16) throws -> String
  ) throws {
    node = Endpoint(address: .loopback4, port: port)
    socket = try Socket(.datagrams, boundTo: Endpoint(address: .loopback4, port: 0))
    sender =
      try sendsFromOwnSocket
      ? Socket(.datagrams, boundTo: Endpoint(address: .loopback4, port: 0)) : socket
    app = try LuaApp()
    controls = try LayoutLoading(try layout(socket.port), into: app).controls
    root = controls[0]
    try act(["begin", clock])
  }

  /// The port on which the phone receives.
  package var port: UInt16 { socket.port }

  /// Clears the sent and received messages.
  package func forget() {
    sent = []
    received = []
  }

  /// Runs the app for a time, counted in its frames: a busy machine delays them.
  package func run(seconds: Double) throws {
    let end = frameCount + Int((seconds * 1e6 / frameLength).rounded(.up))
    _ = try wait { frameCount >= end }
  }

  /// Runs the app until a condition holds.
  ///
  /// Returns false on timeout.
  package func wait(seconds: Double = waitLimit, until isSo: () throws -> Bool) throws -> Bool {
    let deadline = HostTime.steady + seconds * 1e6
    while true {
      try takeMessages()
      if HostTime.steady >= nextFrame {
        nextFrame = max(nextFrame + frameLength, HostTime.steady)
        frameCount += 1
        try act(["frame", clock])
      }
      if try isSo() { return true }
      guard HostTime.steady < deadline else { return false }
      let loop = EventLoop()
      loop.watch(socket.descriptor) {}
      let left = min(nextFrame, deadline) - HostTime.steady
      if left > 0 { loop.turn(milliseconds: Int(left / 1000) + 1) }
    }
  }

  /// Touches a control with a finger.
  package func touch(_ control: TouchControl) throws -> TouchFinger {
    try touch(control, at: control.center)
  }

  /// Touches a point of a control with a finger; throws if another control is hit.
  package func touch(_ control: TouchControl, at place: TouchPoint) throws -> TouchFinger {
    let finger = try TouchFinger(self, place)
    guard finger.touched === control else {
      try finger.lift()
      throw Fault("the touch at \(control.path) hits \(finger.touched?.path ?? "nothing")")
    }
    return finger
  }

  /// Taps a control.
  package func tap(_ control: TouchControl) throws {
    let finger = try touch(control)
    try run(seconds: 0.02)
    try finger.lift()
  }

  /// Returns whether a touch at its center hits a control.
  package func canTouch(_ control: TouchControl) -> Bool { root.hit(control.center) === control }

  /// Returns whether a control is visible: neither hidden nor on another page.
  package func shows(_ control: TouchControl) -> Bool {
    guard control.isVisible else { return false }
    guard let parent = control.parent else { return true }
    if parent.type == "PAGER",
      !parent.children.indices.contains(parent.page)
        || parent.children[parent.page] !== control
    {
      return false
    }
    return shows(parent)
  }

  /// Sets a value as a finger does.
  func set(_ control: TouchControl, _ key: String, _ value: String) throws {
    try act(["set", clock, "\(control.id)", key, value])
  }

  private var clock: String { "\((HostTime.steady - start) / 1000)" }

  private func takeMessages() throws {
    // The system reports an unreachable node, which may come back.
    for socket in [socket, sender] where socket.hasFault {
      while socket.nextUnreachable() != nil {}
    }
    while true {
      var messages: [Received] = []
      guard reader.read(socket, { bytes, _ in messages += Received.all(in: bytes) }) > 0 else {
        return
      }
      for message in messages {
        received.append(message)
        if message.address == "/error" {
          errors.append(message.arguments.compactMap(\.text).joined(separator: " "))
        }
        let fields = try message.arguments.flatMap { argument -> [String] in
          switch argument {
          case .string(let text): ["s", text]
          case .bool(let isTrue): [isTrue ? "T" : "F", ""]
          case .int32, .int64, .float, .double: [String(argument.tag), "\(argument.number ?? 0)"]
          case .nil: ["N", ""]
          default: throw Fault("the app doesn't accept \(argument)")
          }
        }
        try act(["receive", clock, message.address] + fields)
      }
    }
  }

  /// Sends a command to the app, and performs the actions in its reply.
  private func act(_ command: [String]) throws {
    for event in try app.ask(command) {
      switch event[0] {
      case "P": controls[Int(event[1])! - 1].setProperty(event[2], Array(event[3...]))
      case "V": controls[Int(event[1])! - 1].values[event[2]] = event[3]
      case "S": try send(event[1], Array(event[2...]))
      case "L": log.append(event[1])
      default: faults.append("\(event[1]): \(event[2])")
      }
    }
  }

  private func send(_ address: String, _ fields: [String]) throws {
    var arguments: [Argument] = []
    for index in stride(from: 0, to: fields.count, by: 2) {
      let (tag, value) = (fields[index], fields[index + 1])
      switch (tag, Double(value)) {
      case ("f", let number?): arguments.append(.float(Float(number)))
      case ("i", let number?): arguments.append(.int32(Int32(number)))
      case ("d", let number?): arguments.append(.double(number))
      case ("h", let number?): arguments.append(.int64(Int64(number)))
      case ("s", _): arguments.append(.string(value))
      case ("T", _), ("F", _): arguments.append(.bool(tag == "T"))
      default: faults.append("\(address): invalid argument \(tag) \(value)")
      }
    }
    sent.append(Received(address, arguments))
    sender.send([UInt8](address: address, arguments), to: node)
  }
}
