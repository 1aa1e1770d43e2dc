import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// The channel strip in the engine: before the chain, and before or after the recorders.
@Suite struct ChannelStripTests {
  private func set(_ parameter: Parameter.Channel, _ value: Float, on host: OfflineHost) {
    host.send(Command(.set(.channel(parameter), value)))
  }

  private func level(_ samples: ArraySlice<Float>) -> Double { 20 * log10(Measure.level(samples)) }

  @Test func `off, it changes nothing`() {
    let noise = Tone.noise(frames: 9600)
    let host = OfflineHost()
    set(.gateThreshold, 0, on: host)
    set(.levelAmount, 1, on: host)
    #expect(host.render(noise, block: 64).live == noise)
  }

  @Test func `the mix, the live stem and the chain have the processed input`() {
    let host = OfflineHost()
    set(.lowCut, 100, on: host)
    host.send(Command(.set(.reverb(.on), 1)))
    host.send(Command(.set(.reverb(.mix), 0)))
    let hum = Tone.sine(25, amplitude: 0.5, frames: 96_000)
    let output = host.render(hum, block: 64)
    // Two octaves below: 36 dB.
    for port in [output.left, output.live] {
      #expect(abs(level(port[48_000...]) - level(hum[48_000...]) + 36.1) < 0.2)
    }
  }

  @Test(arguments: [Float(0), 1])
  func `loops record the input, or the processed input if asked`(isRecorded: Float) {
    let host = OfflineHost()
    for (parameter, value) in [
      (.gateOn, 1), (.gateThreshold, -20), (.gateRange, -90), (.gateHold, 0.02),
      (.isRecorded, isRecorded),
    ] as [(Parameter.Channel, Float)] {
      set(parameter, value, on: host)
    }
    _ = host.render(Tone.constant(0, frames: 4800), block: 64)
    host.send(Command(.loop(.record)))
    let sound = Tone.sine(440, amplitude: 0.5, frames: 24_000)
    let soft = Tone.noise(amplitude: 0.01, frames: 24_000)
    let live = host.render(sound + soft, block: 64).live
    #expect(Measure.peak(live[43_000...]) == 0)
    host.send(Command(.loop(.stop)))
    _ = host.render(Tone.constant(0, frames: 480), block: 64)
    host.send(Command(.loop(.play)))
    let loop = host.render(Tone.constant(0, frames: 48_000), block: 64).loop
    #expect(Array(loop[1000..<23_000]) == Array(sound[1000..<23_000]))
    if isRecorded == 0 {
      #expect(Array(loop[43_000..<47_000]) == Array(soft[19_000..<23_000]))
    } else {
      #expect(Measure.peak(loop[43_000..<47_000]) == 0)
    }
  }

  @Test func `what is recorded changes from before to after the strip without a click`() {
    let host = OfflineHost()
    set(.levelOn, 1, on: host)
    set(.levelAmount, 1, on: host)
    let sound = Tone.sine(200, amplitude: 0.03, frames: 48_000)
    _ = host.render(sound, block: 64)
    host.send(Command(.loop(.record)))
    _ = host.render(Array(sound[..<24_000]), block: 64)
    set(.isRecorded, 1, on: host)
    _ = host.render(Array(sound[24_000...]), block: 64)
    host.send(Command(.loop(.stop)))
    _ = host.render(Tone.constant(0, frames: 480), block: 64)
    host.send(Command(.loop(.play)))
    let loop = host.render(Tone.constant(0, frames: 48_000), block: 64).loop
    #expect(level(loop[36_000..<46_000]) > level(loop[2000..<23_000]) + 12)
    // The louder tone alone has 0.00014.
    #expect(Measure.roughness(loop[2000..<46_000]) < 2e-4)
  }

  @Test func `a closed gate without sound lets the chain and the engine rest`() {
    let host = OfflineHost()
    set(.gateOn, 1, on: host)
    set(.gateRange, -90, on: host)
    _ = host.render(Tone.noise(amplitude: 0.001, frames: 96_000), block: 64)
    #expect(host.engine.shared.channel.gate == 0)
    _ = host.render(Tone.sine(440, frames: 480), block: 64)
    #expect(host.engine.shared.channel.gate == 1)
  }

  @Test func `another sample rate keeps the settings`() {
    let host = OfflineHost()
    set(.gateOn, 1, on: host)
    set(.gateThreshold, -20, on: host)
    set(.gateRange, -30, on: host)
    _ = host.render(Tone.noise(amplitude: 0.01, frames: 4800), block: 64)
    let other = OfflineHost(takingOver: host.engine, sampleRate: 96_000)
    let soft = Tone.noise(amplitude: 0.01, frames: 192_000)
    let live = other.render(soft, block: 64).live
    #expect(abs(level(live[96_000...]) - level(soft[96_000...]) + 30) < 0.1)
  }
}
