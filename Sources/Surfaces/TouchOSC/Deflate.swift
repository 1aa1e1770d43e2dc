internal import CZlib

/// The compression of layout files by zlib.
enum Deflate {
  /// Compresses bytes to a stream with zlib's header, at its usual level.
  static func packed(_ bytes: [UInt8]) throws(SurfaceFault) -> [UInt8] {
    var length = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(length))
    guard compress2(&result, &length, bytes, uLong(bytes.count), Z_DEFAULT_COMPRESSION) == Z_OK
    else { throw SurfaceFault("there is no memory to pack \(bytes.count) bytes") }
    return Array(result.prefix(Int(length)))
  }
}
