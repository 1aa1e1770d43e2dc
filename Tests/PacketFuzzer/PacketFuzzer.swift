import Foundation

// libFuzzer has its own `main`, and calls these two by their names.

/// Called once.
///
/// With SYRINX_SEEDS set, writes packets made from the address table to that folder and ends.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutableRawPointer, _ arguments: UnsafeMutableRawPointer
) -> Int32 {
  guard let folder = ProcessInfo.processInfo.environment["SYRINX_SEEDS"] else { return 0 }
  do {
    try Seeds.write(to: URL(fileURLWithPath: folder))
    exit(0)
  } catch {
    print("can't write the seeds: \(error)")
    exit(1)
  }
}

/// Called for each input: throws it at the whole way of a packet, from the socket's buffer to
/// the engine.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  Target.shared.take(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}
