/// Aligns attacks after a pause with the reported latency.
extension LiveWarp {
  /// During silence, moves the reader to where the next sound will meet the reported latency.
  ///
  /// In silence the reader stays where it would have to be if a sound started now. From low-level
  /// noise it moves with a crossfade once a sound has started.
  @_noLocks
  mutating func awaitAttack(
    _ step: WarpStep, now: Int64, isOnset: Bool, bank: borrowing SincBank
  ) {
    (isInSilence, isInQuiet) = (false, false)
    guard
      step.rate == WarpStep.unity && step.pitch == step.nextPitch && step.pitch != 1
        && !reader.isPlain
    else { return }
    let table = bank.table(forSpeed: step.pitch)
    var reach = max(bank.reach(ofTable: table), bank.reach(ofTable: reader.table))
    if fadeLeft > 0 { reach = max(reach, bank.reach(ofTable: leaving.table)) }
    let delay = delay(pitch: step.pitch, bank: bank)
    if isWithin(silence, reach: reach) {
      reader.position = place(
        in: silence, speed: step.pitch, delay: delay, reach: reach, now: now)
      reader.table = table
      fadeLeft = 0
      isInSilence = !silence.hasEnded
      choice.release()
      putOff(step, whenHeard: silence, delay: delay, bank: bank)
    } else if !quiet.hasEnded {
      // As long as no jump needs to lead back to the sound before.
      let way = 2 &* Int(max(0, step.pitch - 1) * Float(fade &+ 1)) &+ choice.leastLagOfNoise
      isInQuiet =
        isWithin(quiet, reach: reach)
        && (reader.position >> 32) &- quiet.start > Int64(way &+ 3 &* choice.leastLag)
    } else if isOnset && isWithin(quiet, reach: reach &+ Int(step.pitch * Float(quickFade)) &+ 1) {
      let position = place(in: quiet, speed: step.pitch, delay: delay, reach: reach, now: now)
      // Of two readers the quieter one is dropped: at most half of a barely audible signal.
      if fadeLeft > fadeLength / 2 { reader = leaving }
      begin(
        Reader(position: position, table: table, isPlain: false), likeness: 0, length: .quick)
      choice.release()
      putOff(step, whenHeard: quiet, delay: delay, bank: bank)
    }
  }

  /// Whether all samples that are read, `reach` frames around, lie in a pause.
  @_noLocks
  private func isWithin(_ pause: PauseWatch, reach: Int) -> Bool {
    let first = (pause.start &+ Int64(reach)) << 32
    let last = (pause.end &- Int64(reach) &- 1) << 32
    return reader.position &- first >= 0 && last &- reader.position >= 0
      && (fadeLeft <= 0 || leaving.position &- first >= 0 && last &- leaving.position >= 0)
  }

  /// Returns the position in a pause from which the sound after it meets the reported latency, or
  /// the nearest one from which nothing else is audible.
  @_noLocks
  private func place(
    in pause: PauseWatch, speed: Float, delay: Int, reach: Int, now: Int64
  ) -> Int64 {
    let speed = Int64(Double(speed) * 4_294_967_296)
    let attack = pause.hasEnded ? pause.attack : now
    let place = attack << 32 &- speed &* (attack &+ Int64(delay) &- now)
    let first = (pause.start &+ Int64(reach)) << 32
    let last = (pause.end &- Int64(reach) &- 1) << 32
    return place &- first < 0 ? first : last &- place < 0 ? last : place
  }

  /// Postpones the next jump back, if it would come so soon that the sound after the pause starts
  /// twice.
  @_noLocks
  private mutating func putOff(
    _ step: WarpStep, whenHeard pause: PauseWatch, delay: Int, bank: borrowing SincBank
  ) {
    let approach = step.pitch - 1
    let reach = bank.reach(ofTable: reader.table) &+ 2
    let room = delay &- reach &- Int(approach * Float(fade &+ 1)) &- 1
    attack = pause.attack
    isPutOff =
      pause.hasEnded && Float(room) * step.pitch < Float(2 &* choice.leastLag) * approach
  }
}
