/// A parser for the header of an MPEG-4 file (ISO/IEC 14496-12): the `mvhd` box inside `moov`,
/// which contains the duration.
enum MovieHeader {
  /// Returns the duration in seconds, 0 if the header doesn't state it, or nil if the file is
  /// malformed.
  static func seconds(of bytes: [UInt8]) -> Double? {
    guard let movie = find("moov", in: bytes[...]), let header = find("mvhd", in: movie),
      let version = header.first
    else { return nil }
    // The creation and modification times follow version and flags.
    let fields = header.dropFirst(version == 1 ? 20 : 12)
    guard let scale = number(fields, 4), scale > 0,
      let length = number(fields.dropFirst(4), version == 1 ? 8 : 4)
    else { return nil }
    // All bits set: unknown.
    let isUnknown = length == (version == 1 ? UInt64.max : UInt64(UInt32.max))
    return isUnknown ? 0 : Double(length) / Double(scale)
  }

  /// Returns the content of the first box with a name.
  private static func find(_ name: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    while rest.count >= 8, let size = number(rest, 4) {
      var header = 8
      var length = size
      if size == 1 {
        guard let long = number(rest.dropFirst(8), 8) else { return nil }
        (header, length) = (16, long)
      } else if size == 0 {
        length = UInt64(rest.count)
      }
      guard length >= UInt64(header), length <= UInt64(rest.count) else { return nil }
      let box = rest.prefix(Int(length))
      if box.dropFirst(4).starts(with: name.utf8) { return box.dropFirst(header) }
      rest = rest.dropFirst(Int(length))
    }
    return nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>, _ count: Int) -> UInt64? {
    guard bytes.count >= count else { return nil }
    return bytes.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
