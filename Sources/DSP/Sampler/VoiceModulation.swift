internal import CRealtime

/// The modulation of a voice: the sums of modulator outputs that are added to its region's
/// parameters.
struct VoiceModulation: BitwiseCopyable {
  // Indexed by target number. At most 16 targets can change during a note.
  private var target = SIMD16<Float>(repeating: 0)
  private(set) var live = SIMD16<Float>(repeating: 0)
  private var changes: UInt32 = 0
  private var stepsToGo = 0
  private var fixed = SIMD16<Float>(repeating: 0)

  /// Returns the current modulation of a target.
  @_noLocks
  func value(_ target: SamplerModulator.Target) -> Float { live[target.number] }

  /// Whether any value is moving.
  var isMoving: Bool { @_noLocks get { stepsToGo > 0 } }

  /// Starts a note.
  ///
  /// Returns the modulation of the targets that are evaluated only once.
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

  /// Advances by one step toward the controllers' values.
  @_noLocks
  mutating func advance(
    _ region: UnsafePointer<SamplerRegion>, _ modulators: UnsafePointer<SamplerModulator>,
    _ controllers: borrowing SamplerControllers, velocity: Float, key: Float, share: Float
  ) {
    if changes != controllers.changes {
      update(region, modulators, controllers, velocity: velocity, key: key)
      // After that a ten-thousandth is left.
      stepsToGo = Int(9.2 / share) &+ 1
    }
    guard stepsToGo > 0 else { return }
    stepsToGo &-= 1
    if stepsToGo == 0 { live = target } else { live += (target - live) * share }
  }
}
