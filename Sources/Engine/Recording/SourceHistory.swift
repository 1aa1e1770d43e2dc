internal import CRealtime
internal import DSP

/// The newest sound of a source, always there: for whoever wants to have recorded it.
///
/// What is silent is not written: a page of the ring knows that it is.
struct SourceHistory: ~Copyable {
  private static var pageFrames: Int { @_noLocks get { 512 } }

  /// How many frames back it reaches.
  let frames: Int
  private let pages: Int
  private let memory: LastingMemory
  private let silent: UnsafeMutablePointer<Bool>
  // How many frames were written in all.
  private var head = 0

  /// A history of so many seconds.
  init(seconds: Double, sampleRate: Double) {
    frames = Int((seconds * sampleRate).rounded(.up))
    pages = frames / Self.pageFrames + 2
    memory = LastingMemory(count: pages * 2 * Self.pageFrames)
    silent = .allocate(capacity: pages)
    silent.initialize(repeating: true, count: pages)
  }

  deinit { silent.deallocate() }

  private var samples: UnsafeMutablePointer<Float> { @_noLocks get { memory.samples } }

  @_noLocks
  private func page(_ frame: Int) -> Int { frame / Self.pageFrames % pages }

  /// Writes the next frames.
  @_noLocks
  mutating func write(_ sound: Stereo, frames: Int) {
    var done = 0
    while done < frames {
      let offset = head % Self.pageFrames
      let page = page(head)
      let count = min(frames &- done, Self.pageFrames &- offset)
      let left = samples + page &* 2 &* Self.pageFrames
      if offset > 0 && silent[page] { clear(left, from: 0, to: offset) }
      silent[page] = false
      rt_copy(left + offset, sound.left + done, count)
      rt_copy(left + Self.pageFrames + offset, sound.right + done, count)
      head &+= count
      done &+= count
    }
  }

  /// Goes on by frames of silence.
  @_noLocks
  mutating func rest(frames: Int) {
    var left = min(frames, pages &* Self.pageFrames)
    head &+= frames &- left
    while left > 0 {
      let offset = head % Self.pageFrames
      let page = page(head)
      let count = min(left, Self.pageFrames &- offset)
      if offset == 0 {
        silent[page] = true
      } else if !silent[page] {
        clear(samples + page &* 2 &* Self.pageFrames, from: offset, to: offset &+ count)
      }
      head &+= count
      left &-= count
    }
  }

  @_noLocks
  private func clear(_ left: UnsafeMutablePointer<Float>, from start: Int, to end: Int) {
    rt_zero(left + start, end &- start)
    rt_zero(left + Self.pageFrames + start, end &- start)
  }

  /// How many frames were written in all.
  var written: Int { @_noLocks get { head } }

  /// Reads frames, the first of which was written when so many had been before it; silence where that
  /// is forgotten, or not yet there.
  @_noLocks
  func read(from start: Int, to out: Stereo, frames: Int) {
    var done = 0
    while done < frames {
      let frame = start &+ done
      if frame < 0 || frame >= head || head &- frame > self.frames {
        rt_zero(out.left + done, 1)
        rt_zero(out.right + done, 1)
        done &+= 1
        continue
      }
      let offset = frame % Self.pageFrames
      let page = page(frame)
      let count = min(min(frames &- done, Self.pageFrames &- offset), head &- frame)
      let left = samples + page &* 2 &* Self.pageFrames + offset
      if silent[page] {
        rt_zero(out.left + done, count)
        rt_zero(out.right + done, count)
      } else {
        rt_copy(out.left + done, left, count)
        rt_copy(out.right + done, left + Self.pageFrames, count)
      }
      done &+= count
    }
  }
}
