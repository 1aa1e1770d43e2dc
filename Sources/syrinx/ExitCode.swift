internal import Control
internal import Feed
internal import Glibc
internal import Library
internal import Posix
internal import Screen
internal import SoundFiles

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

  /// Creates the failure for an invalid option or argument, with the accepted values and the given text.
  static func usage(_ accepted: String, got text: String) -> Failure {
    Failure(.usage, "\(accepted); got \(quoted(text))")
  }

  /// Creates the failure of a server that can't listen on its port.
  static func cannotListen(_ error: SystemError, _ message: String) -> Failure {
    Failure(error.isAddressInUse ? .unavailable : .notPermitted, message)
  }

  /// Writes to standard output; throws if that fails.
  static func print(_ text: String) throws(Failure) { try print(Array(text.utf8)) }

  /// Writes to standard output; throws if that fails.
  static func print(_ bytes: [UInt8]) throws(Failure) {
    guard Environment.print(bytes) else {
      throw Failure(.cannotWrite, "can't write to standard output")
    }
  }

  // MARK: - Errors of other modules

  /// Returns the value of a system call, whose error ends the program after these words.
  @discardableResult
  static func of<Value>(
    _ code: ExitCode, _ words: String, _ value: @autoclosure () throws(SystemError) -> Value
  ) throws(Failure) -> Value {
    try system(try value()) { Failure(code, "\(words)\($0)") }
  }

  /// Runs an operation of the node for an option; its error ends the program.
  static func of(
    _ option: String, _ code: (Refusal) -> ExitCode = { _ in .usage },
    _ body: () throws(Refusal) -> Void
  ) throws(Failure) {
    do throws(Refusal) {
      try body()
    } catch {
      throw Failure(code(error), "\(option): \(error.message)")
    }
  }

  /// Runs an operation of another module; its error ends the program.
  static func of<Value, Fault: ProgramFault>(
    _ body: () throws(Fault) -> Value
  ) throws(Failure) -> Value {
    do throws(Fault) { return try body() } catch { throw error.failure }
  }
}

/// An error of another module that can end the program.
protocol ProgramFault: Error {
  /// The exit code and the line for people.
  var failure: Failure { get }
}

extension LibraryFault: ProgramFault {
  var failure: Failure {
    let code: ExitCode =
      switch kind {
      case .missing: .missingInput
      case .denied: .notPermitted
      case .range: .usage
      case .broken: .badInput
      case .io: .cannotWrite
      case .busy: .unavailable
      }
    return Failure(code, PlainText.line(message))
  }
}

extension BoardFault: ProgramFault {
  var failure: Failure { Failure(kind == .missing ? .missingInput : .unavailable, message) }
}

extension SoundFileError: ProgramFault {
  var failure: Failure {
    let code: ExitCode =
      switch kind {
      case .missing: .missingInput
      case .notSound: .badInput
      case .unknownEnding: .usage
      case .cannotWrite: .cannotWrite
      }
    return Failure(code, description)
  }
}

extension SystemSignals {
  /// The signals that ask a command to end.
  static func forTheEnd() throws(Failure) -> SystemSignals {
    try Failure.of(.fault, "", try SystemSignals([SIGINT, SIGTERM, SIGHUP]))
  }
}
