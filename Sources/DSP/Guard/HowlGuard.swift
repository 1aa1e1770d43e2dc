internal import CRealtime

/// A feedback (Larsen effect) suppressor: finds acoustic feedback loops and cuts them with narrow
/// notches, without latency.
///
/// A howl is a steady tone that stands out of the spectrum and doesn't decay, but so are many
/// musical tones. Published criteria (T. van Waterschoot and M. Moonen, "Fifty years of acoustic
/// feedback control", 2011) look at harmonics, growth and duration. This one probes the tone: a
/// filter at its frequency modulates the phase by half a radian, inaudibly and at constant level.
/// Only a tone in a feedback loop responds: its frequency follows the pattern, whether it is
/// growing or at its limit. An instrument's doesn't.
///
/// Tones are detected in the input before the notches. The analysis is divided into sixteen slices
/// per hop of a quarter window, so the cost per block stays even and the result doesn't depend on
/// the block size. Audio thread only.
package struct HowlGuard: ~Copyable, @unchecked Sendable {
  /// The maximum number of notches.
  package static var mostNotches: Int { @_noLocks get { 8 } }

  /// An active notch.
  package struct Notch: BitwiseCopyable, Sendable {
    /// The center frequency, in Hz; 0 if there is no notch.
    package var hertz: Float
    /// The gain at the center, in dB.
    package var decibels: Float
  }

  private static var mostTracks: Int { @_noLocks get { 16 } }
  private static var mostProbes: Int { @_noLocks get { 4 } }
  private static var slices: Int { @_noLocks get { 16 } }
  // Notch slots: more than `mostNotches`, because some are probing and some are fading out.
  private static var places: Int { @_noLocks get { 16 } }
  // The widest span of two howls that may share a notch when none is free, in octaves.
  private static var sharing: Float { @_noLocks get { 0.5 } }
  // Louder input is no microphone signal and could make the filters overflow.
  private static var loudest: Float { @_noLocks get { 1e6 } }
  // How far below the strongest tone a tone may be to be probed, in dB.
  private static var depth: Float { @_noLocks get { 6 } }
  // The largest jump of a track between hops, and the smallest distance of two probes, in bins.
  private static var reach: Float { @_noLocks get { 0.5 } }
  private static var distance: Float { @_noLocks get { 6 } }
  // The margin that a notch is sure to have removed, relative to its frequency: the inner quarter
  // of its width of a tenth of an octave.
  private static var width: Float { @_noLocks get { 0.0087 } }
  // A howl must have dropped by this many dB after this many hops of cutting.
  private static var watchHops: Int32 { @_noLocks get { 24 } }
  private static var watchFall: Float { @_noLocks get { 3 } }

  private let anchor = Anchor()
  private let buffers = Buffers()
  private var spectrum: HowlSpectrum
  private let pattern = HowlPattern()
  private let notches: UnsafeMutablePointer<HowlNotch>
  private let tracks: UnsafeMutablePointer<HowlTrack>
  private let probes: UnsafeMutablePointer<HowlProbe>
  private let phases: UnsafeMutablePointer<Float>
  private let sliceFrames: Int
  private let hopSeconds: Float
  private let rate: Float

  private var isOn = false
  private var holdHops: Int32 = 0
  private var slice = 0
  private var framesToGo: Int
  private var restedFrames = 0
  // One bit per slot whose notch alters the signal.
  private var awake: UInt16 = 0
  private var isChanged = false
  /// The number of probes started so far.
  package private(set) var probeCount = 0

  /// Creates a guard that is off, for sample rates from 8 to 192 kHz.
  package init(sampleRate: Double) {
    spectrum = HowlSpectrum(sampleRate: sampleRate)
    rate = Float(sampleRate)
    sliceFrames = spectrum.hop / Self.slices
    framesToGo = sliceFrames
    hopSeconds = Float(spectrum.hop) / Float(sampleRate)
    notches = buffers.filled(with: HowlNotch(sampleRate: Float(sampleRate)), count: Self.places)
    tracks = buffers.filled(with: HowlTrack(), count: Self.mostTracks)
    probes = buffers.filled(with: HowlProbe(), count: Self.mostProbes)
    phases = buffers.floats(Self.mostProbes * 32)
  }

  /// Turns the guard on or off.
  ///
  /// Turning it off removes all notches.
  @_noLocks
  package mutating func setOn(_ isOn: Bool) {
    if isOn == self.isOn { return }
    self.isOn = isOn
    if !isOn {
      letGo()
      spectrum.clear()
    }
  }

  /// Sets the lifetime of a notch, in seconds; 0 keeps it forever.
  @_noLocks
  package mutating func setHold(seconds: Float) {
    holdHops = seconds > 0 ? max(1, Int32(min(seconds / hopSeconds, 1e8))) : 0
    for index in 0..<Self.places where notches[index].isCutting {
      notches[index].hopsLeft = holdHops
    }
  }

  /// Removes all notches.
  @_noLocks
  package mutating func clear() { letGo() }

  @_noLocks
  private mutating func letGo() {
    for index in 0..<Self.mostProbes { probes[index].isUsed = false }
    for index in 0..<Self.mostTracks { tracks[index] = HowlTrack() }
    for index in 0..<Self.places where notches[index].isAwake {
      notches[index].leave(slowly: false)
    }
    isChanged = true
  }

  /// Whether the guard has anything to process.
  package var isActive: Bool {
    @_noLocks get { isOn || awake != 0 }
  }

  /// Whether no notch alters the signal.
  package var isResting: Bool {
    @_noLocks get { awake == 0 }
  }

  /// Returns whether the set of notches has changed since the last call.
  @_noLocks
  package mutating func takeChange() -> Bool {
    defer { isChanged = false }
    return isChanged
  }

  /// Returns one of the active notches, unordered; at most `mostNotches` exist.
  @_noLocks
  package func notch(_ index: Int) -> Notch {
    var left = index
    for place in 0..<Self.places where notches[place].isCutting {
      if left == 0 {
        return Notch(hertz: notches[place].hertz, decibels: notches[place].decibels)
      }
      left &-= 1
    }
    return Notch(hertz: 0, decibels: 0)
  }

  @_noLocks
  private func cuttingCount() -> Int {
    var count = 0
    for place in 0..<Self.places where notches[place].isCutting { count &+= 1 }
    return count
  }

  // MARK: - Sound

  /// Processes a block in place.
  ///
  /// `peak` is the greatest magnitude of both channels.
  @_noLocks
  package mutating func process(_ sound: Stereo, peak: Float, frames: Int) {
    guard peak < Self.loudest else {
      rest(frames: frames)
      return
    }
    var done = 0
    while done < frames {
      let run = min(frames &- done, framesToGo)
      let piece = sound.advanced(by: done)
      if isOn { spectrum.write(piece, frames: run) }
      if awake != 0 { filter(piece, frames: run) }
      done &+= run
      framesToGo &-= run
      if framesToGo == 0 {
        framesToGo = sliceFrames
        restNotches()
        if isOn { work() }
        slice = (slice &+ 1) % Self.slices
      }
    }
  }

  /// Advances by `frames` frames of silence.
  @_noLocks
  package mutating func rest(frames: Int) {
    if isOn {
      spectrum.clear()
      endProbes()
      for index in 0..<Self.mostTracks where tracks[index].isUsed { tracks[index] = HowlTrack() }
    }
    if awake == 0 { return }
    restedFrames &+= frames
    let hops = restedFrames / spectrum.hop
    restedFrames &-= hops &* spectrum.hop
    for index in 0..<Self.places where isAwake(index) {
      notches[index].forget()
      if hops > 0 { age(index, hops: Int32(min(hops, 1_000_000_000))) }
      notches[index].settle()
      followAwake(index)
    }
  }

  @_noLocks
  private mutating func filter(_ sound: Stereo, frames: Int) {
    for index in 0..<Self.places where isAwake(index) {
      notches[index].process(sound, frames: frames)
    }
  }

  /// Finishes notch fades, always at the end of a slice, independent of the block size.
  @_noLocks
  private mutating func restNotches() {
    if awake == 0 { return }
    for index in 0..<Self.places where isAwake(index) {
      notches[index].rest()
      followAwake(index)
    }
  }

  @_noLocks
  private func isAwake(_ index: Int) -> Bool {
    awake & (1 &<< UInt16(truncatingIfNeeded: index)) != 0
  }

  @_noLocks
  private mutating func followAwake(_ index: Int) {
    let bit: UInt16 = 1 &<< UInt16(truncatingIfNeeded: index)
    awake = notches[index].isAwake ? awake | bit : awake & ~bit
  }

  // MARK: - Work

  @_noLocks
  private mutating func work() {
    switch slice {
    case 0, 1: spectrum.cut(half: slice)
    case 2, 3, 4, 5: spectrum.transform(quarter: slice &- 2)
    case 6, 7: spectrum.measure(half: slice &- 6)
    case 8, 9: spectrum.findPeaks(half: slice &- 8)
    case 10:
      spectrum.placePeaks()
      follow()
    case 11: suspect()
    default: ask(slice &- 12)
    }
    if slice == 15 { hold() }
  }

  /// Assigns the detected peaks to tracks.
  @_noLocks
  private func follow() {
    for index in 0..<Self.mostTracks { tracks[index].expect() }
    for number in 0..<spectrum.peakCount {
      let peak = spectrum.peaks[number]
      var nearest = -1
      var empty = -1
      var least = Self.reach
      for index in 0..<Self.mostTracks {
        if !tracks[index].isUsed {
          if empty < 0 { empty = index }
        } else if !tracks[index].isPresent && abs(tracks[index].place - peak.place) < least {
          least = abs(tracks[index].place - peak.place)
          nearest = index
        }
      }
      if nearest >= 0 {
        tracks[nearest].hit(peak)
      } else if empty >= 0 {
        tracks[empty].begin(peak)
      }
    }
    for index in 0..<Self.mostTracks where tracks[index].isUsed {
      if isDouble(index) { tracks[index].isUsed = false }
      tracks[index].endHop()
    }
  }

  /// Whether a track that missed a hop is shadowed by a nearby track that didn't.
  ///
  /// Otherwise both would be hit alternately and neither would be steady.
  @_noLocks
  private func isDouble(_ index: Int) -> Bool {
    guard !tracks[index].isPresent && tracks[index].probe < 0 else { return false }
    for other in 0..<Self.mostTracks where tracks[other].isUsed && tracks[other].isPresent {
      if abs(tracks[other].place - tracks[index].place) < Self.reach { return true }
    }
    return false
  }

  /// Starts probing the tones that may be howls.
  @_noLocks
  private mutating func suspect() {
    guard spectrum.peakCount > 0 else { return }
    let least = spectrum.peaks[0].level - Self.depth
    for index in 0..<Self.mostTracks where tracks[index].isSuspect(from: least) {
      guard let probe = freeProbe(), let notch = freeNotch() else { return }
      let place = tracks[index].meanPlace
      if isTaken(place) || !hasRoom(for: place * spectrum.binHertz) { continue }
      begin(probe: probe, track: index, notch: notch, place: place)
    }
  }

  /// Whether a position is already being probed, or is well inside a notch.
  @_noLocks
  private func isTaken(_ place: Float) -> Bool {
    for index in 0..<Self.mostProbes where probes[index].isUsed {
      if abs(tracks[Int(probes[index].track)].place - place) < Self.distance { return true }
    }
    let hertz = place * spectrum.binHertz
    for index in 0..<Self.places where notches[index].isCutting {
      let margin = Self.width * hertz
      if hertz > notches[index].lowest - margin && hertz < notches[index].highest + margin {
        return true
      }
    }
    return false
  }

  @_noLocks
  private func freeProbe() -> Int? {
    for index in 0..<Self.mostProbes where !probes[index].isUsed { return index }
    return nil
  }

  @_noLocks
  private func freeNotch() -> Int? {
    for index in 0..<Self.places where notches[index].isFree { return index }
    return nil
  }

  @_noLocks
  private mutating func begin(probe: Int, track: Int, notch: Int, place: Float) {
    notches[notch].probe(hertz: place * spectrum.binHertz)
    followAwake(notch)
    let bin = Int(place + 0.5)
    probes[probe].begin(
      track: Int32(truncatingIfNeeded: track), notch: Int32(truncatingIfNeeded: notch),
      bin: Int32(truncatingIfNeeded: bin), isRight: spectrum.isRight(bin),
      wavering: tracks[track].wavering)
    tracks[track].probe = Int32(truncatingIfNeeded: probe)
    probeCount &+= 1
  }

  /// Advances a probe by one hop.
  @_noLocks
  private mutating func ask(_ index: Int) {
    guard probes[index].isUsed else { return }
    let track = Int(probes[index].track)
    let notch = Int(probes[index].notch)
    let phases = self.phases + 32 &* index
    probes[index].hear(spectrum, phases: phases)
    let verdict = probes[index].judge(
      pattern, phases: phases, hopSeconds: hopSeconds, before: tracks[track].hint)
    switch verdict {
    case .open:
      notches[notch].turn(by: probes[index].turn)
      return
    case .howl:
      take(notch, level: probes[index].level)
    case .nearly, .other:
      notches[notch].leave(slowly: false)
    }
    var isNear = false
    if case .nearly = verdict { isNear = true }
    // A near miss may be probed again at once.
    tracks[track].hint = isNear ? probes[index].hint : HowlProbe.Hint()
    tracks[track].rest(at: probes[index].level, isShort: isNear)
    tracks[track].probe = -1
    probes[index].isUsed = false
  }

  /// Cuts a howl with the notch that has probed it.
  ///
  /// If all notches are in use, two neighbors are merged.
  @_noLocks
  private mutating func take(_ notch: Int, level: Float) {
    if cuttingCount() < Self.mostNotches {
      notches[notch].cut(from: level)
      notches[notch].hopsLeft = holdHops
      isChanged = true
      return
    }
    guard let both = nearest(with: notch), let place = freeNotch() else {
      notches[notch].leave(slowly: false)
      return
    }
    notches[place].share(
      lowest: min(notches[both.first].lowest, notches[both.second].lowest),
      highest: max(notches[both.first].highest, notches[both.second].highest))
    notches[place].hopsLeft = holdHops
    // A merged notch isn't verified: its howls are off its center.
    notches[place].hopsOn = Self.watchHops
    followAwake(place)
    if both.first != notch && both.second != notch {
      notches[notch].cut(from: level)
      notches[notch].hopsLeft = holdHops
    }
    notches[both.first].leave(slowly: false)
    notches[both.second].leave(slowly: false)
    isChanged = true
  }

  /// Returns the pair of notches with the fewest octaves between them, including the one that is
  /// probing, or nil if all pairs are too far apart.
  @_noLocks
  private func nearest(with probing: Int) -> (first: Int, second: Int)? {
    var least = Self.sharing
    var found: (first: Int, second: Int)?
    for first in 0..<Self.places where notches[first].isCutting || first == probing {
      for second in 0..<first where notches[second].isCutting || second == probing {
        let apart = HowlNotch.octaves(
          min(notches[first].lowest, notches[second].lowest),
          max(notches[first].highest, notches[second].highest))
        if apart < least {
          least = apart
          found = (first, second)
        }
      }
    }
    return found
  }

  /// Whether a howl at a frequency in Hz could get a notch.
  @_noLocks
  private func hasRoom(for hertz: Float) -> Bool {
    if cuttingCount() < Self.mostNotches { return true }
    for first in 0..<Self.places where notches[first].isCutting {
      let low = notches[first].lowest
      let high = notches[first].highest
      if HowlNotch.octaves(min(low, hertz), max(high, hertz)) < Self.sharing { return true }
      for second in 0..<first where notches[second].isCutting {
        let apart = HowlNotch.octaves(
          min(low, notches[second].lowest), max(high, notches[second].highest))
        if apart < Self.sharing { return true }
      }
    }
    return false
  }

  @_noLocks
  private mutating func endProbes() {
    for index in 0..<Self.mostProbes where probes[index].isUsed {
      probes[index].isUsed = false
      tracks[Int(probes[index].track)].probe = -1
      notches[Int(probes[index].notch)].leave(slowly: false)
    }
  }

  /// Ages the notches by one hop.
  @_noLocks
  private mutating func hold() {
    for index in 0..<Self.places where notches[index].isCutting {
      notches[index].hopsOn = min(notches[index].hopsOn &+ 1, 1000)
      if notches[index].hopsOn == Self.watchHops && !hasFallen(index) {
        // The cut had no effect, so it wasn't a howl.
        notches[index].leave(slowly: false)
        isChanged = true
      } else {
        age(index, hops: 1)
      }
    }
  }

  /// Whether the level at a notch's frequency has dropped since it started cutting.
  @_noLocks
  private func hasFallen(_ index: Int) -> Bool {
    let bin = Int(notches[index].hertz / spectrum.binHertz + 0.5)
    let level = max(
      spectrum.level(bin), max(spectrum.level(bin &- 1), spectrum.level(bin &+ 1)))
    return level < notches[index].levelBefore - Self.watchFall
  }

  @_noLocks
  private mutating func age(_ index: Int, hops: Int32) {
    guard notches[index].isCutting && notches[index].hopsLeft > 0 else { return }
    notches[index].hopsLeft = max(0, notches[index].hopsLeft &- hops)
    if notches[index].hopsLeft == 0 {
      notches[index].leave(slowly: true)
      isChanged = true
    }
  }
}
