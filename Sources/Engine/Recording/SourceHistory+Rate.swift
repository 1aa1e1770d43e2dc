internal import DSP

/// The history of a source at another sample rate.
extension SourceHistory {
  // The frames that are converted at once.
  private static var framesAtOnce: Int { 4096 }

  /// Copies the audio of another history, resampled by reading `speed` of its frames per own frame.
  ///
  /// A source that no loop listens to has nothing to copy. Not on the audio thread, and only before the first write.
  mutating func adopt(_ former: borrowing SourceHistory, speed: Double) {
    let known = former.knownFrames
    let count = min(Int(Double(known) / speed), frames)
    guard former.isRemembering, isRemembering, count > 0 else { return }
    let reader = ForeignRateReader(speed: speed, frames: Self.framesAtOnce)
    // Both end at the same time.
    let start = Double(former.written) - Double(count) * speed
    var done = 0
    while done < count {
      let part = min(Self.framesAtOnce, count - done)
      reader.read(
        from: start + Double(done) * speed, frames: part,
        in: former.written - known..<former.written
      ) { former.read(from: $0, to: $1, frames: $2) }
      if reader.output.isSilent(frames: part) {
        rest(frames: part)
      } else {
        write(reader.output, frames: part)
      }
      done += part
    }
  }
}
