internal import Engine
internal import Glibc
internal import Posix

/// The pages of a journal file, where single bytes can be wrong in the file.
struct JournalPages: Sendable {
  let file: Descriptor
  /// The offset and the right value of the wrong byte in a page, by the page's offset.
  var repairs: [Int: (offset: Int, byte: UInt8)] = [:]

  /// Reads the page at an offset: the left channel, then the right.
  func read(
    _ offset: Int, into memory: UnsafeMutableRawBufferPointer
  ) throws(SystemError) {
    try file.fill(memory, at: offset)
    if let (place, byte) = repairs[offset], (offset..<offset + memory.count).contains(place) {
      memory[place - offset] = byte
    }
  }

  /// Returns the bytes of the page at an offset.
  func bytes(at offset: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: LoopRecord.pageBytes)
    try bytes.withUnsafeMutableBufferPointer { memory throws(SystemError) in
      try read(offset, into: UnsafeMutableRawBufferPointer(memory))
    }
    return bytes
  }
}

extension Descriptor {
  /// Fills memory with the bytes at an offset of the file; a premature end is an error.
  func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) {
    let (count, code) = read(into: memory, at: offset)
    guard count == memory.count else { throw SystemError("read", code: code == 0 ? EIO : code) }
  }

  /// Returns `count` bytes at an offset of the file; a premature end is an error.
  func bytes(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBufferPointer { memory throws(SystemError) in
      try fill(UnsafeMutableRawBufferPointer(memory), at: offset)
    }
    return bytes
  }
}
