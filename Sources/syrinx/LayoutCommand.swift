internal import Control
internal import Posix
internal import Surfaces

/// The command `syrinx layout`: writes control surfaces generated from the address table.
enum LayoutCommand {
  static let page = CommandPage(
    name: "layout", summary: "Write a control surface for the node, made from its addresses.",
    usage: "syrinx layout touchosc|open-stage-control FILE [OPTIONS]",
    options: [
      .init("size", value: "phone|tablet", "touchosc: the screen size (default: phone)"),
      .init(
        "loops", value: "N",
        "The number of the node's loops, 1 to 16 (default: \(Surface.usualLoops))"
      ),
      .init(
        "loop-seconds", value: "S",
        "The node's longest loop, 1 to 600 seconds (default: \(plain(Surface.usualSeconds)))"),
      .init(
        "receive-port", value: "PORT",
        "touchosc: the app's receive port (default: \(TouchOSCLayout.usualPort))"),
      .init("xml", "touchosc: readable XML, one element per line, instead of a .tosc file"),
    ],
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
    let screen = try screen(given)
    let port = try receivePort(given)
    let loops = try loops(given)
    let seconds = try seconds(given)
    switch given.rest[0] {
    case "touchosc":
      return try made { () throws(SurfaceFault) in
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
      return try made { () throws(SurfaceFault) in
        Array(try OpenStageControlSession.json(loops: loops, seconds: seconds).utf8)
      }
    default:
      throw Failure(
        .usage,
        "unknown surface \(quoted(given.rest[0])); accepted: touchosc, open-stage-control")
    }
  }

  // A surface that doesn't fit its own table is a bug, which the tests would have found.
  private static func made(
    _ make: () throws(SurfaceFault) -> [UInt8]
  ) throws(Failure) -> [UInt8] {
    do throws(SurfaceFault) {
      return try make()
    } catch {
      throw Failure(.fault, "\(error)")
    }
  }

  private static func screen(_ given: CommandPage.Given) throws(Failure) -> SurfaceScreen {
    let size = given["size"] ?? SurfaceScreen.phone.rawValue
    guard let screen = SurfaceScreen(rawValue: size) else {
      throw Failure(.usage, "--size takes phone or tablet; got \(quoted(size))")
    }
    return screen
  }

  private static func loops(_ given: CommandPage.Given) throws(Failure) -> Int {
    let text = given["loops"] ?? "\(Surface.usualLoops)"
    guard let loops = Int(text), 1...16 ~= loops else {
      throw Failure(.usage, "--loops takes a number from 1 to 16; got \(quoted(text))")
    }
    return loops
  }

  private static func seconds(_ given: CommandPage.Given) throws(Failure) -> Double {
    let text = given["loop-seconds"] ?? plain(Surface.usualSeconds)
    guard let seconds = Double(text), 1...600 ~= seconds else {
      throw Failure(.usage, "--loop-seconds takes 1 to 600; got \(quoted(text))")
    }
    return seconds
  }

  private static func receivePort(_ given: CommandPage.Given) throws(Failure) -> Int {
    let text = given["receive-port"] ?? "\(TouchOSCLayout.usualPort)"
    guard let port = Int(text), 1...65535 ~= port else {
      throw Failure(.usage, "--receive-port takes a port from 1 to 65535; got \(quoted(text))")
    }
    return port
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    if path == "-" {
      guard Environment.print(bytes) else {
        throw Failure(.cannotWrite, "can't write to standard output")
      }
      return
    }
    do throws(SystemError) {
      try Files.write(bytes, to: path)
    } catch {
      throw Failure(.cannotWrite, "can't write \(error)")
    }
  }
}
