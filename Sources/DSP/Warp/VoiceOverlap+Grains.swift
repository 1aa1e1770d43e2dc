internal import CRealtime

/// The grains of the voice engine: scheduling, shape and end.
extension VoiceOverlap {
  /// Starts the first grain: the unmodified signal, without a rise.
  @_noLocks
  mutating func begin(at place: Int64) {
    isFresh = false
    let apart = Int64(marks.gap) << 32
    marks.restart(
      at: VoiceMark(
        place: place &- lag, span: apart, period: apart, isVoiced: false, clarity: 0))
    untilNext = 0
    add(mark: marks.newest, speed: WarpStep.unity, table: 0, gain: 1, rise: 0)
    untilNext = apart
    nextRise = apart
  }

  /// Chooses and schedules the next grain.
  @_noLocks
  mutating func plan(
    _ tape: borrowing Tape, _ step: WarpStep, _ pitch: VoicePitch, _ bank: borrowing SincBank,
    place: Int64
  ) {
    let end = place >> 32
    let target = due(place, step.rate)
    let previous = grains[latest]
    if abs(marks[marks.newest].place &- target) > Int64(8 &* delayFrames) << 32 { hasLeapt = true }
    if hasLeapt { rejoin(tape, pitch.mono, place: place, target: target, previous: previous) }

    var tries = 0
    while tries < 24 {
      let newest = marks[marks.newest]
      if newest.place >= target &+ newest.period / 2 { break }
      if !marks.extend(tape, upTo: end, toward: target, by: pitch) { break }
      tries &+= 1
    }
    let formant = ratio(step.formant)
    let speed = speedOf(formant)
    let table = bank.table(forSpeed: formant)
    let reach = Int64(bank.reach(ofTable: table) &+ 2) << 32
    var pick = marks.has(previous.mark) ? previous.mark : marks.first
    while marks.has(pick &+ 1) {
      let next = marks[pick &+ 1]
      if abs(next.place &- target) > abs(marks[pick].place &- target) { break }
      if next.isVoiced
        && next.place > latestPlace(place, step.rate, speed: speed, reach: reach, next.period)
      {
        break
      }
      pick &+= 1
    }
    let mark = marks[pick]
    // If the next mark can't be known yet, the signal is better left unshifted.
    let isLate = step.rate == WarpStep.unity && target &- mark.place > mark.period / 4 &* 3
    let isEarly =
      mark.place > latestPlace(place, step.rate, speed: speed, reach: reach, mark.period)
    if !mark.isVoiced || isLate || isEarly {
      planUnvoiced(tape, step, pitch.mono, place: place, mark: pick, previous: previous)
      return
    }

    let shift = ratio(step.pitch)
    let isAtRest = step.rate == WarpStep.unity && lag == leastLag
    let spacing = VoicePlaces.quotient(mark.period, speedOf(shift))
    var rise = riseOf(mark.period, speed: speed)
    if previous.isVoiced {
      // Keeps the waveform's phase continuous, whatever the marks' offsets.
      let moved = VoicePlaces.quotient(mark.moved &- previous.moved, speed)
      untilNext = spacing &+ moved &- sinceLatest
      if shift == 1 && isAtRest && pick != previous.mark {
        // Slowly removes the offset that the marks acquired while the pitch was shifted.
        let error = due(place, step.rate) &- mark.place
        let most = mark.period / 256
        untilNext &-= max(-most, min(most, error))
      }
    } else {
      if isAtRest { untilNext = mark.place &+ lag &- place }
      rise = mark.span
    }
    untilNext = max(untilNext, 1 << 32)
    rise = min(rise, untilNext &+ 0xFFFF_FFFF)
    let isNeighbor =
      speed == WarpStep.unity && pick == previous.mark &+ 1
      && abs(untilNext &+ sinceLatest &- mark.span) < 1 << 32
    if !previous.isVoiced || isNeighbor {
      rise = min(rise, untilNext &+ sinceLatest)
      yieldLatest(rise: rise, likeness: 1)
    }
    let gain = min(2, rt_square_root(formant / shift))
    add(mark: pick, speed: speed, table: table, gain: gain, rise: rise)
    if shift != 1 || speed != WarpStep.unity {
      completeLatest(
        tape, mark: mark, upTo: end, ratio: shift / formant, spacing: spacing, gain: gain)
    }
    untilNext &+= spacing
    // Slightly early, in case the next period is longer.
    nextRise = riseOf(mark.period, speed: speed) &+ mark.period / 16
  }

