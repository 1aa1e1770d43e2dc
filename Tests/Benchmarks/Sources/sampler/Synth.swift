/// What is measured: a player of SoundFonts.
protocol Synth: AnyObject {
  /// What it is called in the tables.
  var name: String { get }
  /// Loads a program of a SoundFont, so that the next note plays it.
  func load(_ font: String, bank: Int, program: Int) throws
  /// Begins a note, with the next frame that is rendered.
  func begin(key: Int, velocity: Int)
  /// Ends all notes at once.
  func silence()
  /// Renders a block.
  func render(_ frames: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>)
  /// How many voices sound.
  var voices: Int { get }
}

/// What went wrong, in one line.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Synth {
  /// Renders so many frames in blocks of the size of a live node's, and returns the left side.
  func play(_ frames: Int, block: Int = 64) -> [Float] { playBoth(frames, block: block).left }

  /// Renders so many frames likewise, and returns both sides.
  func playBoth(_ frames: Int, block: Int = 64) -> (left: [Float], right: [Float]) {
    var left = [Float](repeating: 0, count: frames)
    var right = left
    left.withUnsafeMutableBufferPointer { left in
      right.withUnsafeMutableBufferPointer { right in
        var done = 0
        while done < frames {
          let count = min(block, frames - done)
          render(count, left: left.baseAddress! + done, right: right.baseAddress! + done)
          done += count
        }
      }
    }
    return (left, right)
  }
}
