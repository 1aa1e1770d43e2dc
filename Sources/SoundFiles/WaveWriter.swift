package import DSP

/// A growing WAV file of one or two channels, which is valid at any time during the recording.
///
/// After a crash, the header counts all frames up to the last `keepCurrent`. Later frames are in
/// the file, too, and `WaveRepair` recovers them. Beyond 4 GB the file becomes RF64, which WAV
/// readers support. The file is locked while it is open, so that it isn't taken for an abandoned
/// one.
package struct WaveWriter: ~Copyable {
  private static let blockFrames = 4096

  /// The number of frames written so far.
  package var frames: Int { (dataEnd - form.dataStart) / form.frameBytes }
  /// The length of the file in bytes.
  package var bytes: Int { dataEnd }

  /// Whether silence takes no space on disk.
  package var isSparse = false

  private let form: WaveForm
  private let file: WaveFile
  private let block: Interleaved<UInt8>
  private var dataEnd: Int
  private var isFinished = false

  /// Creates a file, which must not exist.
  ///
  /// `isFine` selects 32-bit floating-point samples instead of 24-bit integers. `tags` are those of the file
  /// if it can't be finished. `place` is its time stamp. `longest` is the maximum 32-bit length; tests lower
  /// it.
  package init(
    _ path: String, rate: Int, isFine: Bool, isMono: Bool = false, tags: WaveTags? = nil,
    place: WaveBroadcast? = nil, longest: Int = Int(UInt32.max)
  ) throws(SoundFileError) {
    try tags?.check(for: path)
    let form = WaveForm(
      rate: rate, isFloat: isFine, channels: isMono ? 1 : 2, tags: tags?.chunks ?? [],
      lasting: place?.chunk ?? [], longest: longest)
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
  /// If the disk is full, the file stays valid with the frames that fit, which `frames` counts. The rest can
  /// be appended when there is room.
  package mutating func append(_ sound: Stereo, frames: Int) throws(SoundFileError) {
    var done = 0
    while done < frames {
      let count = min(frames - done, Self.blockFrames)
      if isSparse, sound.advanced(by: done).isSilent(frames: count) {
        try file.truncate(to: dataEnd + count * form.frameBytes)
        dataEnd += count * form.frameBytes
        done += count
        continue
      }
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

  /// Copies frames of another file of the same format, from its frame `start` on.
  package mutating func append(
    _ path: String, from start: Int, frames: Int
  ) throws(SoundFileError) {
    let source = try WaveFile(path, to: .read)
    let layout = try WaveLayout(source)
    guard layout.frameBytes == form.frameBytes, layout.channels == form.channels else {
      throw SoundFileError(.cannotWrite, "\(path) has a different format from \(file.path)")
    }
    var done = 0
    while done < frames {
      let count = min(frames - done, 16 * Self.blockFrames)
      let bytes = try source.read(
        count * form.frameBytes, at: layout.dataStart + (start + done) * form.frameBytes)
      guard bytes.count == count * form.frameBytes else {
        throw SoundFileError(.notSound, "\(path) is shorter than expected")
      }
      if isSparse, bytes.allSatisfy({ $0 == 0 }) {
        try file.truncate(to: dataEnd + bytes.count)
      } else {
        try file.write(bytes, at: dataEnd)
      }
      dataEnd += bytes.count
      done += count
    }
  }

  private func fill(_ sound: Stereo, _ frames: Int) {
    var place = block.samples
    for frame in 0..<frames {
      Self.put(sound.left[frame], form.isFloat, &place)
      if form.channels == 2 { Self.put(sound.right[frame], form.isFloat, &place) }
    }
  }

  @inline(__always)
  private static func put(
    _ sample: Float, _ isFloat: Bool, _ place: inout UnsafeMutablePointer<UInt8>
  ) {
    let bits =
      isFloat
      ? sample.bitPattern
      // NaN becomes silence.
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

  /// Updates the lengths in the header.
  ///
  /// The frames written so far then survive a crash of the process, but not of the machine.
  package mutating func countCurrent() throws(SoundFileError) {
    try file.write(form.head(dataEnd: dataEnd), at: 0)
  }

  /// Updates the lengths in the header, and makes the frames written so far durable.
  package mutating func keepCurrent() throws(SoundFileError) {
    try countCurrent()
    try file.keep()
  }

  /// Truncates the file to a number of frames.
  package mutating func cut(toFrames frames: Int) throws(SoundFileError) {
    guard frames < self.frames else { return }
    dataEnd = form.dataStart + frames * form.frameBytes
    try file.truncate(to: dataEnd)
    try countCurrent()
  }

  /// Finishes the file durably, with markers and a tempo after the sound.
  ///
  /// If they don't fit on the disk, the file is complete without them.
  package consuming func finish(cues: WaveCues, beat: WaveBeat?, rate: Int) throws(SoundFileError) {
    isFinished = true
    try keepCurrent()
    // Chunks start at even offsets.
    let padding = [UInt8](repeating: 0, count: (dataEnd - form.dataStart) % 2)
    let chunks = padding + cues.chunks + (beat?.chunks(rate: rate, isLoop: false) ?? [])
    if !chunks.isEmpty { try appendChunks(chunks) }
  }

  /// Finishes the file durably, with the given tags or those from its beginning.
  ///
  /// If the tags don't fit on the disk, the file is complete with the tags from its beginning.
  package consuming func finish(tags: WaveTags? = nil) throws(SoundFileError) {
    isFinished = true
    try keepCurrent()
    guard let tags else { return }
    try tags.check(for: file.path)
    try appendChunks(tags.chunks)
  }

  /// Appends chunks after the sound durably, or leaves the file as it is.
  private func appendChunks(_ chunks: [UInt8]) throws(SoundFileError) {
    try file.append(durably: chunks, at: dataEnd)
    try file.write(form.head(dataEnd: dataEnd, tagBytes: chunks.count), at: 0)
    try file.keep()
  }
}
