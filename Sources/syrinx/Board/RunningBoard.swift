internal import Feed
internal import Glibc
internal import Posix

/// A board server that runs on the main thread's event loop until it is stopped.
final class RunningBoard {
  private let loop = EventLoop()
  private let signals: SystemSignals
  private let place: BoardPlace
  private let options: BoardDoor.Options
  private let scratch: String
  private let door: BoardDoor

  init(options: BoardDoor.Options, limits: BoardLimits, _ place: BoardPlace) throws(Failure) {
    self.options = options
    self.place = place
    signals = try .forTheEnd()
    guard let scratch = try? Files.makeTemporaryFolder("syrinx-board") else {
      throw Failure(.cannotWrite, "can't create a folder for uploads in $TMPDIR")
    }
    self.scratch = scratch
    let board = try Failure.of { () throws(BoardFault) in
      try Board(place.open(), scratch: scratch, limits: limits)
    }
    door = try system(try BoardDoor(options, board: board, loop: loop)) {
      Failure.cannotListen($0, "can't listen for HTTP on \($0); --port 0 uses a free port")
    }
  }

  func run() {
    var wantsEnd = false
    loop.watch(signals.descriptor) { [signals] in
      while signals.next() != nil { wantsEnd = true }
    }
    sayReady()
    while !wantsEnd { loop.turn(milliseconds: 1000) }
    Environment.notifyServiceManager("STOPPING=1")
    door.end()
    rmdir(scratch)
  }

  private func sayReady() {
    let host = options.access.isOpen ? IPAddress.likelyForOthers : .loopback4
    let url = "http://\(Endpoint(address: host, port: door.port))/"
    Environment.announce("ready board=\(url) database=\(place)")
    Environment.notifyServiceManager("READY=1\nSTATUS=Serving at \(url)")
  }
}
