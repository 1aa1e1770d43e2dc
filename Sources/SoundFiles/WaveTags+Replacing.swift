extension WaveTags {
  /// Replaces the tags of a file without copying its sound.
  ///
  /// The file stays valid at any time, even across a power failure, with either the old or the new
  /// tags: the new ones are written where no reader looks, and take effect atomically through the
  /// length in the file header. Space freed by an earlier change is reused, so that the file does
  /// not grow with each change.
  package static func replace(_ path: String, with tags: WaveTags) throws(SoundFileError) {
    try tags.check(for: path)
    let file = try WaveFile(path, to: .change)
    let layout = try WaveLayout(file)
    guard layout.hasReserve else {
      throw SoundFileError(
        .cannotWrite, "can't write \(path): it is not a file of Syrinx; import it first")
    }
    guard !layout.endsWithSound || layout.length <= layout.end else {
      throw SoundFileError(
        .cannotWrite, "can't write \(path): its recording is unfinished; repair it first")
    }
    do throws(SoundFileError) {
      for step in steps(layout, tags.chunks) { try step.take(in: file) }
    } catch {
      // Release partially written space.
      if file.length > layout.length { try? file.truncate(to: layout.length) }
      throw error
    }
  }

  /// A step of the replacement.
  ///
  /// The file is valid after each one.
  enum Step {
    case write([UInt8], at: Int)
    case keep
    case truncate(to: Int)

    func take(in file: borrowing WaveFile) throws(SoundFileError) {
      switch self {
      case .write(let bytes, let place): try file.write(bytes, at: place)
      case .keep: try file.keep()
      case .truncate(let length): try file.truncate(to: length)
      }
    }
  }

  /// Plans the steps of the replacement.
  static func steps(
    _ layout: WaveLayout, _ tags: [UInt8], longest: Int = WaveHead.longest
  ) -> [Step] {
    if let gap = gap(layout), gap.count == tags.count || gap.count >= tags.count + 8 {
      return fill(gap, tags, layout, longest)
    }
    let end = layout.end + tags.count
    var steps: [Step] = [
      .write(tags, at: layout.end), .keep, .write(head(layout, end, longest), at: 0), .keep,
    ]
    if layout.length > end { steps.append(.truncate(to: end)) }
    // Programs that read the first of several tag chunks should find the new ones, too.
    for chunk in layout.chunks
    where [ownName, loopName, listName, WaveBeat.name, WaveBeat.ownName].contains(chunk.name) {
      steps.append(.write(Array(emptyName.utf8), at: chunk.start))
    }
    return steps + [.keep]
  }

  /// The empty chunks directly before the current tags, if any.
  private static func gap(_ layout: WaveLayout) -> Range<Int>? {
    guard let first = firstChunk(layout) else { return nil }
    let empty = layout.chunks[..<first].reversed().prefix {
      $0.name == emptyName && $0.start > layout.dataStart
    }
    return empty.last.map { $0.start..<layout.chunks[first].start }
  }

  /// Writes the new tags before the current ones, then truncates the file after them.
  ///
  /// Until the truncation, the current tags are the last ones and remain in effect.
  private static func fill(
    _ gap: Range<Int>, _ tags: [UInt8], _ layout: WaveLayout, _ longest: Int
  ) -> [Step] {
    let whole = WaveChunk.number(UInt32(gap.count - WaveChunk.headBytes))
    let rest = gap.count - tags.count
    var bytes = tags
    if rest > 0 {
      bytes += Array(emptyName.utf8) + WaveChunk.number(UInt32(rest - WaveChunk.headBytes))
    }
    return [
      // The gap becomes a single chunk that readers skip …
      .write(whole, at: gap.lowerBound + 4), .keep,
      .write(Array(bytes[WaveChunk.headBytes...]), at: gap.lowerBound + WaveChunk.headBytes), .keep,
      // … until its header becomes that of the first new chunk.
      .write(Array(bytes[..<WaveChunk.headBytes]), at: gap.lowerBound), .keep,
      .write(head(layout, gap.upperBound, longest), at: 0), .keep,
      .truncate(to: gap.upperBound), .keep,
    ]
  }

  /// Returns the header of a file that ends at the offset `end`.
  private static func head(_ layout: WaveLayout, _ end: Int, _ longest: Int) -> [UInt8] {
    WaveHead.bytes(
      end: end, dataCount: layout.dataCount, frames: layout.frames,
      longest: layout.isLong ? 0 : longest)
  }
}
