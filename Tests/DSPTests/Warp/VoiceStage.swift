import DSP
import Foundation
import TestSupport

/// A test host for voices that play one instrument.
final class VoiceStage {
  private var voices: SamplerVoices
  private let instrument: SamplerInstrument
  private let held: UnsafeMutablePointer<UInt16>
  private var lastNumber: UInt32 = 0
  private(set) var left: [Float] = [], right: [Float] = []
  /// The notes of the voices that have ended.
  private(set) var over: [UInt32] = []

  init(_ instrument: SamplerInstrument, sampleRate: Double = 48_000) {
    voices = SamplerVoices(sampleRate: sampleRate)
    self.instrument = instrument
    held = .allocate(capacity: 128)
    held.initialize(repeating: 0, count: 128)
  }

  convenience init(
    _ regions: [SamplerRegion], modulators: [SamplerModulator] = [], _ sounds: [[Float]]...,
    sampleRate: Double = 48_000
  ) {
    self.init(
      SamplerInstrument(regions: regions, modulators: modulators, sounds: sounds),
      sampleRate: sampleRate)
  }

  deinit { held.deallocate() }

  var soundingCount: Int { voices.soundingCount }

  /// Starts a note and returns its number and the number of its voices.
  @discardableResult
  func begin(
    key: UInt8 = 60, shift: Double = 0, velocity: Float = 1, isLegato: Bool = false,
    instrument place: UInt8 = 0
  ) -> (number: UInt32, voices: Int) {
    lastNumber += 1
    let note = VoiceNote(
      number: lastNumber, finger: 0, instrument: place, key: key,
      cents: Float(100 * Double(key) + shift), velocity: velocity, isLegato: isLegato)
    return (lastNumber, voices.begin(note, of: instrument.pointer, held: held))
  }

  func hold(_ key: Int, _ count: UInt16) { held[key] = count }
  func release(_ number: UInt32) { voices.release(note: number) }
  func bend(_ semitones: Float) { voices.controllers.setBend(semitones: semitones) }
  func control(_ number: UInt8, _ value: UInt8) { voices.controllers.setControl(number, value) }
  func fadeOut() { voices.fadeOut(instrument: nil, seconds: 0.005) }

  /// Renders `frames` frames and returns the left channel.
  @discardableResult
  func pass(_ frames: Int, block: Int = 64) -> [Float] {
    let before = left.count
    let buffer = UnsafeMutablePointer<Float>.allocate(capacity: 2 * block)
    defer { buffer.deallocate() }
    var done = 0
    while done < frames {
      let count = min(block, frames - done)
      for frame in 0..<2 * block { buffer[frame] = 0 }
      _ = voices.render(to: Stereo(buffer, buffer + block), frames: count)
      while let note = voices.takeOver() { over.append(note.number) }
      left += UnsafeBufferPointer(start: buffer, count: count)
      right += UnsafeBufferPointer(start: buffer + block, count: count)
      done += count
    }
    return Array(left[before...])
  }

  /// A region that plays a whole sound and loops from a frame on.
  static func region(
    _ frames: Int, loopFrom start: Int = 0, _ change: (inout SamplerRegion) -> Void = { _ in }
  ) -> SamplerRegion {
    var region = SamplerRegion()
    region.end = Int32(frames)
    region.loop = (Int32(start), Int32(frames))
    region.loopMode = .continuous
    // Panned left, at unity gain.
    region.pan = -1
    change(&region)
    return region
  }
}
