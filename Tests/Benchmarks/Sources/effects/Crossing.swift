import DSP
import Glibc

// Passes an effect to C and back as a pointer, without reference counting on the way.

/// Moves an effect into memory of its own.
func boxed<Unit: ~Copyable>(_ unit: consuming Unit) -> UnsafeMutableRawPointer {
  let place = UnsafeMutablePointer<Unit>.allocate(capacity: 1)
  place.initialize(to: unit)
  return UnsafeMutableRawPointer(place)
}

/// The effect at `place`.
func unbox<Unit: ~Copyable>(
  _ place: UnsafeMutableRawPointer, as type: Unit.Type
) -> UnsafeMutablePointer<Unit> {
  place.assumingMemoryBound(to: Unit.self)
}

/// Destroys the effect at `place`.
func end<Unit: ~Copyable>(_ place: UnsafeMutableRawPointer, as type: Unit.Type) {
  let unit = unbox(place, as: type)
  unit.deinitialize(count: 1)
  unit.deallocate()
}

/// Returns the C string of a name, valid for the lifetime of the program.
func lasting(_ name: String) -> UnsafePointer<CChar> { UnsafePointer(strdup(name)!) }

/// Copies both channels.
func copy(
  _ from: UnsafePointer<UnsafePointer<Float>?>, to: UnsafePointer<UnsafeMutablePointer<Float>?>,
  frames: Int
) {
  for channel in 0..<2 { memcpy(to[channel]!, from[channel]!, frames * 4) }
}

extension Stereo {
  init(_ channels: UnsafePointer<UnsafeMutablePointer<Float>?>) {
    self.init(channels[0]!, channels[1]!)
  }

  init(_ channels: UnsafePointer<UnsafePointer<Float>?>) {
    self.init(
      UnsafeMutablePointer(mutating: channels[0]!), UnsafeMutablePointer(mutating: channels[1]!))
  }
}
