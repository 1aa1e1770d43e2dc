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

  /// How sounds begin, as a board tells them.
  private static let sounds: [[UInt8]] = [
    Array("RIFF$\0\0\0WAVEfmt \u{10}\0\0\0\u{1}\0\u{1}\0".utf8), Array("fLaC\0\0\0\"".utf8),
    Array("OggS\0\u{2}".utf8), Array("ID3\u{4}\0\0\0\0\0\u{10}".utf8),
    [0xFF, 0xFB, 0x90, 0x64],
    [0xFF, 0xF1, 0x50, 0x40, 0x02, 0x00, 0xFC] + Array(repeating: 7, count: 9),
    Array("\0\0\0\u{8}ftyp\0\0\0\u{10}moov\0\0\0\u{8}mvhd".utf8),
  ]

  /// Requests, and frames of WebSockets.
  private static func writeForTheWeb(_ packets: [[UInt8]], to folder: URL) throws {
    let requests = [
      "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n",
      "GET /pitch/semitones?VALUE HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
      "GET /page/main.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n",
      "GET /files/takes/ab/sound HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-9\r\n\r\n",
      "POST /files/takes?name=a.wav HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nRIFF",
      "POST /files/takes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "GET /board/getaudio/?limit=2 HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /board/posts?before=9&after=1&limit=3 HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /board/audio/1 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-9\r\n\r\n",
      "DELETE /board/posts/0c5a7c2e-9f5c-4b8e-8a55-0d7a3f1e2b4c HTTP/1.1\r\nHost: localhost\r\n"
        + "Authorization: Bearer 0123456789abcdef\r\n\r\n",
    ]
    let posts = [
      #"{"username":"a","message":"b","audio":null}"#,
      #"{"name":"a","message":"b","audio":"UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="}"#,
      #"{"message":"c","id":"0c5a7c2e-9f5c-4b8e-8a55-0d7a3f1e2b4c","secret":"0123456789abcdef"}"#,
    ]
    let heads = posts.map { body in
      "POST /board/postaudio HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)"
        + "\r\n\r\n\(body)"
    }
    for (index, body) in posts.enumerated() {
      try Data([16] + Array(body.utf8)).write(to: folder.appendingPathComponent("post-\(index)"))
    }
    for (index, head) in Self.sounds.enumerated() {
      try Data([20] + head).write(to: folder.appendingPathComponent("sound-\(index)"))
    }
    for (index, request) in (requests + heads).enumerated() {
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
