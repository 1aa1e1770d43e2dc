internal import Posix

/// The exit codes of the program, after sysexits.
enum ExitCode: Int32 {
  case success = 0
  case usage = 64
  case badInput = 65
  case missingInput = 66
  case unavailable = 69
  case fault = 70
  case cannotWrite = 73
  case notPermitted = 77
}

/// An error that ends the program: an exit code, and a line for people.
struct Failure: Error {
  let code: ExitCode
  let message: String

  init(_ code: ExitCode, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Writes to standard output; throws if that fails.
  static func print(_ text: String) throws(Failure) {
    guard Environment.print(text) else {
      throw Failure(.cannotWrite, "can't write to the standard output")
    }
  }
}
