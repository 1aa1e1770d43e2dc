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
/// The tape must have a reach of 256 frames or more.
package struct VoiceWarp: ~Copyable, @unchecked Sendable {
  static var mostGrains: Int { @_noLocks get { 16 } }

  let delayFrames: Int
  var tracker: PitchTracker
  var marks: VoiceMarks
  let grains: UnsafeMutablePointer<VoiceGrain>
  private let scratch: UnsafeMutablePointer<Float>

  var framesToSlot = 0
  var isFresh = true
  var hasLeapt = false
  private var lastRate: Int64 = 0
  private var lastPlace: Int64 = 0
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
    grains = .allocate(capacity: Self.mostGrains)
    grains.initialize(repeating: VoiceGrain(), count: Self.mostGrains)
    scratch = .allocate(capacity: 3 * WarpStep.longest)
    scratch.initialize(repeating: 0, count: 3 * WarpStep.longest)
  }

  deinit {
    grains.deallocate()
    scratch.deallocate()
  }

  /// How many frames behind its place the output is at rate 1, at any pitch.
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
        grains[index].render(
          tape, bank, scratch: Stereo(scratch, scratch + WarpStep.longest),
          weights: scratch + 2 &* WarpStep.longest, to: to, frames: count)
      }
      sinceLatest &+= Int64(count) << 32
      untilNext &-= Int64(count) << 32
      framesToSlot &-= count
      done &+= count
    }
    lastPlace = step.place(ofFrame: frames)
  }
}
