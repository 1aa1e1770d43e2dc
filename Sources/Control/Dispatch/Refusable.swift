internal import Feed
internal import InstrumentFiles
internal import Library
internal import Music
internal import Pictures
internal import Posix
internal import SoundFiles

/// An error that is reported to clients as a refusal.
protocol Refusable: Error {
  /// The code of the refusal.
  var refusalCode: Refusal.Code { get }
  /// One line: what was wrong, then what is accepted.
  var message: String { get }
}

extension Refusable {
  /// The refusal.
  var refusal: Refusal { Refusal(refusalCode, message) }
}

extension Refusable where Self: CustomStringConvertible {
  var message: String { description }
}

/// Runs `body`, and rethrows its error as a refusal, with `text` before the message, and with `code` in
/// place of the error's own.
func refusing<Value: ~Copyable, Fault: Refusable>(
  _ text: String = "", as code: Refusal.Code? = nil, _ body: () throws(Fault) -> Value
) throws(Refusal) -> Value {
  do throws(Fault) {
    return try body()
  } catch {
    throw Refusal(code ?? error.refusalCode, text + error.message)
  }
}

/// Runs `body`, and completes with the refusal that it throws.
func completing<Value>(
  _ ending: (Result<Value, Refusal>) -> Void, _ body: () throws(Refusal) -> Void
) {
  do throws(Refusal) { try body() } catch { ending(.failure(error)) }
}

extension Refusal: Refusable {
  var refusalCode: Code { code }
}

extension Never: Refusable {
  var refusalCode: Refusal.Code { switch self {} }
  var message: String { switch self {} }
}

extension SystemError: Refusable {
  var refusalCode: Refusal.Code { .io }
}

extension SoundFileError: Refusable {
  var refusalCode: Refusal.Code { kind == .missing ? .missing : .type }
}

extension MusicFault: Refusable {
  var refusalCode: Refusal.Code {
    switch kind {
    case .missing: .missing
    case .range: .range
    case .state: .state
    }
  }
}

extension PresetFault: Refusable {
  var refusalCode: Refusal.Code {
    switch kind {
    case .denied: .denied
    case .missing: .missing
    case .broken: .type
    case .full: .state
    case .io: .io
    }
  }
}

extension InstrumentFault: Refusable {
  var refusalCode: Refusal.Code {
    switch kind {
    case .missing: .missing
    case .broken: .type
    case .denied: .denied
    case .unwritable: .io
    case .tooLarge: .range
    }
  }
}

extension LibraryFault: Refusable {
  var refusalCode: Refusal.Code {
    switch kind {
    case .missing: .missing
    case .denied: .denied
    case .range: .range
    case .broken: .type
    case .io: .io
    case .busy: .busy
    }
  }
}

extension PictureFault: Refusable {
  var refusalCode: Refusal.Code {
    switch kind {
    case .missing: .missing
    case .unreachable, .unusable: .io
    }
  }
}

extension FeedFault: Refusable {
  var refusalCode: Refusal.Code { isMissing ? .missing : isPassing ? .io : .denied }
}
