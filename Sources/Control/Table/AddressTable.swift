package import Engine
internal import OSC

/// All addresses, and the ways to find them.
package struct AddressTable: Sendable {
  /// The addresses in the order in which they are listed.
  package let addresses: [Address]
  // An open-addressed hash table over the bytes of the paths: a message finds its address
  // without becoming a String first.
  private let slots: [Int16]
  private let paths: [[UInt8]]
  private let byParameter: [[Int]]
  // Nearly all messages are one number for a parameter: what it takes, by the place of its address.
  private let numbers: [(parameter: Parameter, range: ClosedRange<Float>)?]
  // The places of all names of an address that has aliases, by the place of each of them.
  private let names: [Int: [Int]]
  // Those that stand for many, with a number for each part in braces.
  private let numbered: [(index: Int, parts: [[UInt8]?])]

  /// All that the node understands and sends.
  package static let node = AddressTable(loops: LoopSetup())

  /// The same for as many loops as there can be.
  package static let widest = AddressTable(loops: LoopSetup(count: Parameter.mostLoops))

  /// The addresses for the most loops there can be, each of a length in seconds.
  package static func widest(seconds: Double) -> AddressTable {
    AddressTable(loops: LoopSetup(count: Parameter.mostLoops, seconds: seconds))
  }

  /// All that a node with these loops understands and sends.
  package init(loops: LoopSetup) {
    self.init(Features.types.flatMap { $0.addresses(loops) })
  }

  /// A table of these addresses, whose paths must differ.
  ///
  /// The target of each alias must be one of them.
  package init(_ declared: [Address]) {
    let byPath = Dictionary(declared.map { ($0.path, $0) }) { first, _ in first }
    let addresses = declared.map { address in
      guard let target = address.target else { return address }
      guard let declaration = byPath[target.path], declaration.target == nil else {
        preconditionFailure("\(address.path): no declaration of \(target.path)")
      }
      return address.filled(from: declaration)
    }
    self.addresses = addresses
    let groups = Dictionary(grouping: addresses.indices) { index in
      let address = addresses[index]
      return address.target.map { $0.selected == nil ? $0.path : address.path } ?? address.path
    }
    names = groups.values.filter { $0.count > 1 }.reduce(into: [:]) { names, group in
      for index in group { names[index] = group }
    }
    paths = addresses.map { Array($0.path.utf8) }
    var count = 64
    while count < addresses.count * 4 { count *= 2 }
    var slots = [Int16](repeating: -1, count: count)
    for (index, path) in paths.enumerated() {
      var slot = path.withUnsafeBytes(Self.hash) & (count - 1)
      while slots[slot] >= 0 {
        precondition(paths[Int(slots[slot])] != path, "\(addresses[index].path) stands twice")
        slot = (slot + 1) & (count - 1)
      }
      slots[slot] = Int16(index)
    }
    self.slots = slots
    var byParameter = [[Int]](repeating: [], count: Parameter.numbers)
    for (index, address) in addresses.enumerated() {
      if let parameter = address.parameter { byParameter[parameter.number].append(index) }
    }
    self.byParameter = byParameter
    numbers = addresses.map { address in
      guard let parameter = address.parameter, address.forms.first?.kind == .number else {
        return nil
      }
      return (parameter, address.range.least...address.range.greatest)
    }
    numbered = addresses.indices.filter { addresses[$0].path.contains("{") }.map { index in
      let parts = addresses[index].path.split(separator: "/")
      return (index, parts.map { $0.hasPrefix("{") ? nil : Array($0.utf8) })
    }
  }

  /// The place of an address that stands for many, such as `/grid/{row}/{column}`, and the numbers
  /// that a path has for its parts in braces.
  package func numbered(_ path: UnsafeRawBufferPointer) -> (index: Int, numbers: [Int])? {
    let parts = path.split(separator: UInt8(ascii: "/"))
    for address in numbered where address.parts.count == parts.count {
      var numbers: [Int] = []
      let fits = zip(address.parts, parts).allSatisfy { known, part in
        if let known { return part.elementsEqual(known) }
        guard let number = Self.number(part) else { return false }
        numbers.append(number)
        return true
      }
      if fits { return (address.index, numbers) }
    }
    return nil
  }

  // All that is long is as far beyond whatever there is.
  private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard 1...9 ~= digits.count else { return nil }
    var number = 0
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
  }

  /// The place of an address in the table.
  package func index(of path: UnsafeRawBufferPointer) -> Int? {
    var slot = Self.hash(path) & (slots.count - 1)
    while slots[slot] >= 0 {
      let index = Int(slots[slot])
      let known = paths[index]
      if known.count == path.count && known.withUnsafeBytes({ $0.elementsEqual(path) }) {
        return index
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// The place of an address in the table.
  package func index(of path: String) -> Int? {
    Array(path.utf8).withUnsafeBytes(index(of:))
  }

  /// The declaration of an address, and its numbers, where it is one of those that stand for many.
  func declared(_ path: String) -> (address: Address, numbers: [Int])? {
    if let address = self[path] { return (address, []) }
    return Array(path.utf8).withUnsafeBytes(numbered).map { (addresses[$0.index], $0.numbers) }
  }

  /// The declaration of an address.
  package subscript(path: String) -> Address? {
    index(of: path).map { addresses[$0] }
  }

  /// The place of the address that sets a parameter; of several, the first.
  package func index(of parameter: Parameter) -> Int? { byParameter[parameter.number].first }

  /// The places of all addresses that set a parameter.
  func indices(of parameter: Parameter) -> [Int] { byParameter[parameter.number] }

  /// The address that sets a parameter.
  package func address(of parameter: Parameter) -> Address? {
    index(of: parameter).map { addresses[$0] }
  }

  /// The places of all names of the address at a place: an address with its aliases.
  func names(of index: Int) -> [Int] { names[index] ?? [index] }

  /// Whether the state of the node is written under this name: of several, under the first.
  func isPersistedName(_ address: Address) -> Bool {
    index(of: address.path).map { names(of: $0)[0] == $0 } ?? false
  }

  /// The parameter that the address at a place sets to a number, and the range of that; nil where it
  /// does something else.
  func number(at index: Int) -> (parameter: Parameter, range: ClosedRange<Float>)? {
    numbers[index]
  }

  /// FNV-1a.
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash & 0x7FFF_FFFF)
  }
}
