import Foundation
import Posix
import Testing

@Suite struct DescriptorTests {
  private static func file() throws -> Descriptor {
    let path = NSTemporaryDirectory() + UUID().uuidString
    defer { unlink(path) }
    return try Descriptor(open(path, O_RDWR | O_CREAT | O_EXCL, 0o600), orThrow: path)
  }

  @Test func `reads what was written at an offset, and less at the end of the file`() throws {
    let file = try Self.file()
    let written = Array<UInt8>(1...8).withUnsafeBytes { file.write($0, at: 4) }
    #expect(written == (8, 0))
    var bytes = [UInt8](repeating: 9, count: 8)
    #expect(bytes.withUnsafeMutableBytes { file.read(into: $0, at: 2) } == (8, 0))
    #expect(bytes == [0, 0, 1, 2, 3, 4, 5, 6])
    #expect(bytes.withUnsafeMutableBytes { file.read(into: $0, at: 10) } == (2, 0))
    #expect(bytes == [7, 8, 1, 2, 3, 4, 5, 6])
  }

  @Test func `reports the error of a file without offsets`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (out, into) = (
      try Descriptor(ends[0], orThrow: "pipe"), try Descriptor(ends[1], orThrow: "pipe")
    )
    var bytes: [UInt8] = [1, 2]
    #expect(bytes.withUnsafeBytes { into.write($0, at: 0) } == (0, ESPIPE))
    #expect(bytes.withUnsafeMutableBytes { out.read(into: $0, at: 0) } == (0, ESPIPE))
  }

  @Test func `writes all of a long array to a pipe`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (out, into) = (
      try Descriptor(ends[0], orThrow: "pipe"), try Descriptor(ends[1], orThrow: "pipe")
    )
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    try Posix.Thread.start("writer") { try? into.write(bytes, action: "write") }
    var received: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while received.count < bytes.count {
      let count = read(out.number, &block, block.count)
      try #require(count > 0)
      received += block[..<count]
    }
    #expect(received == bytes)
  }
}
