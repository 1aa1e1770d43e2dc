internal import CRealtime

/// The state of the MIDI controllers that modulate notes.
package struct SamplerControllers: ~Copyable, @unchecked Sendable {
  /// Pitch bend, in semitones.
  private(set) var bend: Float = 0
  /// Channel pressure, 0 to 1.
  private(set) var pressure: Float = 0
  /// Change counter.
  private(set) var changes: UInt32 = 0
  private let buffers = Buffers()
  private let places: UnsafeMutablePointer<Float>

  init() {
    places = buffers.floats(128)
    reset()
  }

  /// Resets all controllers: full volume and expression, balance and pan centered.
  @_noLocks
  package mutating func reset() {
    for number in 0..<128 { places[number] = 0 }
    (places[7], places[11]) = (1, 1)
    (places[8], places[10]) = (0.5, 0.5)
    (bend, pressure) = (0, 0)
    changes &+= 1
  }

  /// Sets the pitch bend, in semitones.
  @_noLocks
  package mutating func setBend(semitones: Float) {
    if !semitones.isFinite { return }
    bend = max(-96, min(96, semitones))
    changes &+= 1
  }

  /// Sets the channel pressure, 0 to 1.
  @_noLocks
  package mutating func setPressure(_ value: Float) {
    if !value.isFinite { return }
    pressure = max(0, min(1, value))
    changes &+= 1
  }

  /// Sets a MIDI controller, number and value from 0 to 127.
  @_noLocks
  package mutating func setControl(_ number: UInt8, _ value: UInt8) {
    let value = Float(value & 127)
    // For bipolar controllers, 64 is the center.
    let hasMiddle = number == 8 || number == 10
    let place = !hasMiddle ? value / 127 : value <= 64 ? value / 128 : 0.5 + (value - 64) / 126
    places[Int(number & 127)] = place
    changes &+= 1
  }

  /// Returns the output of a modulator, for a velocity and key from 0 to 1.
  @_noLocks
  borrowing func value(_ modulator: SamplerModulator, velocity: Float, key: Float) -> Float {
    let value =
      modulator.amount * way(modulator.source, velocity: velocity, key: key)
      * way(modulator.scale, velocity: velocity, key: key)
    return modulator.isAbsolute ? abs(value) : value
  }

  @_noLocks
  private borrowing func way(
    _ source: SamplerModulator.Source, velocity: Float, key: Float
  ) -> Float {
    let place: Float
    switch source.controller {
    case .constant, .keyPressure, .pitchWheelRange: return 1
    case .velocity: place = velocity
    case .key: place = key
    case .channelPressure: place = pressure
    // The wheel's own range is two semitones; larger bends affect only the pitch.
    case .pitchWheel: place = max(0, min(1, 0.5 + bend / 4))
    case .control(let number): place = places[Int(number & 127)]
    }
    return source.value(at: place)
  }
}

extension SamplerModulator.Source {
  /// Maps a position of the controller, from 0 to 1.
  @_noLocks
  package func value(at place: Float) -> Float {
    let way = isReversed ? 1 - place : place
    if !isBipolar { return shaped(way) }
    if case .step = curve { return way < 0.5 ? -1 : 1 }
    return way < 0.5 ? -shaped(1 - 2 * way) : shaped(2 * way - 1)
  }

  @_noLocks
  private func shaped(_ way: Float) -> Float {
    // 40/96 of the decimal logarithm, as in the SoundFont specification.
    let scale: Float = 40 / 96 / 2.302_585_1
    switch curve {
    case .linear: return way
    case .concave: return way >= 1 ? 1 : min(1, -scale * rt_log(1 - way))
    case .convex: return way <= 0 ? 0 : max(0, 1 + scale * rt_log(way))
    case .step: return way < 0.5 ? 0 : 1
    }
  }
}
