internal import CSndfile
internal import Glibc
internal import Posix
internal import SoundFiles

/// An open sound file, or a sound file embedded in another file.
struct SampleFile: ~Copyable {
  private static let blockFrames = 4096

  let frames: Int
  let channels: Int
  let rate: Int
  private let path: String
  // Declared before the window, which libsndfile uses until the handle is closed.
  private let handle: SoundHandle
  private let window: FileWindow

  /// Opens a file, or an embedded range of `bytes` bytes at the offset `place`.
  init(_ path: String, place: Int = 0, bytes: Int? = nil) throws(InstrumentFault) {
    let window = try FileWindow(path, place: place, bytes: bytes)
    var info = SF_INFO()
    handle = try Self.open(path, window, &info)
    self.path = path
    self.window = window
    frames = Int(info.frames)
    channels = Int(info.channels)
    rate = Int(info.samplerate)
  }

  private static func open(
    _ path: String, _ window: FileWindow, _ info: inout SF_INFO
  ) throws(InstrumentFault) -> SoundHandle {
    var calls = FileWindow.calls
    let owner = Unmanaged.passUnretained(window).toOpaque()
    let opened = LibraryMessages.dropping {
      sf_open_virtual(&calls, Int32(SFM_READ), &info, owner)
    }
    guard let pointer = opened else {
      throw InstrumentFault(
        .broken, "\(path) is not a readable sound file: \(SoundFileError.reason(nil))")
    }
    let handle = SoundHandle(pointer)
    guard (1...256).contains(info.channels), (1...1_000_000).contains(info.samplerate),
      (1...Int64(InstrumentSample.mostFrames)).contains(Int64(info.frames))
    else {
      throw InstrumentFault(
        .broken,
        "\(path) can't be a sample: expected 1 to \(InstrumentSample.mostFrames) frames "
          + "at up to 1 MHz")
    }
    return handle
  }

  /// The first loop stored in the file, in frames.
  var loop: Range<Int>? {
    var (first, after) = (UInt32(0), UInt32(0))
    guard syrinx_first_loop(handle.pointer, &first, &after) != 0 else { return nil }
    let (start, end) = (Int(first), Int(after))
    return start < end && end <= frames ? start..<end : nil
  }

  /// Reads frames of the first two channels, and pads missing frames with silence.
  consuming func read(frames wanted: Int) throws(InstrumentFault) -> [[Float]] {
    let (channels, kept) = (channels, min(channels, 2))
    let block = Interleaved<Float>(count: Self.blockFrames * channels)
    var sound = [[Float]](repeating: [], count: kept)
    for channel in 0..<kept { sound[channel].reserveCapacity(min(wanted, 1 << 20)) }
    var done = 0
    while done < wanted {
      let room = min(Self.blockFrames, wanted - done)
      let count = LibraryMessages.dropping {
        Int(sf_readf_float(handle.pointer, block.samples, sf_count_t(room)))
      }
      guard count > 0 else { break }
      for index in 0..<count * channels where !block.samples[index].isFinite {
        block.samples[index] = 0
      }
      if channels == 1 {
        sound[0].append(contentsOf: UnsafeBufferPointer(start: block.samples, count: count))
      } else {
        for channel in 0..<kept {
          for frame in 0..<count {
            sound[channel].append(block.samples[frame * channels + channel])
          }
        }
      }
      done += count
    }
    // A compressed file may count one block more than it has. If more is missing, the header is
    // wrong, and padding would only waste memory.
    guard done > 0, wanted - done <= Self.blockFrames else {
      throw InstrumentFault(
        .broken, "\(path) is truncated: it has \(done) of \(wanted) frames of a sample")
    }
    if done < wanted {
      for channel in 0..<kept { sound[channel] += [Float](repeating: 0, count: wanted - done) }
    }
    return sound
  }
}

/// A range of a file that libsndfile reads like a complete file.
private final class FileWindow {
  private let descriptor: Descriptor
  private let start: Int
  private let count: Int
  private var place = 0

  init(_ path: String, place start: Int, bytes: Int?) throws(InstrumentFault) {
    // Nonblocking: opening a pipe without a writer would hang.
    descriptor = try system(
      try Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), orThrow: path),
      or: InstrumentFault.init)
    guard let size = Files.size(of: descriptor) else {
      throw InstrumentFault(.broken, "\(path) is not a regular file")
    }
    let left = size - start
    guard start >= 0, left >= bytes ?? 0 else {
      throw InstrumentFault(.broken, "\(path) is truncated: it ends within a sample")
    }
    self.start = start
    count = bytes ?? left
  }

  static var calls: SF_VIRTUAL_IO {
    var calls = SF_VIRTUAL_IO()
    calls.get_filelen = { sf_count_t(FileWindow.owner($0).count) }
    calls.tell = { sf_count_t(FileWindow.owner($0).place) }
    calls.seek = { offset, from, owner in
      sf_count_t(FileWindow.owner(owner).seek(Int(offset), from: from))
    }
    calls.read = { memory, count, owner in
      sf_count_t(FileWindow.owner(owner).read(memory, count: Int(count)))
    }
    return calls
  }

  private static func owner(_ pointer: UnsafeMutableRawPointer?) -> FileWindow {
    Unmanaged<FileWindow>.fromOpaque(pointer!).takeUnretainedValue()
  }

  private func seek(_ offset: Int, from: Int32) -> Int {
    let base = from == SEEK_SET ? 0 : from == SEEK_CUR ? place : count
    let (sum, isTooFar) = base.addingReportingOverflow(offset)
    guard !isTooFar, (0...count).contains(sum) else { return -1 }
    place = sum
    return sum
  }

  private func read(_ memory: UnsafeMutableRawPointer?, count wanted: Int) -> Int {
    let most = memory == nil ? 0 : max(0, min(wanted, count - place))
    let bytes = UnsafeMutableRawBufferPointer(start: memory, count: most)
    let (done, _) = descriptor.read(into: bytes, at: start + place)
    place += done
    return done
  }
}
