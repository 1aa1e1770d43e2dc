internal import Control
internal import Glibc
internal import JSON
internal import Library
internal import Posix

/// A client of gpsd, the daemon that serves GPS receivers: a thread that connects, and reconnects.
final class GPSClient: Sendable {
  /// News from the receiver.
  enum News: Sendable {
    /// A position.
    case fix(Place)
    /// A line for the user about the connection.
    case line(String)
  }

  /// The port of gpsd.
  static let port: UInt16 = 2947
  /// The distance below which a move is noise of the receiver, in meters.
  static let leastMeters = 10.0

  // The time between attempts to connect, in milliseconds.
  private static let period = 1000
  // The longest line of gpsd, which lists satellites, is about 10 kB.
  private static let mostBytes = 1 << 16
  private static let watch = "?WATCH={\"enable\":true,\"json\":true};\n"

  private let place: NodePlace
  private let tell: @Sendable (News) -> Void

  /// Creates a client that calls `tell` on its own thread.
  init(_ place: NodePlace, tell: @escaping @Sendable (News) -> Void) {
    self.place = place
    self.tell = tell
  }

  /// Starts the thread, which runs until the program ends.
  func start() {
    do throws(SystemError) {
      try Thread.start("gpsd") { [self] in work() }
    } catch {
      tell(.line("--gpsd: \(error)"))
    }
  }

  private func work() {
    // The last message, which is not repeated.
    var said = ""
    func say(_ line: String) {
      guard line != said else { return }
      said = line
      tell(.line("--gpsd: \(line)"))
    }
    while true {
      do {
        let socket = try Socket(connectedTo: try Endpoint(place))
        say("following the receiver at \(place.text)")
        follow(socket)
        say("the connection to \(place.text) ended; reconnecting")
      } catch let error as UnknownHost {
        say("\(place.host): \(error.reason); retrying")
      } catch {
        say("can't connect to gpsd at \(place.text): \(error); retrying")
      }
      _ = poll(nil, 0, Int32(Self.period))
    }
  }

  /// Reads lines until the connection ends.
  private func follow(_ socket: Socket) {
    guard socket.write(Array(Self.watch.utf8)[...]) != nil else { return }
    var line: [UInt8] = []
    while true {
      var isOpen = false
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        switch socket.read(into: buffer) {
        case .closed: return
        case .nothingNow: isOpen = true
        case .bytes(let count):
          isOpen = true
          for byte in buffer[..<count] {
            guard byte == UInt8(ascii: "\n") else {
              line.append(byte)
              continue
            }
            if let fix = Self.fix(in: line) { tell(.fix(fix)) }
            line.removeAll(keepingCapacity: true)
          }
        }
      }
      // Another program, which sends no lines.
      guard isOpen, line.count <= Self.mostBytes else { return }
    }
  }

  /// The position in a line of gpsd; nil for other reports, and without a fix.
  static func fix(in line: [UInt8]) -> Place? {
    guard let report = try? JSON(line), report["class"]?.text == "TPV",
      // 2 is a fix without altitude.
      let mode = report["mode"]?.number, mode >= 2,
      let latitude = report["lat"]?.number, let longitude = report["lon"]?.number
    else { return nil }
    return Place(latitude: latitude, longitude: longitude)
  }
}
