internal import Engine
package import OSC

/// An instruction that has been checked against its declaration.
package struct Request {
  /// Its arguments in the order of the forms; nil for one that was left out.
  package let arguments: [Argument?]
  /// Who sent it; nil for the node itself.
  package let client: Client?
  /// When it shall be in effect, in microseconds of the host's steady clock; nil for at once.
  package var due: Double?
  /// The numbers in its path, where the address stands for many.
  var numbers: [Int] = []

  /// The whole number at a place.
  func whole(_ index: Int) -> Int? {
    if case .int32(let value)? = arguments[index] { Int(value) } else { nil }
  }

  /// The number at a place.
  func number(_ index: Int) -> Double? { arguments[index]?.number }

  /// The text at a place.
  func text(_ index: Int) -> String? {
    arguments[index]?.text
  }
}

/// A command on its way to the audio thread, with what is to be done when it is in effect.
package struct PlannedCommand {
  /// What the audio thread is to do.
  let action: Command.Action
  /// When, in microseconds of the host's steady clock; nil for at once.
  var due: Double?
  /// What follows on the control side when it is on its way, where it has no time to wait for.
  var whenTaken: (() -> Void)?
  /// What follows on the control side, when it is done.
  var whenDone: (() -> Void)?
  /// What follows where the player does not do it.
  var whenRefused: ((PlayerRefusal) -> Void)?
}

/// What the messages of one packet come to.
package struct Plan {
  var commands: [PlannedCommand] = []
  /// Answers and doings, to follow when the commands have been accepted.
  var afterwards: [() -> Void] = []
  /// The address of the first command, for the error when there is no room.
  var firstPath = ""
  /// What was held and laid out before the first of them that changes it: it holds again where the
  /// commands are not accepted.
  var keyboardBefore: Keyboard?
}
