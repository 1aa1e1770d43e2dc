internal import CRealtime
internal import DSP
internal import Synchronization

/// The recent audio of a source, for retroactive recording, while any loop listens to it.
///
/// Silence takes no memory. For the audio thread.
struct SourceHistory: ~Copyable {
  private static var pageFrames: Int { @_noLocks get { PageStack.frames } }

  /// The frames that can be read back at most.
  let frames: Int
  private let exchange: UnsafeMutablePointer<HistoryExchange>
  // Nil while no loop listens.
  private var pages: UnsafeMutablePointer<HistoryPages>?
  private var isWanted = false
  // The loops that are reading from it.
  private var readers = 0
  /// The number of frames that have passed.
  private(set) var written = 0
  // The value of `written` when the memory arrived.
  private var begun = 0

  /// Creates a history without memory, which it takes from a store when needed.
  init(_ store: HistoryStore) {
    frames = store.frames
    exchange = store.exchange
  }

  /// Starts or stops recording the source.
  ///
  /// After a stop, the memory is returned as soon as no loop reads from it.
  @_noLocks
  mutating func setWanted(_ value: Bool) {
    isWanted = value
    exchangeMemory()
  }

  /// Whether the source is being remembered.
  var isRemembering: Bool { @_noLocks get { pages != nil } }

  /// The frames that can be read back now: those since the memory arrived.
  var knownFrames: Int { @_noLocks get { isRemembering ? min(frames, written &- begun) : 0 } }

  /// Keeps the memory until `endReading`.
  @_noLocks
  mutating func beginReading() { readers &+= 1 }

  @_noLocks
  mutating func endReading() {
    readers &-= 1
    exchangeMemory()
  }

  @_noLocks
  private mutating func exchangeMemory() {
    if isWanted {
      if pages != nil { return }
      // Acquiring: the memory is prepared. Nil if the control side has not released the previous one yet.
      pages = exchange.pointee.offered.exchange(nil, ordering: .acquiring)
      begun = written
    } else if let pages, readers == 0 {
      // Releasing: nothing more is written. The slot is free, because there is only one block of memory.
      exchange.pointee.returned.store(pages, ordering: .releasing)
      self.pages = nil
    }
  }

  @_noLocks
  private func page(_ frame: Int, of pages: UnsafeMutablePointer<HistoryPages>) -> Int {
    frame / Self.pageFrames % pages.pointee.count
  }

  /// Writes the next frames.
  @_noLocks
  mutating func write(_ sound: Stereo, frames: Int) {
    if isWanted && pages == nil { exchangeMemory() }
    guard let pages else {
      written &+= frames
      return
    }
    var done = 0
    while done < frames {
      let offset = written % Self.pageFrames
      let page = page(written, of: pages)
      let count = min(frames &- done, Self.pageFrames &- offset)
      var samples = pages.pointee.samples(page)
      if samples == nil {
        samples = pages.pointee.fill(page)
        if let samples { clear(samples, from: 0, to: offset) }
      }
      if let samples {
        rt_copy(samples + offset, sound.left + done, count)
        rt_copy(samples + Self.pageFrames + offset, sound.right + done, count)
      }
      written &+= count
      done &+= count
    }
  }

  /// Advances by frames of silence.
  @_noLocks
  mutating func rest(frames: Int) {
    if isWanted && pages == nil { exchangeMemory() }
    guard let pages else {
      written &+= frames
      return
    }
    var left = min(frames, pages.pointee.count &* Self.pageFrames)
    written &+= frames &- left
    while left > 0 {
      let offset = written % Self.pageFrames
      let page = page(written, of: pages)
      let count = min(left, Self.pageFrames &- offset)
      if offset == 0 {
        pages.pointee.empty(page)
      } else if let samples = pages.pointee.samples(page) {
        clear(samples, from: offset, to: offset &+ count)
      }
      written &+= count
      left &-= count
    }
  }

  /// Whether no loop listens to the source.
  var isUnused: Bool { @_noLocks get { !isWanted && pages == nil } }

  /// Returns the memory for the next frames and the number that fits; nil until memory is allocated.
  @_noLocks
  func room() -> (place: Stereo, frames: Int)? {
    let offset = written % Self.pageFrames
    guard offset > 0, let pages, let samples = pages.pointee.samples(page(written, of: pages))
    else { return nil }
    return (
      Stereo(samples + offset, samples + Self.pageFrames + offset), Self.pageFrames &- offset
    )
  }

  /// Advances by frames that were written in place.
  @_noLocks
  mutating func append(frames: Int) { written &+= frames }

  @_noLocks
  private func clear(_ left: UnsafeMutablePointer<Float>, from start: Int, to end: Int) {
    rt_zero(left + start, end &- start)
    rt_zero(left + Self.pageFrames + start, end &- start)
  }

  /// Reads frames from a position on, which is counted like `written`.
  ///
  /// Frames that are too old, in the future, or from before any loop listened are silent.
  @_noLocks
  func read(from start: Int, to out: Stereo, frames: Int) {
    guard let pages else {
      out.clear(frames: frames)
      return
    }
    var done = 0
    while done < frames {
      let frame = start &+ done
      if frame < 0 || frame >= written || written &- frame > self.frames {
        out.advanced(by: done).clear(frames: 1)
        done &+= 1
        continue
      }
      let offset = frame % Self.pageFrames
      let count = min(min(frames &- done, Self.pageFrames &- offset), written &- frame)
      if let left = pages.pointee.samples(page(frame, of: pages)) {
        rt_copy(out.left + done, left + offset, count)
        rt_copy(out.right + done, left + Self.pageFrames + offset, count)
      } else {
        out.advanced(by: done).clear(frames: count)
      }
      done &+= count
    }
  }
}
