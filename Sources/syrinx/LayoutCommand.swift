internal import Control
internal import Posix
internal import Surfaces

/// The command `syrinx layout`: surfaces made from the address table.
enum LayoutCommand {
  static let page = CommandPage(
    name: "layout", summary: "Write a surface that plays the node, made from its addresses.",
    usage: "syrinx layout touchosc|open-stage-control FILE [OPTIONS]",
    options: [
      .init("size", value: "phone|tablet", "touchosc: the screen that it is for (default: phone)"),
      .init(
        "loops", value: "N", "The loops that the node has, 1 to 16 (default: \(Surface.usualLoops))"
      ),
      .init(
        "receive-port", value: "PORT",
        "touchosc: the port on which the app receives (default: \(TouchOSCLayout.usualPort))"),
      .init("xml", "touchosc: as XML in lines, to be read and compared, instead of a .tosc file"),
    ],
    details: """
      FILE is written whole or not at all; - is the standard output. Host and port of the node are
      typed into the app: they are not in the file.

        syrinx layout touchosc syrinx.tosc
        syrinx layout touchosc syrinx.tosc --size tablet
        syrinx layout open-stage-control syrinx.json --loops 8

      Exit codes: 0; 64 for wrong usage; 73 where the file can't be written.
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
    switch given.rest[0] {
    case "touchosc":
      return try made { () throws(SurfaceFault) in
        given.has("xml")
          ? Array(
            try TouchOSCLayout.xml(
              screen, loops: loops, receivePort: port, inLines: true
            ).utf8)
          : try TouchOSCLayout.file(screen, loops: loops, receivePort: port)
      }
    case "open-stage-control":
      for option in ["size", "receive-port", "xml"] where given.has(option) {
        throw Failure(.usage, "--\(option) is for touchosc alone")
      }
      return try made { () throws(SurfaceFault) in
        Array(try OpenStageControlSession.json(loops: loops).utf8)
      }
    default:
      throw Failure(
        .usage,
        "there is no surface \(quoted(given.rest[0])); there are touchosc and open-stage-control")
    }
  }

  // A surface that does not fit its own table is a fault of ours, which the tests would have found.
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
        throw Failure(.cannotWrite, "can't write to the standard output")
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
