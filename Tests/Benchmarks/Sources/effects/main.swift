import Glibc
import Harness

let code = units.withUnsafeBufferPointer {
  harness_main(CommandLine.argc, CommandLine.unsafeArgv, $0.baseAddress, Int32($0.count))
}
exit(code)