  /// Adds the correction of the lowest partials to the latest grain.
  @_noLocks
  private mutating func completeLatest(
    _ tape: borrowing Tape, mark: VoiceMark, upTo end: Int64, ratio: Float, spacing: Int64,
    gain: Float
  ) {
    let period = mark.period
    guard period > 4 << 32 else { return }
    // Grains of low voices start later, and don't have the spectrum of two full periods.
    let speed = grains[latest].speed
    let whole = Double(VoicePlaces.quotient(period, speed))
    let wholeness = 4 * Float(Double(riseOf(period, speed: speed)) / whole) - 3
    // A signal that hardly correlates with the period before has no distinct partials.
    let clearness = (mark.clarity - 0.8) / 0.15
    let share = min(1, min(wholeness, clearness))
    // Usually the period after the mark isn't on the tape yet; the same phase of an earlier one
    // serves as well.
    let missing = max(0, mark.place &+ period &+ 1 << 32 &- end << 32)
    let place = mark.place &- (missing &+ period &- 1) / period &* period
    // Near the Nyquist frequency the balance of partials is inaudible.
    guard share > 0, 2 * ratio + 2 < 0.45 * Float(Double(period) / VoicePlaces.unit),
      spectrum.take(tape, around: place, period: period)
    else { return }
    grains[latest].partials.find(
      in: spectrum, spacing: spacing, ratio: ratio, gain: gain, share: share)
  }

  /// Schedules an unvoiced grain at its original position, or near it where the signal correlates
  /// with the previous grain.
  @_noLocks
  private mutating func planUnvoiced(
    _ tape: borrowing Tape, _ step: WarpStep, _ mono: VoiceMono, place: Int64, mark: Int,
    previous: VoiceGrain
  ) {
    let isSteady = step.rate == WarpStep.unity
    let apart = Int64(isSteady ? marks.gap : marks.wideGap) << 32
    var rise = apart
    let isFalling = sinceLatest >= previous.fallBegin
    if isFalling {
      // A voice ends: its last grain is already falling.
      rise = min(rise, previous.fallEnd &- previous.fallBegin)
      untilNext = max(previous.fallEnd &- sinceLatest, rise)
      rise = isSteady ? max(rise, min(untilNext, previous.fallEnd &- previous.fallBegin)) : rise
    } else {
      untilNext = max(previous.period &- sinceLatest, apart / 4)
      rise = min(rise, min(untilNext, untilNext &+ sinceLatest))
    }
    if isSteady { forgetLag() }
    var target = due(place, step.rate)
    var likeness: Float = 1
    if !isSteady {
      let radius = marks.wideGap / 2
      let behind = Int(rise >> 32)
      let latestEnd = min(
        place, latestPlace(place, step.rate, speed: WarpStep.unity, reach: 20 << 32, apart))
      target = min(target, latestEnd &- Int64(radius &+ 2) << 32)
      let continued = marks[previous.mark].place &+ untilNext &+ sinceLatest
      // Only samples that are already in the delay buffer can be correlated.
      let over = max(0, continued &- place)
      let found = marks.align(
        tape, mono: mono, from: continued &- over, to: target &- over, radius: radius,
        behind: behind, ahead: 0)
      target = found.place &+ over
      likeness = found.clarity
    }
    var number = mark
    if marks[mark].place != target || mark == previous.mark {
      marks.restart(
        at: VoiceMark(place: target, span: apart, period: apart, isVoiced: false, clarity: 0))
      number = marks.newest
    }
    yieldLatest(rise: rise, likeness: likeness)
    add(mark: number, speed: WarpStep.unity, table: 0, gain: 1, rise: rise)
    grains[latest].likenessBefore = likeness
    untilNext &+= apart
    nextRise = apart
  }

