internal import Engine
internal import Glibc
internal import Posix

/// A journal file open for appending, and the index of its records.
final class JournalFile {
  private static let bufferBytes = 1 << 20

  let descriptor: Descriptor
  let format: JournalFormat
  private(set) var index = JournalIndex()
  /// The size in bytes, without buffered records.
  private(set) var size = 0
  /// The number of bytes written since it was opened.
  private(set) var bytesWritten = 0
  /// A line about damage in a file that was read; nil if it is intact.
  let damage: String?
  /// Whether it did not exist.
  let isNew: Bool
  private let repairs: [Int: (offset: Int, byte: UInt8)]

  /// The path, for errors.
  var path: String
  private var buffer: [UInt8] = []

  /// Creates an empty file, in place of an existing one.
  init(creating path: String) throws(SystemError) {
    self.path = path
    descriptor = try Self.open(path, O_TRUNC)
    format = JournalFormat(number: .random(in: 1 ... .max))
    (damage, repairs, isNew) = (nil, [:], true)
    buffer = format.head
    try flush()
  }

  /// Opens a file and reads it, or creates it if it does not exist.
  init(reading path: String) throws(SystemError) {
    self.path = path
    descriptor = try Self.open(path, 0)
    guard let end = Files.size(of: descriptor) else { throw SystemError(path, code: EINVAL) }
    guard let reading = try JournalReading(descriptor, end: end) else {
      format = JournalFormat(number: .random(in: 1 ... .max))
      repairs = [:]
      // It is shorter if the node was killed during its creation, and blank if the power failed.
      let isBlank = try Self.isBlank(descriptor, end: end)
      isNew = end < JournalFormat.headBytes || isBlank
      damage = isNew ? nil : "\(path) is no journal of loops of this version"
      if isNew {
        buffer = format.head
        try truncate()
        try flush()
      }
      return
    }
    format = reading.format
    index = reading.index
    repairs = reading.pages.repairs
    size = reading.size
    damage = reading.damage?.line(path)
    isNew = false
    if damage == nil, size < end { try truncate() }
  }

  /// Whether a file has only zeros.
  private static func isBlank(_ file: Descriptor, end: Int) throws(SystemError) -> Bool {
    for start in stride(from: 0, to: end, by: bufferBytes) {
      let bytes = try file.bytes(min(bufferBytes, end - start), at: start)
      guard bytes.allSatisfy({ $0 == 0 }) else { return false }
    }
    return true
  }

  private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
    try Descriptor(
      Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | flags, 0o666), orThrow: path)
  }

  /// Its pages.
  var pages: JournalPages { JournalPages(file: descriptor, repairs: repairs) }

  /// The size in bytes, including buffered records.
  var end: Int { size + buffer.count }

  /// Appends a record with its payload, to be written with the next flush.
  ///
  /// Returns false if it can't follow the earlier ones.
  func append(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) -> Bool {
    guard index.apply(record, bytes, at: end + JournalFormat.recordBytes) else { return false }
    format.append(record, bytes, to: &buffer)
    if buffer.count >= Self.bufferBytes { try flush() }
    return true
  }

  /// Writes the buffered records to the system, so that they survive a crash of the process.
  ///
  /// After an error nothing more can be appended.
  func flush() throws(SystemError) {
    if buffer.isEmpty { return }
    let (written, code) = buffer.withUnsafeBytes { descriptor.write($0, at: size) }
    guard written == buffer.count else {
      // The partly written record is incomplete, or will be written again.
      try? truncate()
      throw SystemError(path, code: code)
    }
    size += buffer.count
    bytesWritten += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  private func truncate() throws(SystemError) {
    guard ftruncate(descriptor.number, size) == 0 else { throw SystemError(path) }
  }
}
