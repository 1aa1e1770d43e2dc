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
    for (index, packet) in packets.enumerated() {
      try Data([0] + packet).write(to: folder.appendingPathComponent("datagram-\(index)"))
      for (way, style) in [(UInt8(4), StreamFraming.Style.lengthPrefix), (5, .slip)] {
        try Data([way] + StreamFraming.frame(packet, style)).write(
          to: folder.appendingPathComponent("\(style)-\(index)"))
      }
    }
  }
}
