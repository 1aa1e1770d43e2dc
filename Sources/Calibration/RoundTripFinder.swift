internal import Glibc

/// The measurement of a round trip from a recording of several sweeps.
package struct RoundTripFinder {
  /// The number of sweeps in a measurement, after a segment of silence.
  package static let sweeps = 4
  // The least height of the first arrival, compared with the highest one: a reflection can be stronger than
  // the direct sound.
  private static let leastShare: Float = 0.2
  // A share that the window's side lobes don't reach. Something between it and the above makes the result
  // uncertain.
  private static let doubtShare: Float = 0.1
  // The least heights above the largest noise.
  private static let noiseMargin: Float = 1.6
  private static let doubtMargin: Float = 2.5
  // Samples from which an input counts as clipped, and how many of them.
  private static let fullScale: Float = 0.999
  private static let mostClipped = 3
  // The mean power from which a recording is more than the noise of an open input: -50 dBFS.
  private static let audible: Float = 1e-5
  // Times in seconds: between single sweeps, of a separate second arrival, and of a pulse.
  private static let mostSpread = 0.0001
  private static let secondArrival = 0.03
  private static let pulse = 0.0002
  // The spread within which single sweeps are searched, in seconds.
  private static let reach = 0.0005

  private let sweep: Sweep
  private let transform: SegmentTransform
  private let reference: Spectrum
  private let base: [Float]

  /// Creates a finder for a sweep.
  package init(_ sweep: Sweep) {
    self.sweep = sweep
    transform = SegmentTransform(size: sweep.frames)
    reference = transform.spectrum(sweep.samples[...])
    base = Self.window(sweep, bins: transform.bins)
  }

  /// The frames of a recording: silence, and the sweeps.
  package var recordingFrames: Int { sweep.frames * (Self.sweeps + 1) }

  /// Returns the signal to play: silence, then the sweeps at a peak level.
  package func signal(level: Float) -> [Float] {
    var signal = [Float](repeating: 0, count: sweep.frames)
    let segment = sweep.samples.map { $0 * level }
    for _ in 0..<Self.sweeps { signal += segment }
    return signal
  }

  /// Finds the first arrival in a recording of `signal`.
  package func find(in recording: [Float]) throws(RoundTripRefusal) -> RoundTrip {
    precondition(recording.count == recordingFrames)
    let size = sweep.frames
    var clipped = 0
    for sample in recording where abs(sample) >= Self.fullScale { clipped += 1 }
    guard clipped <= Self.mostClipped else { throw .clipped }
    let spectra = (0...Self.sweeps).map {
      transform.spectrum(recording[($0 * size)..<(($0 + 1) * size)])
    }
    let (silence, sounds) = (spectra[0], Array(spectra[1...]))
    let mean = Spectrum.mean(sounds)
    let weights = weights(mean, silence, sounds)

    let response = envelope(mean, weights)
    // Averaging reduces noise by the root of the number of sweeps.
    let averaging = 1 / Float(Self.sweeps).squareRoot()
    var noise = largest(envelope(silence, weights)) * averaging
    var singles: [[Float]] = []
    for sound in sounds {
      noise = max(noise, largest(envelope(sound - mean, weights)) * averaging)
      singles.append(envelope(sound, weights))
    }
    let peak = largest(response)
    guard peak > 1e-6, peak > noise * Self.noiseMargin else {
      throw max(hush(recording), sound(recording)) > Self.audible ? .tooNoisy : .noSignal
    }
    let threshold = max(Self.leastShare * peak, noise * Self.noiseMargin)
    guard threshold <= 0.5 * peak, let first = firstPeak(response, above: threshold) else {
      throw .tooNoisy
    }
    try checkArrivals(response, first, peak: peak, noise: noise)
    let found = refined(response, at: first)
    let spread = try spread(singles, around: first)
    return RoundTrip(
      frames: found, spread: spread,
      clearance: 20 * log10(Double(response[first]) / Double(max(noise, peak * 1e-6))),
      isAlone: !hasReflections(response, first, noise))
  }

  // MARK: - Response

  /// A window over the sweep's band: its pulse has low side lobes.
  private static func window(_ sweep: Sweep, bins: Int) -> [Float] {
    let width = sweep.rate / Double(sweep.frames)
    let (low, high) = (sweep.band.lowerBound, sweep.band.upperBound)
    return (0..<bins).map { bin in
      let share = (Double(bin) * width - low) / (high - low)
      guard 0...1 ~= share else { return 0 }
      return Float(0.5 - 0.5 * cos(2 * .pi * share))
    }
  }

  /// The weights of all bins: the window, less where noise is as strong as the sweep.
  private func weights(_ mean: Spectrum, _ silence: Spectrum, _ sounds: [Spectrum]) -> [Float] {
    var (signal, noise) = ([0.0], [0.0])
    for bin in base.indices {
      signal.append(signal[bin] + Double(mean.power(bin)))
      var most = Double(silence.power(bin))
      for sound in sounds {
        let real = sound.real[bin] - mean.real[bin]
        let imaginary = sound.imaginary[bin] - mean.imaginary[bin]
        most = max(most, Double(real * real + imaginary * imaginary))
      }
      noise.append(noise[bin] + most)
    }
    return base.indices.map { bin in
      guard base[bin] > 0 else { return 0 }
      // A third of an octave, at least some bins.
      let reach = max(16, bin / 6)
      let (from, to) = (max(0, bin - reach), min(base.count, bin + reach + 1))
      let loud = signal[to] - signal[from]
      let hushed = (noise[to] - noise[from]) / Double(Self.sweeps)
      return base[bin] * Float(max(0, loud - hushed) / max(loud, .leastNormalMagnitude))
    }
  }

  private func envelope(_ spectrum: Spectrum, _ weights: [Float]) -> [Float] {
    var response = Spectrum(bins: transform.bins)
    for bin in weights.indices where weights[bin] > 0 {
      (response.real[bin], response.imaginary[bin]) = spectrum.quotient(
        bin, by: reference, times: weights[bin])
    }
    return transform.envelope(response)
  }

  private func largest(_ envelope: [Float]) -> Float { envelope[..<sweep.longest].max() ?? 0 }

  // MARK: - Arrivals

  private func firstPeak(_ envelope: [Float], above threshold: Float) -> Int? {
    (1..<sweep.longest).first { isPeak(envelope, $0) && envelope[$0] >= threshold }
  }

  private func isPeak(_ envelope: [Float], _ frame: Int) -> Bool {
    envelope[frame] >= envelope[frame - 1] && envelope[frame] > envelope[frame + 1]
  }

  /// Returns the position of a peak between frames: the top of a parabola through the logarithms.
  private func refined(_ envelope: [Float], at frame: Int) -> Double {
    guard frame > 0 else { return 0 }
    let logarithms = (-1...1).map { log(Double(max(envelope[frame + $0], 1e-12))) }
    let curve = logarithms[0] - 2 * logarithms[1] + logarithms[2]
    guard curve < 0 else { return Double(frame) }
    let offset = 0.5 * (logarithms[0] - logarithms[2]) / curve
    return Double(frame) + min(0.5, max(-0.5, offset))
  }

  private func checkArrivals(
    _ envelope: [Float], _ first: Int, peak: Float, noise: Float
  ) throws(RoundTripRefusal) {
    let doubt = max(Self.doubtShare * peak, noise * Self.doubtMargin)
    let before = first - Int(Self.pulse * 2 * sweep.rate)
    if before > 1, (1..<before).contains(where: { envelope[$0] >= doubt }) { throw .unsure }
    let strongest = (first..<sweep.longest).max { envelope[$0] < envelope[$1] } ?? first
    let apart = Double(strongest - first) / sweep.rate
    if apart > Self.secondArrival { throw .twoArrivals(milliseconds: apart * 1000) }
    // A second path, such as a monitor, is as strong as the first, and late.
    let late = first + Int(Self.secondArrival * sweep.rate)
    if let second = (late..<max(late, sweep.longest)).first(where: {
      envelope[$0] >= 0.5 * envelope[first]
    }) {
      throw .twoArrivals(milliseconds: Double(second - first) / sweep.rate * 1000)
    }
  }

  /// Whether there is anything but the first arrival above the noise.
  private func hasReflections(_ envelope: [Float], _ first: Int, _ noise: Float) -> Bool {
    let after = first + Int(Self.pulse * 4 * sweep.rate)
    let limit = max(0.03 * envelope[first], noise * Self.doubtMargin)
    return after < sweep.longest && (after..<sweep.longest).contains { envelope[$0] >= limit }
  }

  /// The largest difference between the arrivals of single sweeps, in frames.
  private func spread(
    _ singles: [[Float]], around first: Int
  ) throws(RoundTripRefusal) -> Double {
    let reach = Int(Self.reach * sweep.rate)
    let range = max(1, first - reach)...min(first + reach, sweep.longest - 1)
    let places = singles.map { single in
      // The peak nearest to that of the mean, of those that are not much lower.
      let highest = range.map { single[$0] }.max() ?? 0
      let peaks = range.filter { isPeak(single, $0) && single[$0] >= 0.5 * highest }
      let nearest = peaks.min { abs($0 - first) < abs($1 - first) } ?? first
      return refined(single, at: nearest)
    }
    let spread = (places.max() ?? 0) - (places.min() ?? 0)
    guard spread <= Self.mostSpread * sweep.rate else {
      throw .unsteady(milliseconds: spread / sweep.rate * 1000)
    }
    return spread
  }

  // MARK: - Levels

  private func hush(_ recording: [Float]) -> Float { power(recording[..<sweep.frames]) }
  private func sound(_ recording: [Float]) -> Float { power(recording[sweep.frames...]) }

  private func power(_ samples: ArraySlice<Float>) -> Float {
    samples.reduce(1e-12) { $0 + $1 * $1 } / Float(samples.count)
  }
}
