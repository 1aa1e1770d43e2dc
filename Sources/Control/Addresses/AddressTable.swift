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
  private let byParameter: [Int]
  private let kept: [Bool]
  // Those that stand for many, with a number for each part in braces.
  private let numbered: [(index: Int, parts: [[UInt8]?])]

  /// All that the node understands and sends.
  package static let node = AddressTable(
    Address.ofTheNode + Address.ofTheMixer + Address.ofTheChain + Address.ofTheTempo
      + Address.ofThePlayer + Address.ofTheLoop + Address.ofTheCapture + Address.ofTheTakes
      + Address.ofThePresets + Address.ofTheSongs + Address.ofTheInstruments
      + Address.ofTheGrid + Address.ofTheScales + Address.ofTheNotes + Address.ofThePhrase
      + Address.ofMIDI
      + Address.ofTheStatus)

  /// A table of these addresses, whose paths must differ.
  package init(_ addresses: [Address]) {
    self.addresses = addresses
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
    var byParameter = [Int](repeating: -1, count: Parameter.allCases.count)
    for (index, address) in addresses.enumerated() {
      if let parameter = address.parameter { byParameter[parameter.number] = index }
    }
    self.byParameter = byParameter
    kept = byParameter.map { $0 >= 0 && addresses[$0].isKept }
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

  /// The declaration behind a path, with the path as it is written, and the numbers in it where the
  /// address stands for many; nil for that address itself.
  func resolve(_ path: String) -> (address: Address, path: String, numbers: [Int])? {
    if let address = self[path] { return path.contains("{") ? nil : (address, path, []) }
    guard let (index, numbers) = Array(path.utf8).withUnsafeBytes(numbered) else { return nil }
    var left = numbers[...]
    let parts = addresses[index].path.split(separator: "/").map { part in
      part.hasPrefix("{") ? "/\(left.removeFirst())" : "/\(part)"
    }
    return (addresses[index], parts.joined(), numbers)
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

  /// The declaration of an address.
  package subscript(path: String) -> Address? {
    index(of: path).map { addresses[$0] }
  }

  /// The place of the address that sets a parameter.
  package func index(of parameter: Parameter) -> Int? {
    let index = byParameter[parameter.number]
    return index >= 0 ? index : nil
  }

  /// The address that sets a parameter.
  package func address(of parameter: Parameter) -> Address? {
    index(of: parameter).map { addresses[$0] }
  }

  /// Whether the value of a parameter is kept over a restart.
  func isKept(_ parameter: Parameter) -> Bool { kept[parameter.number] }

  /// FNV-1a.
  private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash & 0x7FFF_FFFF)
  }
}
