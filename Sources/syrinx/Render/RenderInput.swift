internal import DSP
internal import Drivers
internal import SoundFiles

/// IN as the engine reads it: as a recording, or as live input.
final class RenderInput {
  private static let blockFrames = 4096
  // The fastest playback of a recording, in frames of IN per frame.
  private static let fastest = 4
  // More than a block at the fastest rate, and the engine's read-ahead.
  private static let secondsAhead = 2.0

  private var reader: SoundReader
  private let driver: RenderDriver
  // The ring that feeds a recording to the engine; nil for live input.
  private let ring: SongRing?
  private let block = StereoBuffer(frames: blockFrames)
  private var isRead = false

  /// The frames of IN read so far, at the rate of the render.
  private(set) var framesRead = 0
  /// The number of samples that were NaN or infinite, and replaced by silence.
  private(set) var nonFiniteCount = 0
  /// The engine frame at which IN ended; nil before.
  private(set) var end: Int?

  /// Opens a file to be played by an open driver, as live input, or as a recording with or without pitch
  /// correction.
  init(_ reader: consuming SoundReader, by driver: RenderDriver, isLive: Bool, isTuned: Bool) {
    self.driver = driver
    ring = isLive ? nil : SongRing(seconds: Self.secondsAhead, sampleRate: reader.rate)
    self.reader = reader
    if let ring { driver.play(ring, isTuned: isTuned) }
  }

  /// The file's properties for the summary.
  var file: (channels: Int, rate: Int, framesRead: Int, isCutOff: Bool) {
    (reader.channels, reader.fileRate, reader.framesRead, reader.isCutOff)
  }

  /// The frames that IN's header promises, at the rate of the render.
  var expectedFrames: Int? { reader.expectedFrames }

  /// The playhead in IN, in frames; beyond its end it advances at its own rate.
  var place: Int {
    if let end { return framesRead + driver.frames - end }
    return ring?.framesHeard ?? driver.frames
  }

  /// Renders the next block, which is at most `most` frames and stops before the playhead passes
  /// `stop`.
  ///
  /// Returns its length.
  func render(atMost most: Int, until stop: Int?) throws(SoundFileError) -> Int {
    var count = most
    if let stop { count = min(count, framesUntil(stop)) }
    if let ring {
      try fill(ring)
      if isRead, end == nil { count = min(count, framesUntil(framesRead)) }
    } else {
      let taken = isRead ? 0 : try reader.read(into: driver.input, frames: count)
      framesRead += taken
      isRead = taken < count
      driver.silenceInput(from: taken)
    }
    noteEnd()
    driver.render(frames: count)
    noteEnd()
    return count
  }

  /// The number of frames that may be rendered without passing a frame of IN.
  private func framesUntil(_ frame: Int) -> Int {
    // A recording's rate may change at any time: the last steps are single frames.
    max(1, (frame - place) / (ring == nil || end != nil ? 1 : Self.fastest))
  }

  private func noteEnd() {
    guard isRead, end == nil else { return }
    if ring == nil {
      end = framesRead
    } else if place >= framesRead {
      end = driver.frames
    }
  }

  /// Fills the ring from the file.
  private func fill(_ ring: SongRing) throws(SoundFileError) {
    while !isRead, ring.room >= Self.blockFrames {
      let sound = block.stereo
      let count = try reader.read(into: sound, frames: Self.blockFrames)
      // Before the samples can enter any engine state.
      nonFiniteCount += Magnitude.silenceNonFinite(sound.left, frames: count)
      nonFiniteCount += Magnitude.silenceNonFinite(sound.right, frames: count)
      ring.write(sound, frames: count)
      framesRead += count
      if count < Self.blockFrames {
        isRead = true
        ring.end()
      }
    }
  }
}
