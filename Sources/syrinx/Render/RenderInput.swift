internal import DSP
internal import Drivers
internal import SoundFiles

/// IN on its way into the engine: as a recording, or as it would come through the inputs.
final class RenderInput {
  private static let blockFrames = 4096
  // The most frames of a recording that are played a frame.
  private static let fastest = 4
  // More than a block takes at the fastest, and what an engine reads ahead.
  private static let secondsAhead = 2.0

  private var reader: SoundReader
  private let driver: RenderDriver
  // A recording's way to the engine; nil for what comes in live.
  private let ring: SongRing?
  private let block = StereoBuffer(frames: blockFrames)
  private var isRead = false

  /// The frames of IN that were read so far, at the rate of the render.
  private(set) var framesRead = 0
  /// The samples that were no numbers, and became silence.
  private(set) var nonFiniteCount = 0
  /// The engine's frame at which IN has ended; nil before.
  private(set) var end: Int?

  /// A file that an open driver is to play.
  init(_ reader: consuming SoundReader, by driver: RenderDriver, isLive: Bool) {
    self.driver = driver
    ring = isLive ? nil : SongRing(seconds: Self.secondsAhead, sampleRate: reader.rate)
    self.reader = reader
    if let ring { driver.play(ring) }
  }

  /// The file's format and names, as far as they are to be told.
  var file: (channels: Int, rate: Int, framesRead: Int, isCutOff: Bool) {
    (reader.channels, reader.fileRate, reader.framesRead, reader.isCutOff)
  }

  /// The frames that IN promises, at the rate of the render.
  var expectedFrames: Int? { reader.expectedFrames }

  /// How far IN was heard, in frames; beyond its end time goes on at its own rate.
  var place: Int {
    if let end { return framesRead + driver.frames - end }
    return ring?.framesHeard ?? driver.frames
  }

  /// Renders the next block of at most so many frames, which ends where IN is heard up to a frame at
  /// the latest; returns its length.
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

  /// How many frames may be rendered without going past a frame of IN.
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

  /// Brings as much of the file onto the ring as there is room for.
  private func fill(_ ring: SongRing) throws(SoundFileError) {
    while !isRead, ring.room >= Self.blockFrames {
      let sound = block.stereo
      let count = try reader.read(into: sound, frames: Self.blockFrames)
      // Before any engine can remember it.
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
