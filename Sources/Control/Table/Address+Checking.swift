internal import OSC

extension Address {
  /// Converts an argument to a value of the engine, or throws.
  func value(from argument: Argument) throws(Refusal) -> Float {
    guard let form = forms.first, let converted = try convert(argument, as: form) else {
      throw wrongType(got: [argument])
    }
    guard let words = form.words else { return Float(converted.number ?? 0) }
    return Float(words.firstIndex(of: converted.text ?? "") ?? 0)
  }

  /// Converts a number to a value of the engine, or throws if it is out of range.
  func value(of number: Double, in range: ClosedRange<Float>) throws(Refusal) -> Float {
    // Compared as Float, so that 0.1 from a double lies within a bound of 0.1.
    let value = Float(number)
    guard range.contains(value) else { throw outOfRange(number) }
    return value
  }

  /// The refusal of a number out of range.
  func outOfRange(_ number: Double) -> Refusal {
    if forms.first?.kind == .whole, number != number.rounded() {
      return Refusal(.range, "\(path): \(plain(number)) is not a whole number (\(bounds))")
    }
    return Refusal(.range, "\(path): \(plain(number)) is out of range (\(bounds))")
  }

  /// The range of its number, with the unit.
  private var bounds: String {
    let (least, greatest) = range
    return "\(plain(Double(least))) to \(plain(Double(greatest)))"
      + (unit.isEmpty ? "" : " \(unit)") + (allowsZero ? "" : ", not 0")
  }

  /// The refusal of arguments with the wrong types or count.
  func wrongType(got arguments: [Argument]) -> Refusal {
    Refusal(.type, "\(path): \(Self.words(for: arguments)); expected \(usage)")
  }

  // The number of arguments quoted in an error. A long message that matches many addresses would otherwise
  // be echoed in full for each.
  private static let mostQuoted = 4

  /// Formats arguments for an error.
  private static func words(for arguments: [Argument]) -> String {
    guard !arguments.isEmpty else { return "no arguments" }
    let words = arguments.prefix(mostQuoted).map { argument in
      if let text = argument.text { return quoted(text) }
      if case .bool(let flag) = argument { return flag ? "T" : "F" }
      return argument.number.map(plain) ?? "(\(argument.tag))"
    }
    return "got " + words.joined(separator: " ")
      + (arguments.count > mostQuoted ? " … (\(arguments.count) arguments)" : "")
  }

  /// The accepted arguments, in words.
  var usage: String {
    switch kind {
    case .event: return "no message, only the node sends it"
    case .act(let act):
      return act.isButton ? "no arguments, or the number of a button" : Self.usage(of: act.forms)
    case .value(let value):
      guard let form = value.forms.first else { return "no arguments, it is read-only" }
      guard form.isOnlyValue else {
        return Self.usage(of: value.forms) + ", or none to query"
      }
      if let words = form.words {
        return "one of \(words.joined(separator: ", ")), or none to query"
      }
      return switch form.kind {
      case .number: "one number (\(bounds)), or none to query"
      case .whole: "one whole number (\(bounds)), or none to query"
      case .text: "one name, or none to query"
      }
    }
  }

  private static func usage(of forms: [Form]) -> String {
    if forms.isEmpty { return "no arguments" }
    return forms.map { form in
      let text = "\(form.kind.rawValue):\(form.name)"
      if form.isRepeated { return "[\(text)…]" }
      return form.isOptional ? "[\(text)]" : text
    }.joined(separator: " ")
  }

  /// Strips the number of a button.
  ///
  /// Returns the remaining arguments, or nil for 0, which is a release.
  func press(_ arguments: [Argument]) throws(Refusal) -> [Argument]? {
    guard arguments.count == 1, let number = arguments[0].number else { return arguments }
    guard number.isFinite else {
      throw Refusal(.range, "\(path): \(plain(number)) is not a finite number")
    }
    return number == 0 ? nil : []
  }

  /// Matches arguments to forms.
  ///
  /// A missing optional argument leaves a gap, even if one of another type follows, as in `[s:pattern]
  /// [i:port]`.
  func match(
    _ arguments: [Argument], to forms: [Form]
  ) throws(Refusal) -> [Argument?] {
    var rest = arguments[...]
    var matched: [Argument?] = []
    for form in forms {
      if form.isRepeated {
        while let argument = rest.first, let converted = try convert(argument, as: form) {
          matched.append(converted)
          rest = rest.dropFirst()
        }
      } else if let argument = rest.first, let converted = try convert(argument, as: form) {
        matched.append(converted)
        rest = rest.dropFirst()
      } else if form.isOptional {
        matched.append(nil)
      } else {
        throw wrongType(got: arguments)
      }
    }
    guard rest.isEmpty else { throw wrongType(got: arguments) }
    return matched
  }

  /// Converts an argument to the type of a form; nil if the type does not match.
  private func convert(_ argument: Argument, as form: Form) throws(Refusal) -> Argument? {
    if form.isOfAnyType {
      return argument.text != nil || argument.number?.isFinite == true ? argument : nil
    }
    if form.kind == .text { return try text(argument, as: form) }
    guard let number = argument.number else { return nil }
    if form.isOnlyValue { return try onlyValue(number, form) }
    let isWhole = form.kind == .whole
    guard form.range.contains(number), !isWhole || number == number.rounded() else {
      // An argument that is named after its unit has that behind its range.
      let isUnit = form.name == unit
      throw Refusal(
        .range,
        "\(path): " + (isUnit ? "" : "\(form.name) ") + "\(plain(number)) is "
          + (isWhole && number != number.rounded() ? "not a whole number" : "out of range")
          + " (\(plain(form.range.lowerBound)) to \(plain(form.range.upperBound))"
          + (isUnit ? " \(unit))" : ")"))
    }
    return isWhole ? .int32(Int32(number)) : .double(number)
  }

  private func text(_ argument: Argument, as form: Form) throws(Refusal) -> Argument? {
    guard let text = argument.text else { return nil }
    guard form.words?.contains(text) ?? true else {
      throw Refusal(
        .range,
        "\(path): \(quoted(text)) is not one of \(form.words?.joined(separator: ", ") ?? "")")
    }
    return .string(text)
  }

  private func onlyValue(_ number: Double, _ form: Form) throws(Refusal) -> Argument {
    guard form.kind == .whole else {
      let (least, greatest) = range
      return .float(try value(of: number, in: least...greatest))
    }
    guard form.range.contains(number), number == number.rounded(), allowsZero || number != 0 else {
      throw outOfRange(number)
    }
    return .int32(Int32(number))
  }
}

/// Formats a number without trailing zeros.
package func plain(_ number: Double) -> String {
  if number.isNaN { return "NaN" }
  if number.isInfinite { return number < 0 ? "-infinity" : "infinity" }
  if number == number.rounded(), abs(number) < 1e15 { return "\(Int64(number))" }
  let single = Float(number)
  return Double(single) == number ? "\(single)" : "\(number)"
}

/// Quotes text, truncated to 60 bytes.
package func quoted(_ text: String) -> String {
  let isLong = text.utf8.count > 60
  return "\"\(isLong ? String(decoding: text.utf8.prefix(60), as: UTF8.self) + "…" : text)\""
}
