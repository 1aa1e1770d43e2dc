package import DSP

/// Converts an instrument to its form for the audio thread.
///
/// Reverb and chorus sends are ignored: the chain has its own effects.
package enum InstrumentImage {
  /// Makes the playable instrument, without its sounds.
  package static func make(_ instrument: Instrument) -> SamplerInstrument {
    var regions: [SamplerRegion] = []
    var modulators: [SamplerModulator] = []
    for region in instrument.regions {
      guard var image = image(of: region, instrument) else { continue }
      take(region.modulators, into: &image, &modulators)
      regions.append(image)
    }
    return SamplerInstrument(
      regions: regions, modulators: modulators, sounds: sounds(of: instrument),
      isPercussion: instrument.isPercussion)
  }

  /// Returns the maximum memory for the playable sounds of an instrument, in bytes.
  ///
  /// Each sound is stored again for every third of an octave that it is played above its root key.
  package static func bytes(of instrument: Instrument) -> Int {
    SamplerInstrument.bytes(
      regions: instrument.regions.compactMap { image(of: $0, instrument) },
      sounds: sounds(of: instrument))
  }

  private static func sounds(of instrument: Instrument) -> [SamplerSoundKind] {
    instrument.samples.map { SamplerSoundKind(channels: $0.channels, isCompact: $0.isCompact) }
  }

  private static func image(of region: Region, _ instrument: Instrument) -> SamplerRegion? {
    guard instrument.samples.indices.contains(region.sample),
      var image = image(of: region, frames: instrument.samples[region.sample].frames)
    else { return nil }
    image.rate = Float(instrument.samples[region.sample].rate)
    return image
  }

  /// Converts a region without its modulators.
  ///
  /// Returns nil if its range of the sample is empty.
  private static func image(of region: Region, frames: Int) -> SamplerRegion? {
    let end = min(region.end, frames)
    guard region.start >= 0, region.start < end else { return nil }
    var image = SamplerRegion()
    image.keys = (key(region.keys.lowerBound), key(region.keys.upperBound))
    image.velocities = (key(region.velocities.lowerBound), key(region.velocities.upperBound))
    image.trigger = region.trigger
    image.turn = (turn(region.turn.length), turn(region.turn.position))
    image.chance = (Float(region.chance.lowerBound), Float(region.chance.upperBound))
    if let keys = region.switches.keys {
      image.switchKeys = (key(keys.lowerBound), key(keys.upperBound))
    }
    image.switchLast = keyOrNone(region.switches.last)
    image.switchInitial = keyOrNone(region.switches.initial)
    image.switchDown = keyOrNone(region.switches.down)
    image.switchUp = keyOrNone(region.switches.up)
    image.switchPrevious = keyOrNone(region.switches.previous)
    image.group = Int32(clamping: region.group)
    image.offBy = Int32(clamping: region.offBy)
    image.fixedKey = keyOrNone(region.fixedKey)
    image.fixedVelocity = Float(region.fixedVelocity ?? 0) / 127
    image.sound = Int32(region.sample)
    image.start = Int32(clamping: region.start)
    image.end = Int32(clamping: end)
    setLoop(of: region, end: end, in: &image)
    setSound(of: region, in: &image)
    return image
  }

  private static func setLoop(of region: Region, end: Int, in image: inout SamplerRegion) {
    let first = max(0, region.loop.lowerBound)
    let loop = first..<max(first, min(end, region.loop.upperBound))
    image.loopMode = loop.isEmpty && region.loopMode != .oneShot ? .none : region.loopMode
    if !loop.isEmpty { image.loop = (Int32(loop.lowerBound), Int32(loop.upperBound)) }
  }

  private static func setSound(of region: Region, in image: inout SamplerRegion) {
    image.rootKey = Float(region.rootKey)
    image.tune = Float(region.tune)
    image.keyTracking = Float(region.keyTracking)
    image.gain = Float(region.gain)
    image.pan = Float(region.pan)
    if let filter = region.filter {
      image.isFiltered = true
      image.filter = filter
    }
    image.envelope = region.envelope
    image.modulation = region.modulationEnvelope
    image.modulationToPitch = Float(region.modulationToPitch)
    image.modulationToFilter = Float(region.modulationToFilter)
    image.tremolo = region.tremolo
    image.vibrato = region.vibrato
  }

  // MARK: - Parts

  private static func key(_ key: Int) -> UInt8 { UInt8(max(0, min(127, key))) }

  private static func keyOrNone(_ key: Int?) -> UInt8 {
    key.map { Self.key($0) } ?? SamplerRegion.noKey
  }

  private static func turn(_ number: Int) -> UInt16 { UInt16(clamping: max(1, number)) }
}
