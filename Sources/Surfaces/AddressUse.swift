package import Control

/// An address as a control uses it, with arguments that are checked against the table.
package struct AddressUse: Sendable {
  /// A constant argument.
  package enum Constant: Sendable, Equatable {
    case text(String)
    case number(Float)
  }

  /// The path to send to, with numbers for the table's parts in braces.
  package let path: String
  /// The address in the table.
  package let address: Address
  /// The constant arguments of each message.
  package var constants: [Constant] = []

  /// The range of numbers that the address takes.
  package var range: ClosedRange<Float> {
    let forms = address.forms
    if forms.count == 1, forms[0].range != Address.Form.anything {
      return Float(forms[0].range.lowerBound)...Float(forms[0].range.upperBound)
    }
    return address.range.least...address.range.greatest
  }

  /// Whether the first argument of the address is a whole number.
  package var isWhole: Bool { address.types.hasPrefix("i") }
}

extension AddressTable {
  /// Looks up an address that the node reports, with any arguments.
  package func reported(_ path: String) throws(SurfaceFault) -> AddressUse {
    AddressUse(path: path, address: try declared(path))
  }

  /// Looks up an address that takes one number in a range.
  package func number(_ path: String) throws(SurfaceFault) -> AddressUse {
    let use = AddressUse(path: path, address: try declared(path))
    guard ["i", "f"].contains(use.address.types), use.range.lowerBound < use.range.upperBound else {
      throw SurfaceFault("\(path) takes \"\(use.address.types)\", not one number in a range")
    }
    return use
  }

  /// Looks up an address that takes 0 or 1.
  package func flag(_ path: String) throws(SurfaceFault) -> AddressUse {
    let use = try number(path)
    guard use.isWhole, use.range == 0...1 else {
      throw SurfaceFault("\(path) takes values other than 0 and 1")
    }
    return use
  }

  /// Looks up an address that acts without arguments.
  package func action(_ path: String) throws(SurfaceFault) -> AddressUse {
    let address = try declared(path)
    guard address.act != nil, address.forms.allSatisfy(\.isOptional) else {
      throw SurfaceFault("\(path) needs arguments")
    }
    return AddressUse(path: path, address: address)
  }

  /// Looks up an address that takes these constants.
  package func constant(
    _ path: String, _ constants: AddressUse.Constant...
  ) throws(SurfaceFault) -> AddressUse {
    let address = try declared(path)
    try address.check(constants.map { .constant($0) })
    return AddressUse(path: path, address: address, constants: constants)
  }

  /// Looks up an address that takes one text, known only at run time.
  package func text(_ path: String) throws(SurfaceFault) -> AddressUse {
    let address = try declared(path)
    try address.check([.varying(.text)])
    return AddressUse(path: path, address: address)
  }

  /// Looks up an address, also one with numbers in its path.
  package func declared(_ path: String) throws(SurfaceFault) -> Address {
    if let address = self[path], !path.contains("{") { return address }
    if let numbered = Array(path.utf8).withUnsafeBytes(numbered) {
      return addresses[numbered.index]
    }
    throw SurfaceFault("\(path) is not an address of the node")
  }
}

/// An argument of a message: a constant, or a type with a value at run time.
enum Filling: Sendable {
  case constant(AddressUse.Constant)
  case varying(Address.Form.Kind)
}

extension Address {
  /// Throws if the address would refuse these arguments.
  func check(_ arguments: [Filling]) throws(SurfaceFault) {
    var rest = arguments[...]
    for form in forms {
      if let argument = rest.first, fits(argument, form) {
        rest = rest.dropFirst()
        while form.isRepeated, let next = rest.first, fits(next, form) { rest = rest.dropFirst() }
      } else if !form.isOptional {
        throw SurfaceFault(
          "\(path) takes \"\(types)\"; its \(form.name) is missing or does not fit")
      }
    }
    guard rest.isEmpty else {
      throw SurfaceFault("\(path) takes \"\(types)\", not \(arguments.count) of these arguments")
    }
  }

  private func fits(_ argument: Filling, _ form: Form) -> Bool {
    switch argument {
    case .varying(let kind):
      return (kind == .text) == (form.kind == .text)
    case .constant(.text(let text)):
      return form.kind == .text && form.words?.contains(text) ?? true
    case .constant(.number(let number)):
      return form.kind != .text && form.range.contains(Double(number))
        && (form.kind == .number || number == number.rounded())
        && (allowsZero || number != 0)
    }
  }
}
