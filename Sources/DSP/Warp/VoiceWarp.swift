internal import CRealtime

/// The warp for one voice: its formants stay where they are, or move on their own.
///
/// Pitch-synchronous overlap-add, after Eric Moulines and Francis Charpentier, "Pitch-Synchronous
/// Waveform Processing Techniques for Text-to-Speech Synthesis Using Diphones" (1990): the sound
/// is cut into grains of two periods around marks, one a period, and put together again with
/// the marks another distance apart. Where there is no period, grains are put where they were:
/// consonants, clicks and noise are neither moved nor shaped. What is not moved at all is the
/// input, delayed.
///
/// The delay is the same at every pitch. A grain begins a period before its middle; its mark may
/// lie half a period beside what is due, and is found with a quarter of a period behind it: 1.75
/// periods, which is 20 ms at 88 Hz. Grains of lower voices begin later than a period before.
///
/// Where the place moves faster than the sound, it is further away a period before the middle of a
/// grain: at rates above 1 the output is that much further behind its place.
///
/// The tape must have a reach of 256 frames or more.
package struct VoiceWarp: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  static var mostGrains: Int { @_noLocks get { 16 } }

  let delayFrames: Int
  var tracker: PitchTracker
  var marks: VoiceMarks
  var spectrum: VoiceSpectrum
  let grains: UnsafeMutablePointer<VoiceGrain>
  private let scratch: UnsafeMutablePointer<Float>
  // The weights of each grain's filter, and an impulse.
  private let filters: UnsafeMutablePointer<Float>

  var framesToSlot = 0
  var isFresh = true
  var hasLeapt = false
  private var lastRate: Int64 = 0
  private var lastPlace: Int64 = 0
  // How far the output is behind its place, and how far it is to be, in frames of tape with 32
  // binary places.
  private(set) var lag: Int64
  private var wantedLag: Int64
  // The grain begun last, how long ago its middle was, and how far the next one's is away.
  var latest = 0
  var sinceLatest: Int64 = 0
  var untilNext: Int64 = 0
  var nextRise: Int64 = 0

  /// A warp with nothing on its way.
  package init(sampleRate: Double) {
    delayFrames = Int((sampleRate * 0.020).rounded())
    tracker = PitchTracker(sampleRate: sampleRate)
    marks = VoiceMarks(sampleRate: sampleRate)
    spectrum = VoiceSpectrum(sampleRate: sampleRate)
    grains = .allocate(capacity: Self.mostGrains)
    grains.initialize(repeating: VoiceGrain(), count: Self.mostGrains)
    scratch = .allocate(capacity: 3 * WarpStep.longest)
    scratch.initialize(repeating: 0, count: 3 * WarpStep.longest)
    let filterFrames = Self.mostGrains * VoiceFilter.taps
    filters = .allocate(capacity: filterFrames + VoiceFilter.impulseFrames)
    filters.initialize(repeating: 0, count: filterFrames + VoiceFilter.impulseFrames)
    filters[filterFrames + VoiceFilter.taps - 1] = 1
    lag = Int64(delayFrames) << 32
    wantedLag = lag
  }

  deinit {
    grains.deallocate()
    scratch.deallocate()
    filters.deallocate()
  }

  /// Tells how many frames behind its place the output is at rate 1, at any pitch.
  @_noLocks
  package func delay(pitch: Float) -> Int { delayFrames }

  /// After how many frames from the start the voice is found and moved.
  package var warmUp: Int {
    @_noLocks get { delayFrames / 2 &* 3 }
  }

  /// Forgets everything; the next step begins at this place of the tape.
  @_noLocks
  package mutating func start(at place: Int64) {
    for index in 0..<Self.mostGrains { grains[index].isActive = false }
    framesToSlot = 0
    isFresh = true
    hasLeapt = false
    tracker.start(at: place >> 32)
    tracker.assumeUnvoiced()
    lastRate = 0
  }

  /// Renders the next frames, at most `WarpStep.longest`.
  @_noLocks
  package mutating func process(
    _ tape: borrowing Tape, _ step: WarpStep, bank: borrowing SincBank, to out: Stereo, frames: Int
  ) {
    rt_zero(out.left, frames)
    rt_zero(out.right, frames)
    if step.isLeap && !isFresh { leap(from: lastPlace, to: step.place) }
    if step.rate != lastRate { holdBack(place: step.place, rate: step.rate) }
    lastRate = step.rate
    aim(step)
    var done = 0
    while done < frames {
      let place = step.place(ofFrame: done)
      if framesToSlot == 0 {
        tracker.advance(tape, to: place >> 32)
        framesToSlot = tracker.slotFrames
      }
      if isFresh { begin(at: place) }
      settle(tape, step, place: place)
      if untilNext <= nextRise { plan(tape, step, bank, place: place) }
      // Up to whatever comes first.
      let untilPlan = Int((untilNext &- nextRise &+ 0xFFFF_FFFF) >> 32)
      let count = max(
        1, min(min(frames &- done, framesToSlot), min(untilPlan, framesToSettle())))
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
      framesToSlot &-= count
      lag = lag(after: Int64(count) << 32)
      done &+= count
    }
    lastPlace = step.place(ofFrame: frames)
  }

  // MARK: - Lag

  /// How far the output is behind its place at rate 1.
  var leastLag: Int64 { @_noLocks get { Int64(delayFrames) << 32 } }

  /// Sets how far the output is to be behind its place; where nobody hears it, it is at once.
  @_noLocks
  private mutating func aim(_ step: WarpStep) {
    wantedLag = leastLag
    if step.rate > WarpStep.unity {
      // What the place gains on the sound in a period of the lowest voice with whole grains.
      let longest = leastLag / 7 &* 4
      let rate = min(max(step.rate, step.nextRate), 4 &* WarpStep.unity)
      wantedLag &+= VoicePlaces.product(longest, rate &- WarpStep.unity)
    }
    if step.isLeap || isFresh { lag = wantedLag }
  }

  /// Tells how far the output will be behind its place in some frames.
  ///
  /// What is heard goes on meanwhile, between as fast as at rate 1 and twice as fast as that.
  @_noLocks
  func lag(after frames: Int64) -> Int64 {
    if lag == wantedLag { return lag }
    if lag > wantedLag { return max(wantedLag, lag &- frames) }
    return min(wantedLag, lag &+ VoicePlaces.product(frames, (lastRate &- WarpStep.unity) / 2))
  }

  /// Sets the lag at once to that of rate 1.
  @_noLocks
  mutating func forgetLag() { lag = leastLag }
}