  /// Starts a new chain of marks after a leap, at the same phase of the waveform as the last grain.
  @_noLocks
  private mutating func rejoin(
    _ tape: borrowing Tape, _ mono: VoiceMono, place: Int64, target: Int64, previous: VoiceGrain
  ) {
    hasLeapt = false
    let apart = Int64(marks.gap) << 32
    var mark = VoiceMark(place: target, span: apart, period: apart, isVoiced: false, clarity: 0)
    if previous.isVoiced {
      let frames = Int(previous.period >> 32)
      let radius = frames / 2 &+ 2
      let around = min(target, place &- Int64(radius &+ 2) << 32)
      let ahead = min(frames / 2, Int((place &- around) >> 32) &- radius &- 2)
      let found = marks.align(
        tape, mono: mono, from: marks[previous.mark].place, to: around, radius: radius,
        behind: frames &- ahead, ahead: ahead)
      if found.clarity > 0.5 {
        mark = VoiceMark(
          place: found.place, span: previous.period, period: previous.period, isVoiced: true,
          clarity: found.clarity)
        mark.moved = marks[previous.mark].moved
      }
    }
    marks.restart(at: mark)
  }

  /// Schedules a grain with its center at the next due time.
  @_noLocks
  private mutating func add(mark: Int, speed: Int64, table: Int, gain: Float, rise: Int64) {
    // The pool is larger than the number of concurrent grains; if it were full, the oldest would be
    // replaced.
    var slot = 0
    for index in 0..<Self.mostGrains {
      if !grains[index].isActive {
        slot = index
        break
      }
      if grains[index].position > grains[slot].position { slot = index }
    }
    var grain = VoiceGrain()
    grain.isActive = true
    grain.mark = mark
    grain.isVoiced = marks[mark].isVoiced
    grain.period = marks[mark].period
    grain.moved = marks[mark].moved
    grain.speed = speed
    grain.table = table
    grain.position = -untilNext
    grain.source = marks[mark].place &- VoicePlaces.product(untilNext, speed)
    grain.rise = rise
    grain.gain = gain
    // Its partials rise while those of the grain before fall.
    let distance = untilNext &+ sinceLatest
    let rising = max(1, min(rise, distance))
    grain.partials.begin(rise: rising)
    grains[latest].partials.end(distance, fall: rising)
    grains[slot] = grain
    latest = slot
    sinceLatest = -untilNext
  }

  /// Sets the latest grain to fall while the next one rises.
  @_noLocks
  private mutating func yieldLatest(rise: Int64, likeness: Float) {
    if !grains[latest].isActive || sinceLatest > grains[latest].fallBegin { return }
    let distance = untilNext &+ sinceLatest
    grains[latest].likenessBehind = likeness
    setFall(ofGrain: latest, begin: distance &- rise, end: max(1, distance))
  }

  @_noLocks
  private mutating func setFall(ofGrain index: Int, begin: Int64, end: Int64) {
    let within = min(end, grains[index].limit)
    var fallBegin = max(0, begin &- (end &- within))
    // A limited grain may have to fall before its center.
    if within < end { fallBegin = min(fallBegin, min(grains[index].fallBegin, within &- 1)) }
    grains[index].isSettled = true
    grains[index].fallEnd = within
    grains[index].fallBegin = fallBegin
  }

  /// Determines the fall of the grains that have reached their centers.
  @_noLocks
  mutating func settle(
    _ tape: borrowing Tape, _ step: WarpStep, _ pitch: VoicePitch, place: Int64
  ) {
    for index in 0..<Self.mostGrains {
      let grain = grains[index]
      if !grain.isActive || !grain.isVoiced || grain.isSettled || grain.position < 0 { continue }
      var period = grain.period
      let next = grain.mark &+ 1
      if !grain.isOld && marks.has(grain.mark) {
        if !marks.has(next) {
          _ = marks.extend(tape, upTo: place >> 32, toward: marks[grain.mark].place, by: pitch)
        }
        if marks.has(next) && marks[next].isVoiced { period = marks[next].period }
      }
      fallAfter(period, grain: index)
      if !grain.isOld { holdBack(grain: index, place: place, rate: step.rate) }
    }
  }

  /// Returns the number of frames until the next grain center that needs `settle`.
  @_noLocks
  func framesToSettle() -> Int {
    var nearest = Int.max
    for index in 0..<Self.mostGrains {
      let grain = grains[index]
      if !grain.isActive || !grain.isVoiced || grain.isSettled { continue }
      nearest = min(nearest, Int((0 &- grain.position &+ 0xFFFF_FFFF) >> 32))
    }
    return nearest
  }

