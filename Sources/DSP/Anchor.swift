internal import Synchronization

/// Keeps the state that has it where it is in memory.
///
/// The optimiser calls a method of a large struct by way of a copy of all of it on the stack, if
/// all that it holds can be copied as bytes: kilobytes there and back for each block. What holds
/// an atomic has an address of its own, and is called where it is.
struct Anchor: ~Copyable {
  private let address = Atomic<UInt8>(0)
}
