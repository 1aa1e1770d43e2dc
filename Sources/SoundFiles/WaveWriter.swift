package import DSP

/// A stereo WAV file that grows while it is recorded, and is whole at any time.
///
/// Whatever ends the program, the file has all frames up to the last `keepCurrent`; what was
/// written after it is there too, and `WaveRepair` makes it count. Past 4 GB the file becomes
/// RF64, which readers of WAV know. While it is open it is locked, so that nobody takes it for one
/// that was left behind.
package struct WaveWriter: ~Copyable {
  private static let blockFrames = 4096

  /// The number of frames written so far.
  package var frames: Int { (dataEnd - form.dataStart) / form.frameBytes }
  /// The length of the file, in bytes.
  package var bytes: Int { dataEnd }

  private let form: WaveForm
  private let file: WaveFile
  private let block: Interleaved<UInt8>
  private var dataEnd: Int
  private var isFinished = false

  /// Begins a file, of which nothing may be there yet.
  ///
  /// `isFine` says whether its samples are floating-point numbers of 32 bits, or integers of 24.
  /// The tags are those that it has if it can't be finished. `longest` is what 32 bits can count,
  /// or less to test with.
  package init(
    _ path: String, rate: Int, isFine: Bool, tags: WaveTags? = nil, longest: Int = Int(UInt32.max)
  ) throws(SoundFileError) {
    try tags?.check(for: path)
    let form = WaveForm(rate: rate, isFloat: isFine, tags: tags?.chunks ?? [], longest: longest)
    let file = try WaveFile(path, to: .begin)
    try file.write(form.head(dataEnd: form.dataStart), at: 0)
    self.form = form
    self.file = file
    dataEnd = form.dataStart
    block = Interleaved(count: Self.blockFrames * form.frameBytes)
  }

  deinit {
    if !isFinished { try? file.write(form.head(dataEnd: dataEnd), at: 0) }
  }

  // MARK: - Writing

  /// Writes the next frames.
  ///
  /// Where the disk takes no more, what it took stays a whole file.
  package mutating func append(_ sound: Stereo, frames: Int) throws(SoundFileError) {
    var done = 0
    while done < frames {
      let count = min(frames - done, Self.blockFrames)
      fill(sound.advanced(by: done), count)
      let bytes = UnsafeRawBufferPointer(start: block.samples, count: count * form.frameBytes)
      let (written, code) = file.write(bytes, at: dataEnd)
      dataEnd += written - written % form.frameBytes
      guard written == bytes.count else {
        try? file.truncate(to: dataEnd)
        try? file.write(form.head(dataEnd: dataEnd), at: 0)
        throw WaveFile.cannotWrite(file.path, code)
      }
      done += count
    }
  }

  private func fill(_ sound: Stereo, _ frames: Int) {
    var place = block.samples
    for frame in 0..<frames {
      Self.put(sound.left[frame], form.isFloat, &place)
      Self.put(sound.right[frame], form.isFloat, &place)
    }
  }

  @inline(__always)
  private static func put(
    _ sample: Float, _ isFloat: Bool, _ place: inout UnsafeMutablePointer<UInt8>
  ) {
    let bits =
      isFloat
      ? sample.bitPattern
      // What is no number is silence.
      : UInt32(
        bitPattern: Int32(
          max(
            -8_388_608,
            min(8_388_607, (sample.isNaN ? 0 : sample * 8_388_608).rounded(.toNearestOrEven)))))
    place[0] = UInt8(truncatingIfNeeded: bits)
    place[1] = UInt8(truncatingIfNeeded: bits >> 8)
    place[2] = UInt8(truncatingIfNeeded: bits >> 16)
    if isFloat { place[3] = UInt8(truncatingIfNeeded: bits >> 24) }
    place += isFloat ? 4 : 3
  }

  /// Counts all that was written so far, which nothing but the machine's own end can take away
  /// then.
  package mutating func countCurrent() throws(SoundFileError) {
    try file.write(form.head(dataEnd: dataEnd), at: 0)
  }

  /// Counts all that was written so far, and waits until it is safe on the disk.
  package mutating func keepCurrent() throws(SoundFileError) {
    try countCurrent()
    try file.keep()
  }

  /// Ends the file, with its tags or those that it began with, safe on the disk.
  ///
  /// Where they don't fit, it is a whole file with those that it began with.
  package consuming func finish(tags: WaveTags? = nil) throws(SoundFileError) {
    isFinished = true
    try keepCurrent()
    guard let tags else { return }
    try tags.check(for: file.path)
    let chunks = tags.chunks
    do throws(SoundFileError) {
      try file.write(chunks, at: dataEnd)
      try file.keep()
    } catch {
      try? file.truncate(to: dataEnd)
      throw error
    }
    try file.write(form.head(dataEnd: dataEnd, tagBytes: chunks.count), at: 0)
    try file.keep()
  }
}
