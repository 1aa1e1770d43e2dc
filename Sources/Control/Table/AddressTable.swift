package import Engine
internal import OSC

/// The table of all addresses, with lookup by path and by parameter.
package struct AddressTable: Sendable {
  /// The addresses in listing order.
  package let addresses: [Address]
  private let indices: [String: Int]
  private let byParameter: [[Int]]
  // The parameter and range of addresses that set one number, by index. Nearly all messages are of this
  // kind.
  private let numbers: [(parameter: Parameter, range: ClosedRange<Float>)?]
  // For each address with aliases, the indices of all names of that address.
  private let names: [Int: [Int]]
  // Addresses with parts in braces.
  private let numbered: [(index: Int, parts: [[UInt8]?])]

  /// The table of a node with the default loops.
  package static let node = AddressTable(loops: LoopSetup())

  /// The table of a node with the maximum number of loops.
  package static let widest = AddressTable(loops: LoopSetup(count: Parameter.mostLoops))

  /// The addresses for the most loops there can be, each of a length in seconds.
  package static func widest(seconds: Double) -> AddressTable {
    AddressTable(loops: LoopSetup(count: Parameter.mostLoops, seconds: seconds))
  }

  /// The table of a node with these loops.
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
    indices = Dictionary(addresses.enumerated().map { ($1.path, $0) }) { _, index in
      preconditionFailure("duplicate address \(addresses[index].path)")
    }
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

  /// Finds the address with parts in braces that matches a path, such as `/grid/{row}/{column}`.
  ///
  /// Returns its index and the numbers in the path.
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

  // Numbers with more than nine digits are out of any range.
  private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard 1...9 ~= digits.count else { return nil }
    var number = 0
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
  }

  /// Returns the index of an address.
  package func index(of path: UnsafeRawBufferPointer) -> Int? {
    indices[String(decoding: path, as: UTF8.self)]
  }

  /// Returns the index of an address.
  package func index(of path: String) -> Int? { indices[path] }

  /// Returns the declaration of a path, and the numbers in it if the address has parts in braces.
  func declared(_ path: String) -> (address: Address, numbers: [Int])? {
    if let address = self[path] { return (address, []) }
    return Array(path.utf8).withUnsafeBytes(numbered).map { (addresses[$0.index], $0.numbers) }
  }

  /// The declaration of an address.
  package subscript(path: String) -> Address? {
    index(of: path).map { addresses[$0] }
  }

  /// Returns the indices of all addresses that set a parameter.
  func indices(of parameter: Parameter) -> [Int] { byParameter[parameter.number] }

  /// Returns the first address that sets a parameter.
  package func address(of parameter: Parameter) -> Address? {
    byParameter[parameter.number].first.map { addresses[$0] }
  }

  /// Returns the indices of all names of an address: its own and those of its aliases.
  func names(of index: Int) -> [Int] { names[index] ?? [index] }

  /// Whether the state file uses this name.
  ///
  /// An address with aliases is written under the first one listed.
  func isPersistedName(_ address: Address) -> Bool {
    index(of: address.path).map { names(of: $0)[0] == $0 } ?? false
  }

  /// Returns the parameter and range of an address that sets one number; nil for all others.
  func number(at index: Int) -> (parameter: Parameter, range: ClosedRange<Float>)? {
    numbers[index]
  }
}
