package import DSP

extension SamplerInstrument {
  /// Creates an instrument from regions, their modulators and the channels of each sound.
  package convenience init(
    regions: [SamplerRegion], modulators: [SamplerModulator], sounds: [[[Float]]]
  ) {
    self.init(
      regions: regions, modulators: modulators,
      sounds: sounds.map { SamplerSoundKind(channels: $0.count, isCompact: false) })
    make(sounds)
  }

  /// Makes and publishes each sound that has samples, from its channels.
  package func make(_ sounds: [[[Float]]]) {
    let workshop = SoundWorkshop()
    for (index, channels) in sounds.enumerated() where channels.contains(where: { !$0.isEmpty }) {
      make(index, of: channels, in: workshop)
      publish(index)
    }
  }
}
