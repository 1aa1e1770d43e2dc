internal import CZlib

/// zlib compression for layout files.
enum Deflate {
  /// Compresses bytes to a zlib stream at the default level.
  static func packed(_ bytes: [UInt8]) throws(SurfaceFault) -> [UInt8] {
    var length = compressBound(uLong(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(length))
    guard compress2(&result, &length, bytes, uLong(bytes.count), Z_DEFAULT_COMPRESSION) == Z_OK
    else { throw SurfaceFault("no memory to compress \(bytes.count) bytes") }
    return Array(result.prefix(Int(length)))
  }
}
