import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// The samples in a loop are finite for any input.
@Suite struct FiniteLoopTests {
  /// A host that has recorded 100 ms of a constant at an input gain, and plays them.
  private static func host(recording value: Float, gain: Float) -> OfflineHost {
    let host = OfflineHost()
    host.send(Command(.set(.mixer(.inGain), gain)))
    _ = host.render(Tone.constant(0, frames: 9600), block: 64)
    host.send(Command(.loop(.record)))
    _ = host.render(Tone.constant(value, frames: 4800), block: 64)
    host.send(Command(.loop(.stop)), Command(.loop(.play)))
    _ = host.render(Tone.constant(0, frames: 4800), block: 64)
    return host
  }

  /// All samples of the loop's clip.
  private static func clip(of host: OfflineHost) throws -> [Float] {
    let transfer = ClipTransfer(sampleRate: 48_000)
    host.send(Command(.copyOut(ClipPointer(transfer))))
    _ = host.render(Tone.constant(0, frames: 4800), block: 64)
    try #require(transfer.length > 0)
    return Array(UnsafeBufferPointer(start: transfer.sound.left, count: transfer.length))
      + Array(UnsafeBufferPointer(start: transfer.sound.right, count: transfer.length))
  }

  @Test func `overflow by the input gain is recorded as silence`() throws {
    let host = Self.host(recording: 3e38, gain: 24)
    #expect(try Self.clip(of: host).allSatisfy { $0.isFinite })
    #expect(host.engine.shared.nonFiniteCount > 0)
  }

  @Test func `sound amplified within bounds is recorded unchanged`() throws {
    let host = Self.host(recording: 1e37, gain: 0)
    #expect(try Self.clip(of: host).max() == 1e37)
    #expect(host.engine.shared.nonFiniteCount == 0)
  }

  @Test func `repeated overdubs stay finite`() throws {
    let host = Self.host(recording: 3e38, gain: 0)
    host.send(Command(.loop(.overdub)))
    _ = host.render(Tone.constant(3e38, frames: 48_000), block: 64)
    host.send(Command(.loop(.overdub)))
    _ = host.render(Tone.constant(0, frames: 9600), block: 64)
    #expect(try Self.clip(of: host).allSatisfy { $0.isFinite })
  }

  @Test func `NaN in a file is silence`() throws {
    let host = OfflineHost()
    let transfer = ClipTransfer(sampleRate: 48_000)
    transfer.length = 9600
    for frame in 0..<9600 {
      transfer.sound.left[frame] = frame % 100 == 0 ? .infinity : 0.25
      transfer.sound.right[frame] = frame % 100 == 50 ? .nan : 0.25
    }
    host.send(Command(.load(ClipPointer(transfer))))
    _ = host.render(Tone.constant(0, frames: 9600), block: 64)
    let clip = try Self.clip(of: host)
    #expect(clip.allSatisfy { $0.isFinite })
    #expect(clip.filter { $0 == 0.25 }.count == 2 * 9504)
  }
}
