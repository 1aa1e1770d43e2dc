extension WaveTags {
  /// Gives a file other tags, without a copy of its sound.
  ///
  /// At any time, even if the power fails, the file is whole and has the former tags or the new
  /// ones: the new ones are written where no reader looks, and then count at once, by the length
  /// in the file's head. What an earlier change left empty is used again, so that a file does not
  /// grow with each.
  package static func replace(_ path: String, with tags: WaveTags) throws(SoundFileError) {
    try tags.check(for: path)
    let file = try WaveFile(path, to: .change)
    let layout = try WaveLayout(file)
    guard layout.hasReserve else {
      throw SoundFileError(
        .cannotWrite, "can't write \(path): it is no file of Syrinx; it must be imported")
    }
    guard !layout.endsWithSound || layout.length <= layout.end else {
      throw SoundFileError(
        .cannotWrite, "can't write \(path): its recording was not finished; it must be repaired")
    }
    do throws(SoundFileError) {
      for step in steps(layout, tags.chunks) { try step.take(in: file) }
    } catch {
      // Room that was not enough is given back.
      if file.length > layout.length { try? file.truncate(to: layout.length) }
      throw error
    }
  }

  /// A step of a change, none of which harms a file when it is the last.
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

  /// Plans the steps that give a file other tags.
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
    // Programs that take the first of two shall find the new ones, too.
    for chunk in layout.chunks
    where [ownName, loopName, listName, WaveBeat.name, WaveBeat.ownName].contains(chunk.name) {
      steps.append(.write(Array(emptyName.utf8), at: chunk.start))
    }
    return steps + [.keep]
  }

  /// The empty chunks just before the tags that count now, if there are any.
  private static func gap(_ layout: WaveLayout) -> Range<Int>? {
    guard let first = firstChunk(layout) else { return nil }
    let empty = layout.chunks[..<first].reversed().prefix {
      $0.name == emptyName && $0.start > layout.dataStart
    }
    return empty.last.map { $0.start..<layout.chunks[first].start }
  }

  /// Puts the tags before those that count now, and ends the file behind them.
  ///
  /// Until it ends there the former ones are the last, and count.
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
      // All of it is one chunk now, inside which nobody looks …
      .write(whole, at: gap.lowerBound + 4), .keep,
      .write(Array(bytes[WaveChunk.headBytes...]), at: gap.lowerBound + WaveChunk.headBytes), .keep,
      // … until its head is the first of the new ones.
      .write(Array(bytes[..<WaveChunk.headBytes]), at: gap.lowerBound), .keep,
      .write(head(layout, gap.upperBound, longest), at: 0), .keep,
      .truncate(to: gap.upperBound), .keep,
    ]
  }

  /// Makes the head of a file that ends at a place.
  private static func head(_ layout: WaveLayout, _ end: Int, _ longest: Int) -> [UInt8] {
    WaveHead.bytes(
      end: end, dataCount: layout.dataCount, frames: layout.frames,
      longest: layout.isLong ? 0 : longest)
  }
}
