internal import CRealtime

/// The modulation of a voice: what modulators add to the values of its region.
struct VoiceModulation: BitwiseCopyable {
  // By the numbers of the targets; of what can move while a note sounds there are 16 at most.
  private var target = SIMD16<Float>(repeating: 0)
  private(set) var live = SIMD16<Float>(repeating: 0)
  private var changes: UInt32 = 0
  private var stepsToGo = 0
  private var fixed = SIMD16<Float>(repeating: 0)

  @_noLocks
  init() {}

  /// Tells how much a target is moved at this moment.
  @_noLocks
  func value(_ target: SamplerModulator.Target) -> Float { live[target.number] }

  /// Whether something moves.
  var isMoving: Bool { @_noLocks get { stepsToGo > 0 } }

  /// What a new note begins with; `once` is what only counts at its beginning.
  @_noLocks
  mutating func begin(
    _ region: UnsafePointer<SamplerRegion>, _ modulators: UnsafePointer<SamplerModulator>,
    _ controllers: borrowing SamplerControllers, velocity: Float, key: Float
  ) -> SIMD32<Float> {
    var once = SIMD32<Float>(repeating: 0)
    for index in 0..<Int(region.pointee.modulators.once) {
      let modulator = modulators[index]
      once[modulator.target.number] +=
        controllers.value(modulator, velocity: velocity, key: key)
    }
    fixed = once.lowHalf
    update(region, modulators, controllers, velocity: velocity, key: key)
    live = target
    stepsToGo = 0
    return once
  }

  @_noLocks
  private mutating func update(
    _ region: UnsafePointer<SamplerRegion>, _ modulators: UnsafePointer<SamplerModulator>,
    _ controllers: borrowing SamplerControllers, velocity: Float, key: Float
  ) {
    target = fixed
    let first = Int(region.pointee.modulators.once)
    for index in first..<(first &+ Int(region.pointee.modulators.live)) {
      let modulator = modulators[index]
      target[modulator.target.number] +=
        controllers.value(modulator, velocity: velocity, key: key)
    }
    target[SamplerModulator.Target.pitch.number] += 100 * controllers.bend * region.pointee.bend
    changes = controllers.changes
  }

  /// Goes on by a step, towards what the controllers say.
  @_noLocks
  mutating func advance(
    _ region: UnsafePointer<SamplerRegion>, _ modulators: UnsafePointer<SamplerModulator>,
    _ controllers: borrowing SamplerControllers, velocity: Float, key: Float, share: Float
  ) {
    if changes != controllers.changes {
      update(region, modulators, controllers, velocity: velocity, key: key)
      // What is left then is a ten-thousandth.
      stepsToGo = Int(9.2 / share) &+ 1
    }
    guard stepsToGo > 0 else { return }
    stepsToGo &-= 1
    if stepsToGo == 0 { live = target } else { live += (target - live) * share }
  }
}
