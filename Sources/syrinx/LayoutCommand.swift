internal import Control
internal import Posix
internal import Surfaces

/// The command `syrinx layout`: writes control surfaces generated from the address table.
enum LayoutCommand: Command {
  static let page = CommandPage(
    name: "layout", summary: "Write a control surface for the node, made from its addresses.",
    usage: "syrinx layout touchosc|open-stage-control FILE [OPTIONS]",
    options: """
      --size phone|tablet: touchosc: the screen size (default: phone)
      --loops N: The number of the node's loops, 1 to 16 (default: \(Surface.usualLoops))
      --loop-seconds S: The node's longest loop, 1 to 600 seconds (default: \
      \(plain(Surface.usualSeconds)))
      --receive-port PORT: touchosc: the app's receive port (default: \(TouchOSCLayout.usualPort))
      --xml: touchosc: readable XML, one element per line, instead of a .tosc file
      """,
    details: """
      FILE is written whole or not at all; - is standard output. Enter the node's host and port in the
      app: the file doesn't have them.

        syrinx layout touchosc syrinx.tosc
        syrinx layout touchosc syrinx.tosc --size tablet
        syrinx layout open-stage-control syrinx.json --loops 8

      Exit codes: 0; 64 for wrong usage; 73 if the file can't be written.
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    guard given.rest.count == 2 else {
      throw Failure(
        .usage,
        "`syrinx layout` takes touchosc or open-stage-control, and a file; got "
          + (given.rest.isEmpty ? "nothing" : given.rest.map(quoted).joined(separator: " ")))
    }
    try write(try bytes(given), to: given.rest[1])
  }

  private static func bytes(_ given: CommandPage.Given) throws(Failure) -> [UInt8] {
    let screen =
      try given.value("size", "phone or tablet", SurfaceScreen.init(rawValue:)) ?? .phone
    let port =
      try given.number("receive-port", 1...65535, "a port from 1 to 65535")
      ?? TouchOSCLayout.usualPort
    let loops =
      try given.number("loops", 1...16, "a number from 1 to 16") ?? Surface.usualLoops
    let seconds =
      try given.number("loop-seconds", 1...600, "1 to 600") ?? Surface.usualSeconds
    switch given.rest[0] {
    case "touchosc":
      return try Failure.of { () throws(SurfaceFault) in
        given.has("xml")
          ? Array(
            try TouchOSCLayout.xml(
              screen, loops: loops, seconds: seconds, receivePort: port, inLines: true
            ).utf8)
          : try TouchOSCLayout.file(
            screen, loops: loops, seconds: seconds, receivePort: port)
      }
    case "open-stage-control":
      for option in ["size", "receive-port", "xml"] where given.has(option) {
        throw Failure(.usage, "--\(option) is for touchosc only")
      }
      return try Failure.of { () throws(SurfaceFault) in
        Array(try OpenStageControlSession.json(loops: loops, seconds: seconds).utf8)
      }
    default:
      throw Failure(
        .usage,
        "unknown surface \(quoted(given.rest[0])); accepted: touchosc, open-stage-control")
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    if path == "-" { return try Failure.print(bytes) }
    try Failure.of(.cannotWrite, "can't write ", try Files.write(bytes, to: path))
  }
}

extension SurfaceFault: ProgramFault {
  // A surface that doesn't fit its own table is a bug, which the tests would have found.
  var failure: Failure { Failure(.fault, "\(self)") }
}