  @_noLocks
  private mutating func fallAfter(_ period: Int64, grain index: Int) {
    let speed = grains[index].speed
    let whole = VoicePlaces.quotient(period, speed)
    let end = min(whole, 2 &* period)
    setFall(ofGrain: index, begin: end &- riseOf(period, speed: speed), end: end)
  }

  /// Limits a grain so that it doesn't read past the position at its start or end.
  @_noLocks
  private mutating func holdBack(grain index: Int, place: Int64, rate: Int64) {
    let grain = grains[index]
    // The longest interpolator reads 64 frames ahead.
    let reach = Int64(grain.speed > WarpStep.unity ? 66 : 18) << 32
    let spare = place &- reach &- grain.source
    if grain.speed <= rate {
      if spare >= 0 || grain.position >= -grain.rise { return }
      // The grain would start too early.
      let wait =
        grain.speed == rate ? Int64.max / 4 : VoicePlaces.quotient(-spare, rate &- grain.speed)
      let begin = grain.position &+ wait &+ 1 << 32
      if begin > 0 { grains[index].isActive = false }
      grains[index].rise = min(grain.rise, -begin)
      return
    }
    let left = VoicePlaces.quotient(max(0, spare), grain.speed &- rate)
    let end = grain.position &+ left
    grains[index].limit = min(grain.limit, end)
    if end >= grain.fallEnd { return }
    let slope = grain.isSettled ? grain.fallEnd &- grain.fallBegin : grain.rise
    grains[index].fallEnd = end
    grains[index].fallBegin = max(min(grain.position, end &- 1), end &- slope)
  }

  /// Limits all grains when the rate changes.
  @_noLocks
  mutating func holdBack(place: Int64, rate: Int64) {
    for index in 0..<Self.mostGrains where grains[index].isActive && !grains[index].isOld {
      holdBack(grain: index, place: place, rate: rate)
    }
  }

  /// Lets active grains end on their own after a leap, without reading further than before.
  @_noLocks
  mutating func leap(from place: Int64) {
    for index in 0..<Self.mostGrains where grains[index].isActive && !grains[index].isOld {
      if grains[index].isVoiced && !grains[index].isSettled && grains[index].position >= 0 {
        fallAfter(grains[index].period, grain: index)
      }
      holdBack(grain: index, place: place, rate: 0)
      grains[index].isOld = true
    }
    hasLeapt = true
  }

  // MARK: - Positions

  /// Returns the tape position due at the center of the next grain.
  @_noLocks
  private func due(_ place: Int64, _ rate: Int64) -> Int64 {
    place &+ VoicePlaces.product(untilNext, rate) &- lag(after: untilNext)
  }

  /// Returns the latest center of a grain that never reads past the position of its frames.
  @_noLocks
  private func latestPlace(
    _ place: Int64, _ rate: Int64, speed: Int64, reach: Int64, _ period: Int64
  ) -> Int64 {
    let rise = min(riseOf(period, speed: speed), untilNext)
    let atStart =
      place &+ VoicePlaces.product(untilNext &- rise, rate) &+ VoicePlaces.product(rise, speed)
    // After its center a grain needs at least half a period.
    let atMiddle = place &+ VoicePlaces.product(untilNext, rate)
    let lead = speed > rate ? VoicePlaces.product(period / 2, speed &- rate) : 0
    return min(atStart, atMiddle &- lead) &- reach
  }

  /// Returns the rise of a grain in frames, as long as marks are known in time.
  @_noLocks
  private func riseOf(_ period: Int64, speed: Int64) -> Int64 {
    let most = Int64(delayFrames &- 8) << 32 &- period / 4 &* 3
    let whole = VoicePlaces.quotient(period, speed)
    return max(period / 8, min(whole, most))
  }

  /// Clamps a ratio to 0.25...4; NaN becomes 0.25.
  @_noLocks
  private func ratio(_ value: Float) -> Float {
    value > 0.25 ? min(value, 4) : 0.25
  }

  @_noLocks
  private func speedOf(_ ratio: Float) -> Int64 {
    ratio == 1 ? WarpStep.unity : VoicePlaces.of(Double(ratio))
  }
}
