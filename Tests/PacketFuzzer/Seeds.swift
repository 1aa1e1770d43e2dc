import Control
import Foundation
import OSC

/// Packets to begin with, from the table.
enum Seeds {
  static func write(to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var packets: [[UInt8]] = []
    for address in AddressTable.node.addresses {
      packets.append([UInt8](address: address.path, []))
      packets.append(
        [UInt8](
          address: address.path,
          address.types.map { type in
            switch type {
            case "f": .float(address.range.greatest)
            case "i": .int32(1)
            default: .string("chain")
            }
          }))
    }
    packets.append([UInt8](address: "/{live,l[a-o]*}/gain", [.double(-3)]))
    packets.append(
      [UInt8](bundle: Array(packets.prefix(8)), at: TimeTag(unixMicroseconds: 2e15)))
    try writeForTheWeb(packets, to: folder)
    for (index, packet) in packets.enumerated() {
      try Data([0] + packet).write(to: folder.appendingPathComponent("datagram-\(index)"))
      for (way, style) in [(UInt8(4), StreamFraming.Style.lengthPrefix), (5, .slip)] {
        try Data([way] + StreamFraming.frame(packet, style)).write(
          to: folder.appendingPathComponent("\(style)-\(index)"))
      }
    }
  }

  /// Requests, and frames of WebSockets.
  private static func writeForTheWeb(_ packets: [[UInt8]], to folder: URL) throws {
    let requests = [
      "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n",
      "GET /pitch/semitones?VALUE HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
      "GET /page/main.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n",
      "GET /files/takes/ab/sound HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-9\r\n\r\n",
      "POST /files/takes?name=a.wav HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nRIFF",
      "POST /files/takes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ]
    for (index, request) in requests.enumerated() {
      try Data([8] + Array(request.utf8)).write(to: folder.appendingPathComponent("http-\(index)"))
    }
    let texts = [#"{"COMMAND":"LISTEN","DATA":"/mute"}"#, #"{"COMMAND":"PAIR","DATA":"00"}"#]
    let messages = texts.map { (UInt8(1), Array($0.utf8)) } + packets.prefix(20).map { (2, $0) }
    for (index, (code, bytes)) in messages.enumerated() where bytes.count < 126 {
      let frame = [12, 0x80 | code, 0x80 | UInt8(bytes.count), 0, 0, 0, 0] + bytes
      try Data(frame).write(to: folder.appendingPathComponent("frame-\(index)"))
    }
  }
}
