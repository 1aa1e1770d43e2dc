/// A SoundFont player under test.
protocol Synth: AnyObject {
  /// The name in the tables.
  var name: String { get }
  /// Loads a program of a SoundFont, for the next note.
  func load(_ font: String, bank: Int, program: Int) throws
  /// Starts a note on the next rendered frame.
  func begin(key: Int, velocity: Int)
  /// Ends all notes at once.
  func silence()
  /// Renders a block.
  func render(_ frames: Int, left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>)
  /// The number of active voices.
  var voices: Int { get }
}

/// A description of an error, in one line.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Synth {
  /// Renders frames in blocks of a live node's size, and returns the left side.
  func play(_ frames: Int, block: Int = 64) -> [Float] { playBoth(frames, block: block).left }

  /// Renders frames in blocks, and returns both sides.
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
