/// Repairs a WAV file of Syrinx after an interrupted recording.
package enum WaveRepair {
  /// Extends the declared lengths to all sound present, and returns its number of frames.
  ///
  /// A finished file stays unchanged.
  @discardableResult
  package static func repair(
    _ path: String, longest: Int = Int(UInt32.max)
  ) throws(SoundFileError) -> Int {
    let file = try WaveFile(path, to: .change)
    return try repair(file, longest: longest)
  }

  /// Truncates an unfinished file to a number of frames, if it has more.
  package static func cut(_ path: String, toFrames frames: Int) throws(SoundFileError) {
    let file = try WaveFile(path, to: .change)
    let layout = try WaveLayout(file)
    guard layout.hasReserve, layout.endsWithSound, frames < layout.frames else { return }
    try file.truncate(to: layout.dataStart + frames * layout.frameBytes)
    _ = try repair(file, longest: WaveHead.longest)
  }

  /// Finishes an unfinished file durably, with markers and a tempo after the sound, as a `WaveWriter` does.
  ///
  /// A finished file stays unchanged. If they don't fit on the disk, the file is complete without them.
  package static func finish(
    _ path: String, cues: WaveCues, beat: WaveBeat?, longest: Int = WaveHead.longest
  ) throws(SoundFileError) {
    let file = try WaveFile(path, to: .change)
    let layout = try WaveLayout(file)
    guard layout.hasReserve, layout.endsWithSound else { return }
    let end = layout.dataStart + layout.dataCount
    // Chunks start at even offsets.
    let padding = [UInt8](repeating: 0, count: layout.dataCount % 2)
    let chunks =
      padding + cues.chunks + (beat?.chunks(rate: layout.rate, isLoop: false) ?? [])
    if chunks.count == padding.count { return }
    try file.append(durably: chunks, at: end)
    try count(
      layout.dataCount, end: end + chunks.count, frames: layout.frames, in: file, layout,
      longest: longest)
  }

  /// Writes the lengths of a file durably.
  private static func count(
    _ dataCount: Int, end: Int, frames: Int, in file: borrowing WaveFile, _ layout: WaveLayout,
    longest: Int
  ) throws(SoundFileError) {
    let isLong = WaveHead.isLong(end: end, longest: longest)
    let size = isLong ? WaveHead.elsewhere : UInt32(dataCount)
    try file.write(WaveChunk.number(size), at: layout.dataStart - 4)
    try file.write(
      WaveHead.bytes(end: end, dataCount: dataCount, frames: frames, longest: longest), at: 0)
    try file.keep()
  }

  package static func repair(_ file: borrowing WaveFile, longest: Int) throws(SoundFileError) -> Int
  {
    let layout = try WaveLayout(file)
    guard layout.hasReserve, layout.endsWithSound,
      layout.length != layout.end || layout.dataCount != layout.promisedCount
    else { return layout.frames }
    let there = layout.length - layout.dataStart
    var count = there - there % layout.frameBytes
    var end = layout.dataStart + count
    // A tag chunk may have been started after the sound, before it was counted in the header.
    if layout.length > layout.end, layout.dataCount == layout.promisedCount,
      try file.read(4, at: layout.end) == Array(WaveTags.ownName.utf8),
      [[], Array("{".utf8)].contains(try file.read(1, at: layout.end + WaveChunk.headBytes))
    {
      count = layout.dataCount
      end = try areTags(file, from: layout.end, to: layout.length) ? layout.length : layout.end
    }
    if end < layout.length { try file.truncate(to: end) }
    let frames = count / layout.frameBytes
    if let fact = layout.chunks.first(where: { $0.name == "fact" }) {
      try file.write(WaveChunk.number(UInt32(clamping: frames)), at: fact.content)
    }
    try self.count(count, end: end, frames: frames, in: file, layout, longest: longest)
    return frames
  }

  /// Whether the range between two offsets consists of complete tag chunks.
  private static func areTags(
    _ file: borrowing WaveFile, from start: Int, to end: Int
  ) throws(SoundFileError) -> Bool {
    var place = start
    while place < end {
      let head = try file.read(WaveChunk.headBytes, at: place)
      let name = String(decoding: head.prefix(4), as: UTF8.self)
      guard head.count == WaveChunk.headBytes,
        [WaveTags.ownName, WaveTags.listName, WaveTags.loopName].contains(name)
      else { return false }
      let count = Int(WaveChunk.number(head, at: 4) as UInt32)
      place = WaveChunk(name: name, start: place, count: count).end
    }
    return place == end
  }
}
