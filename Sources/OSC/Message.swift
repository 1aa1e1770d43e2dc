/// A validated OSC message in the memory of its packet.
///
/// It is valid for as long as that memory.
package struct Message {
  /// The address, without terminator.
  package let address: UnsafeRawBufferPointer
  /// The type tags, without the comma.
  package let tags: UnsafeRawBufferPointer
  private let data: UnsafeRawBufferPointer

  /// Validates the bytes of one message.
  package init(_ bytes: UnsafeRawBufferPointer) throws(MalformedPacket) {
    guard bytes.count > 0, bytes[0] == UInt8(ascii: "/") else { throw .noAddress }
    guard bytes.count % 4 == 0 else { throw .odd(bytes.count) }
    guard let addressEnd = Self.stringEnd(in: bytes, from: 0) else { throw .unterminated }
    address = UnsafeRawBufferPointer(rebasing: bytes[0..<addressEnd.text])
    guard addressEnd.next < bytes.count else {
      // Very old senders omit the type tags if there are no arguments.
      tags = UnsafeRawBufferPointer(start: nil, count: 0)
      data = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    guard bytes[addressEnd.next] == UInt8(ascii: ","),
      let tagsEnd = Self.stringEnd(in: bytes, from: addressEnd.next)
    else { throw .noTags }
    tags = UnsafeRawBufferPointer(rebasing: bytes[addressEnd.next + 1..<tagsEnd.text])
    data = UnsafeRawBufferPointer(rebasing: bytes[tagsEnd.next...])
    try checkArguments()
  }

  /// Returns the end of the string at `start`, and the position after its padding.
  private static func stringEnd(
    in bytes: UnsafeRawBufferPointer, from start: Int
  ) -> (text: Int, next: Int)? {
    var end = start
    while end < bytes.count && bytes[end] != 0 { end += 1 }
    let next = start + ((end - start) / 4 + 1) * 4
    return end < bytes.count && next <= bytes.count ? (end, next) : nil
  }

  private func checkArguments() throws(MalformedPacket) {
    var position = 0
    var depth = 0
    for tag in tags {
      switch tag {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      default:
        let end = try end(of: tag, at: position)
        if tag == UInt8(ascii: "s") || tag == UInt8(ascii: "S") {
          guard Self.isText(data[position..<end]) else { throw .notUTF8 }
        }
        position = end
      }
      guard depth >= 0 else { throw .unbalanced }
    }
    guard depth == 0 else { throw .unbalanced }
    guard position == data.count else { throw .excess(data.count - position) }
  }

  /// Whether bytes are valid UTF-8: anything else would be altered on decoding, and a name would
  /// become another one.
  private static func isText(_ bytes: UnsafeRawBufferPointer.SubSequence) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
  }

  /// Returns the end of the argument at `position`.
  private func end(of tag: UInt8, at position: Int) throws(MalformedPacket) -> Int {
    var end = position
    switch tag {
    case UInt8(ascii: "i"), UInt8(ascii: "f"), UInt8(ascii: "c"), UInt8(ascii: "r"),
      UInt8(ascii: "m"):
      end += 4
    case UInt8(ascii: "h"), UInt8(ascii: "d"), UInt8(ascii: "t"):
      end += 8
    case UInt8(ascii: "T"), UInt8(ascii: "F"), UInt8(ascii: "N"), UInt8(ascii: "I"):
      break
    case UInt8(ascii: "s"), UInt8(ascii: "S"):
      guard let text = Self.stringEnd(in: data, from: position) else { throw .unterminated }
      end = text.next
    case UInt8(ascii: "b"):
      guard position + 4 <= data.count else { throw .short }
      let size = Int(number(at: position) as UInt32)
      guard size <= data.count else { throw .short }
      end += 4 + (size + 3) / 4 * 4
    default:
      throw .unknownTag(tag)
    }
    guard end <= data.count else { throw .short }
    return end
  }

  private func number<Bits: FixedWidthInteger & BitwiseCopyable>(at position: Int) -> Bits {
    Bits(bigEndian: data.loadUnaligned(fromByteOffset: position, as: Bits.self))
  }

  /// The address as text for display; invalid UTF-8 is replaced.
  package var addressText: String { String(decoding: address, as: UTF8.self) }

  /// The only argument, if it is a number.
  ///
  /// Allocation-free, for the most common kind of message.
  package var onlyNumber: Double? {
    // Other arguments would be copied.
    guard tags.count == 1, "fidhTF".utf8.contains(tags[0]) else { return nil }
    return argument(tags[0], at: 0)?.number
  }

  /// All arguments, without the brackets of arrays.
  package var arguments: [Argument] {
    var result: [Argument] = []
    result.reserveCapacity(tags.count)
    var position = 0
    for tag in tags {
      guard let argument = argument(tag, at: position) else { continue }
      result.append(argument)
      // Can't fail, because the initializer has validated it.
      position = (try? end(of: tag, at: position)) ?? data.count
    }
    return result
  }

  private func argument(_ tag: UInt8, at position: Int) -> Argument? {
    switch tag {
    case UInt8(ascii: "i"): .int32(number(at: position))
    case UInt8(ascii: "f"): .float(Float(bitPattern: number(at: position)))
    case UInt8(ascii: "c"): .character(number(at: position))
    case UInt8(ascii: "r"): .color(number(at: position))
    case UInt8(ascii: "m"): .midi(number(at: position))
    case UInt8(ascii: "h"): .int64(number(at: position))
    case UInt8(ascii: "d"): .double(Double(bitPattern: number(at: position)))
    case UInt8(ascii: "t"): .timeTag(TimeTag(bits: number(at: position)))
    case UInt8(ascii: "T"): .bool(true)
    case UInt8(ascii: "F"): .bool(false)
    case UInt8(ascii: "N"): .nil
    case UInt8(ascii: "I"): .infinitum
    case UInt8(ascii: "s"): .string(text(at: position))
    case UInt8(ascii: "S"): .symbol(text(at: position))
    case UInt8(ascii: "b"):
      .blob(Array(data[position + 4..<position + 4 + Int(number(at: position) as UInt32)]))
    default: nil
    }
  }

  private func text(at position: Int) -> String {
    var end = position
    while data[end] != 0 { end += 1 }
    return String(decoding: data[position..<end], as: UTF8.self)
  }
}

/// The reason why bytes aren't an OSC packet.
package struct MalformedPacket: Error, Equatable, CustomStringConvertible {
  package let description: String

  package static let noAddress = Self(description: "it starts with neither / nor #bundle")
  package static let notUTF8 = Self(description: "a string in it is not UTF-8")
  package static let noTags = Self(description: "the type tags don't start with a comma")
  package static let unterminated = Self(description: "a string in it has no end")
  package static let short = Self(description: "it is shorter than its arguments")
  package static let unbalanced = Self(description: "the brackets in its type tags don't match")
  package static let badBundle = Self(description: "an element's size exceeds its bundle")
  package static let empty = Self(description: "the packet is empty")
  package static let deep = Self(
    description: "its bundles are nested more than \(Packet.deepestBundle) deep")

  package static func odd(_ count: Int) -> Self {
    Self(description: "its length, \(count), is not a multiple of 4")
  }

  package static func unknownTag(_ tag: UInt8) -> Self {
    let shown = tag >= 32 && tag < 127 ? "'\(UnicodeScalar(tag))'" : "\(tag)"
    return Self(description: "type tag \(shown) is unknown")
  }

  package static func excess(_ count: Int) -> Self {
    Self(description: "\(count) bytes follow its arguments")
  }
}
