internal import CRealtime
internal import Control
internal import Drivers
internal import Glibc
internal import OSC
internal import Posix

/// The checks of `syrinx doctor`, each of which makes a finding.
enum Checkup {
  static func soundServer(_ name: String?) -> Finding {
    guard let server = JackProbe.find(server: name) else {
      return .stop(
        .unavailable, "no JACK server\(name.map { " named \($0)" } ?? "") is running",
        "start one: `scripts/run` does; manually `jackd -d alsa -p 64`, or PipeWire with "
          + "its JACK library (`pw-jack syrinx run`)",
        "a server of another user can't be used: run both as one user")
    }
    let milliseconds = Float(server.block) / Float(server.rate) * 1000
    let what =
      "JACK server at \(server.rate) Hz, \(server.block) frames per buffer "
      + "(\(rounded(milliseconds)) ms), load \(rounded(server.load)) %"
    if !server.isRealtime {
      return .note(
        what + ", not real-time", "start it with real-time scheduling: `jackd -R …`")
    }
    if server.block > 256 {
      return .note(what, "that latency is noticeable; try 64 or 128 frames: `jackd -d alsa -p 64`")
    }
    return .ok(what)
  }

  private static func rounded(_ value: Float) -> String { "\((value * 10).rounded() / 10)" }

  static func realtime() -> Finding {
    if Thread.mayBeRealtime { return .ok("real-time scheduling is allowed") }
    return .note(
      "real-time scheduling is not allowed: other programs will cause xruns",
      "put `@audio - rtprio 95` into /etc/security/limits.d/audio.conf",
      "join the group, `sudo usermod -aG audio $USER`, and log in again")
  }

  static func memoryLock() -> Finding {
    let kilobytes = rt_lockable_kilobytes()
    if kilobytes < 0 { return .ok("memory can be locked") }
    return .note(
      "only \(kilobytes) kB of memory can be locked: audio may drop out while pages are read "
        + "from disk",
      "put `@audio - memlock unlimited` into /etc/security/limits.d/audio.conf, and log in again")
  }

  static func governor() -> Finding {
    let path = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    guard let governor = Files.read(path)?.split(separator: "\n").first.map(String.init) else {
      return .ok("CPU frequency scaling is not available")
    }
    if governor == "performance" { return .ok("the CPU governor is performance") }
    return .note(
      "the CPU governor is \(governor), which may cause xruns",
      "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
  }

  static func port(_ options: RunOptions) -> Finding {
    if options.port == 0 { return .ok("OSC will use a free port") }
    do throws(SystemError) {
      for kind in [Socket.Kind.datagrams, .stream] {
        _ = try Socket(kind, boundTo: Endpoint(address: .loopback4, port: options.port))
      }
      return .ok("port \(options.port) is free for OSC")
    } catch {
      guard error.isAddressInUse else {
        return .stop(
          .notPermitted, "can't use port \(options.port): \(error)",
          "choose one above 1023 with --port")
      }
      if let node = runningNode(at: options.port) {
        return .ok("\(node) is already running on port \(options.port)")
      }
      return .stop(
        .unavailable, "port \(options.port) is in use by another program",
        "`ss -lnp | grep :\(options.port)` shows which",
        "choose another with --port, or a free one with --port 0")
    }
  }

  private static let pingMilliseconds = 500.0

  /// Describes the node that answers on a port of this machine; nil if none does.
  private static func runningNode(at port: UInt16) -> String? {
    guard let place = NodePlace("\(port)"), let peer = try? place.peer() else {
      return nil
    }
    var answer: String?
    peer.whenReceived = { path, arguments in
      guard path == "/pong", arguments.count >= 3, let name = arguments[1].text,
        let version = arguments[2].text
      else { return }
      answer = "the node \(quoted(name)), version \(version),"
    }
    peer.send("/ping")
    let deadline = HostTime.steady + pingMilliseconds * 1e3
    while answer == nil, HostTime.steady < deadline { _ = peer.receive(milliseconds: 20) }
    return answer
  }

  static func home(_ path: String) -> Finding {
    do throws(SystemError) {
      try Files.tryFolder(path)
      return .ok("the data directory \(path) is writable")
    } catch {
      guard Files.isFolder(path) || error.isOfDisk else {
        return .stop(
          .cannotWrite, "can't use the data directory: \(error)",
          "choose another with --home, or own this one with chown")
      }
      return .note(
        "can't write to the data directory, so the node plays without saving: \(error)",
        "make its disk writable, choose another with --home, or own this one with chown")
    }
  }

  static func runtimeFolder() -> Finding {
    guard let folder = NodeFile.folder else {
      return .note(
        "XDG_RUNTIME_DIR is not set: programs can't look up the node's URL",
        "log in through a session, or set it to a folder that you own")
    }
    do throws(SystemError) {
      try Files.tryFolder(folder)
      return .ok("the node's URL will be written to \(folder)")
    } catch {
      return .note("can't write the node's URL to \(folder): \(error)")
    }
  }

  static func avahi() -> Finding {
    if Files.exist("/run/avahi-daemon/socket") { return .ok("Avahi will announce the node") }
    return .note(
      "Avahi is not running: surfaces can't discover the node",
      "sudo apt-get install avahi-daemon; or enter the address manually")
  }
}
