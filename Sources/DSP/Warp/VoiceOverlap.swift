internal import CRealtime

/// The pitch shifter for a single voice whose pitch is known: formants stay in place or shift independently.
///
/// Pitch-synchronous overlap-add (PSOLA), after Eric Moulines and Francis Charpentier,
/// "Pitch-Synchronous Waveform Processing Techniques for Text-to-Speech Synthesis Using Diphones"
/// (1990). The signal is cut into grains of two periods around pitch marks, one per period, and
/// reassembled with a different spacing. In unvoiced parts the grains keep their positions, so
/// consonants, clicks and noise are neither shifted nor smeared. At neutral settings the output is
/// the delayed input.
///
/// The latency is the same at every pitch. A grain starts one period before its center, its mark
/// may be half a period from the target, and finding the mark needs a quarter of a period after it:
/// 1.75 periods, or 20 ms at 88 Hz. Grains of lower voices start less than a period before their
/// centers.
///
/// At rates above 1 the tape position moves faster than the sound, and is further away one period
/// before the center of a grain. There the output lags by that much more.
///
/// The tape must have a reach of at least 256 frames.
struct VoiceOverlap: ~Copyable, @unchecked Sendable {
  private let buffers = Buffers()
  /// The latency, in seconds.
  static var delaySeconds: Double { 0.020 }
  static var mostGrains: Int { @_noLocks get { 16 } }

  let delayFrames: Int
  var marks: VoiceMarks
  var spectrum: VoiceSpectrum
  let grains: UnsafeMutablePointer<VoiceGrain>
  private let scratch: UnsafeMutablePointer<Float>
  // The weights of each grain's filter, and an impulse.
  private let filters: UnsafeMutablePointer<Float>

  var isFresh = true
  var hasLeapt = false
  private var lastRate: Int64 = 0
  private var lastPlace: Int64 = 0
  // The lag of the output behind the position, and its target, in frames of tape, 32.32
  // fixed-point.
  private(set) var lag: Int64
  private var wantedLag: Int64
  // The latest grain, the time since its center, and the time until the next grain's center.
  var latest = 0
  var sinceLatest: Int64 = 0
  var untilNext: Int64 = 0
  var nextRise: Int64 = 0

  /// Creates an engine with empty history.
  init(sampleRate: Double) {
    delayFrames = Int((sampleRate * Self.delaySeconds).rounded())
    marks = VoiceMarks(sampleRate: sampleRate)
    spectrum = VoiceSpectrum(sampleRate: sampleRate)
    grains = buffers.filled(with: VoiceGrain(), count: Self.mostGrains)
    scratch = buffers.floats(3 * WarpStep.longest)
    let filterFrames = Self.mostGrains * VoiceFilter.taps
    filters = buffers.floats(filterFrames + VoiceFilter.impulseFrames)
    filters[filterFrames + VoiceFilter.taps - 1] = 1
    lag = Int64(delayFrames) << 32
    wantedLag = lag
  }

  /// Resets the state.
  @_noLocks
  mutating func start() {
    for index in 0..<Self.mostGrains { grains[index].isActive = false }
    isFresh = true
    hasLeapt = false
    lastRate = 0
  }

  /// Renders the next frames of a voice with that pitch, at most `WarpStep.longest`.
  @_noLocks
  mutating func process(
    _ tape: borrowing Tape, _ step: WarpStep, _ pitch: VoicePitch, bank: borrowing SincBank,
    to out: Stereo, frames: Int
  ) {
    out.clear(frames: frames)
    if step.isLeap && !isFresh { leap(from: lastPlace) }
    if step.rate != lastRate { holdBack(place: step.place, rate: step.rate) }
    lastRate = step.rate
    aim(step)
    var done = 0
    while done < frames {
      let place = step.place(ofFrame: done)
      if isFresh { begin(at: place) }
      settle(tape, step, pitch, place: place)
      if untilNext <= nextRise { plan(tape, step, pitch, bank, place: place) }
      // Up to the next event.
      let untilPlan = Int((untilNext &- nextRise &+ 0xFFFF_FFFF) >> 32)
      let count = max(1, min(frames &- done, min(untilPlan, framesToSettle())))
      let to = out.advanced(by: done)
      for index in 0..<Self.mostGrains where grains[index].isActive {
        let filter = VoiceFilter(
          weights: filters + VoiceFilter.taps &* index,
          impulse: filters + VoiceFilter.taps &* Self.mostGrains)
        grains[index].render(
          tape, bank, filter: filter, scratch: Stereo(scratch, scratch + WarpStep.longest),
          weights: scratch + 2 &* WarpStep.longest, to: to, frames: count)
      }
      sinceLatest &+= Int64(count) << 32
      untilNext &-= Int64(count) << 32
      lag = lag(after: Int64(count) << 32)
      done &+= count
    }
    lastPlace = step.place(ofFrame: frames)
  }

  // MARK: - Lag

  /// The lag of the output behind the position at rate 1.
  var leastLag: Int64 { @_noLocks get { Int64(delayFrames) << 32 } }

  /// Sets the target lag, or the lag itself if the change is inaudible.
  @_noLocks
  private mutating func aim(_ step: WarpStep) {
    wantedLag = leastLag
    if step.rate > WarpStep.unity {
      // The distance that the position gains within one period of the lowest voice with whole
      // grains.
      let longest = leastLag / 7 &* 4
      let rate = min(max(step.rate, step.nextRate), 4 &* WarpStep.unity)
      wantedLag &+= VoicePlaces.product(longest, rate &- WarpStep.unity)
    }
    if step.isLeap || isFresh { lag = wantedLag }
  }

  /// Returns the lag of the output behind the position after `frames` frames.
  ///
  /// While the lag changes, the output advances at one to two times the speed of rate 1.
  @_noLocks
  func lag(after frames: Int64) -> Int64 {
    if lag == wantedLag { return lag }
    if lag > wantedLag { return max(wantedLag, lag &- frames) }
    return min(wantedLag, lag &+ VoicePlaces.product(frames, (lastRate &- WarpStep.unity) / 2))
  }

  /// Sets the lag to that of rate 1 at once.
  @_noLocks
  mutating func forgetLag() { lag = leastLag }
}
