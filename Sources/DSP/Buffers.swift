/// The memory of a unit: buffers of fixed size that are freed with their owner.
///
/// Buffers start on cache lines, except that small ones share a line, so that a block touches as few of them
/// as possible. Made and freed on the control side. The audio thread uses the pointers, and never this object.
package final class Buffers: @unchecked Sendable {
  private static let lineBytes = 64
  private var releases: [() -> Void] = []
  private var blocks: [UnsafeMutableRawPointer] = []
  // The rest of the last line of a block.
  private var rest = UnsafeMutableRawBufferPointer(start: nil, count: 0)

  /// Creates an owner without memory.
  package init() {}

  deinit {
    // The last first, because a buffer may refer to earlier ones.
    while let release = releases.popLast() { release() }
    for block in blocks { block.deallocate() }
  }

  /// Returns `count` zeros.
  package func floats(_ count: Int) -> UnsafeMutablePointer<Float> { filled(with: 0, count: count) }

  /// Returns `frames` frames of silence, both channels in one piece.
  package func stereo(_ frames: Int) -> Stereo {
    let samples = floats(2 * frames)
    return Stereo(samples, samples + frames)
  }

  /// Returns `count` copies of a value.
  package func filled<Value>(with value: Value, count: Int) -> UnsafeMutablePointer<Value> {
    let memory: UnsafeMutablePointer<Value> = allocate(count)
    memory.initialize(repeating: value, count: count)
    finish(memory, count)
    return memory
  }

  /// Returns memory for `count` values, which the caller initializes.
  package func room<Value: BitwiseCopyable>(for count: Int) -> UnsafeMutablePointer<Value> {
    allocate(count)
  }

  /// Returns a copy of an array's values.
  package func copied<Value>(_ values: [Value]) -> UnsafeMutablePointer<Value> {
    let memory: UnsafeMutablePointer<Value> = allocate(values.count)
    for (index, value) in values.enumerated() { (memory + index).initialize(to: value) }
    finish(memory, values.count)
    return memory
  }

  /// Returns `count` values, each made for its index.
  package func made<Value: ~Copyable>(
    count: Int, _ make: (Int) -> Value
  ) -> UnsafeMutablePointer<Value> {
    let memory: UnsafeMutablePointer<Value> = allocate(count)
    for index in 0..<count { (memory + index).initialize(to: make(index)) }
    finish(memory, count)
    return memory
  }

  /// Returns the address of one value.
  package func box<Value: ~Copyable>(_ value: consuming Value) -> UnsafeMutablePointer<Value> {
    let memory: UnsafeMutablePointer<Value> = allocate(1)
    memory.initialize(to: value)
    finish(memory, 1)
    return memory
  }

  private func allocate<Value: ~Copyable>(_ count: Int) -> UnsafeMutablePointer<Value> {
    let size = MemoryLayout<Value>.stride * count
    // Lines end at multiples of any alignment, so this many of the rest's last bytes are usable.
    var room = rest.count / MemoryLayout<Value>.alignment * MemoryLayout<Value>.alignment
    if rest.baseAddress == nil || size > room {
      room = max(1, (size + Self.lineBytes - 1) / Self.lineBytes) * Self.lineBytes
      let block = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: Self.lineBytes)
      blocks.append(block)
      rest = UnsafeMutableRawBufferPointer(start: block, count: room)
    }
    let memory = rest.baseAddress! + (rest.count - room)
    rest = UnsafeMutableRawBufferPointer(start: memory + size, count: room - size)
    return memory.bindMemory(to: Value.self, capacity: count)
  }

  private func finish<Value: ~Copyable>(_ memory: UnsafeMutablePointer<Value>, _ count: Int) {
    releases.append { memory.deinitialize(count: count) }
  }
}
