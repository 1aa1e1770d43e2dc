internal import CAubio
internal import Listening

/// A pitch detector for the tone at the end of a sound.
protocol Finder {
  var name: String { get }
  /// The frequency in Hz; nil if none is found.
  func frequency(atEndOf sound: [Float]) -> Double?
}

/// The node's own, as `/tuner` uses it.
struct Own: Finder {
  let name = "syrinx"
  private let finder: ToneFinder

  init(rate: Double) { finder = ToneFinder(rate: rate) }

  func frequency(atEndOf sound: [Float]) -> Double? { finder.frequency(atEndOf: sound) }
}

/// One of aubio's methods, on the last frames of a sound.
final class Aubio: Finder {
  let name: String
  private let window: Int
  private let handle: OpaquePointer
  private let input: UnsafeMutablePointer<fvec_t>
  private let output: UnsafeMutablePointer<fvec_t>

  init(_ method: String, window: Int, rate: Double) {
    name = "aubio \(method)"
    self.window = window
    handle = new_aubio_pitch(method, UInt32(window), UInt32(window), UInt32(rate))!
    aubio_pitch_set_unit(handle, "Hz")
    input = new_fvec(UInt32(window))
    output = new_fvec(1)
  }

  func frequency(atEndOf sound: [Float]) -> Double? {
    let start = sound.count - window
    for index in 0..<window { input.pointee.data[index] = sound[start + index] }
    aubio_pitch_do(handle, input, output)
    let found = output.pointee.data[0]
    return found > 0 ? Double(found) : nil
  }
}
