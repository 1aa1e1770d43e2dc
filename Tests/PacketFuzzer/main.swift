import Foundation

/// libFuzzer, with the arguments of a program: calls a function with one input after the other.
///
/// By its name among the linker's, because no header declares it that Swift could import.
@_silgen_name("LLVMFuzzerRunDriver")
private func fuzz(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ take: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

// With SYRINX_SEEDS set, it writes packets made from the address table to that folder and ends.
if let folder = ProcessInfo.processInfo.environment["SYRINX_SEEDS"] {
  do {
    try Seeds.write(to: URL(fileURLWithPath: folder))
    exit(0)
  } catch {
    print("can't write the seeds: \(error)")
    exit(1)
  }
}

/// Takes an input the whole way of a packet, from the socket's buffer to the engine: libFuzzer calls it by
/// this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  Target.shared.take(UnsafeRawBufferPointer(start: bytes, count: count))
  return 0
}

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(fuzz(&count, &arguments, testOneInput))
