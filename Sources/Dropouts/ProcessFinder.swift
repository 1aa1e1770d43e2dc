internal import Posix

/// Finds the processes of a sound server and of its clients by their sockets.
package enum ProcessFinder {
  /// Returns the process of the sound server to which this process is connected; nil if none is found.
  ///
  /// Takes about a tenth of a millisecond.
  package static func server() -> Int32? {
    for name in Files.names(in: "/proc/self/fd") {
      guard let peer = Int32(name).flatMap(Descriptor.peer) else { continue }
      let socket = peer.path.split(separator: "/").last ?? ""
      if socket.hasPrefix("jack_") || socket.hasPrefix("pipewire-") { return peer.process }
    }
    return nil
  }

  /// Whether a process has a sound card open.
  package static func hasCard(_ process: Int32) -> Bool {
    let folder = "/proc/\(process)/fd"
    return Files.names(in: folder).contains {
      Files.target(ofLink: "\(folder)/\($0)")?.hasPrefix("/dev/snd/pcm") ?? false
    }
  }

  /// Returns the processes of JACK clients with these names.
  ///
  /// Scans the descriptors of all processes: takes some milliseconds.
  package static func clients(named wanted: Set<String>, root: String = "") -> [Int32: String] {
    let names = clientSockets(Files.bytes("\(root)/proc/net/unix")).filter {
      wanted.contains($0.value)
    }
    guard !names.isEmpty else { return [:] }
    var result: [Int32: String] = [:]
    for process in Files.names(in: "\(root)/proc").compactMap({ Int32($0) }) {
      let folder = "\(root)/proc/\(process)/fd"
      for descriptor in Files.names(in: folder) {
        guard let target = Files.target(ofLink: "\(folder)/\(descriptor)"),
          target.hasPrefix("socket:["),
          let name = Int(target.dropFirst(8).dropLast()).flatMap({ names[$0] })
        else { continue }
        result[process] = name
        break
      }
    }
    return result
  }

  /// Parses `/proc/net/unix`: the names of JACK clients by the inodes of the sockets on which they receive
  /// notifications.
  static func clientSockets(_ text: [UInt8]) -> [Int: String] {
    var result: [Int: String] = [:]
    for line in text.split(separator: UInt8(ascii: "\n")).dropFirst() {
      let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 7)
      // Only connected sockets: a client's own is connected by the server.
      guard fields.count == 8, fields[5].elementsEqual("03".utf8) else { continue }
      guard let inode = Int(String(decoding: fields[6], as: UTF8.self)),
        let name = clientName(String(decoding: fields[7], as: UTF8.self))
      else { continue }
      result[inode] = name
    }
    return result
  }

  /// The name in a path such as `/dev/shm/jack_NAME_1000_0`: JACK adds the user and a number.
  private static func clientName(_ path: String) -> String? {
    let parts = path.split(separator: "/").last?.split(
      separator: "_", omittingEmptySubsequences: false)
    guard let parts, parts.first == "jack", parts.count > 3 else { return nil }
    return parts.dropFirst().dropLast(2).joined(separator: "_")
  }
}
