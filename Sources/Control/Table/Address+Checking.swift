internal import OSC

extension Address {
  /// The value for the engine that one argument gives, or why it can't be taken.
  func value(from argument: Argument) throws(Refusal) -> Float {
    guard let form = forms.first, let taken = try take(argument, as: form) else {
      throw wrongType(got: [argument])
    }
    guard let words = form.words else { return Float(taken.number ?? 0) }
    return Float(words.firstIndex(of: taken.text ?? "") ?? 0)
  }

  /// The value for the engine of a number, where it lies in the range.
  func value(of number: Double, in range: ClosedRange<Float>) throws(Refusal) -> Float {
    // The bound 0.1 is a little more than the 0.1 that has twice the places, and is meant by it.
    let value = Float(number)
    guard range.contains(value) else { throw outOfRange(number) }
    return value
  }

  /// The refusal of a number that the address does not take.
  func outOfRange(_ number: Double) -> Refusal {
    let whole = forms.first?.kind == .whole ? "a whole number" : "a number"
    return Refusal(.range, "\(path) takes \(whole) \(bounds); got \(plain(number))")
  }

  /// The range of its number, in words with its unit.
  private var bounds: String {
    let (least, greatest) = range
    return "from \(plain(Double(least))) to \(plain(Double(greatest)))"
      + (unit.isEmpty ? "" : " \(unit)") + (allowsZero ? "" : ", but not 0")
  }

  /// The refusal of arguments of other types or number than the address takes.
  func wrongType(got arguments: [Argument]) -> Refusal {
    Refusal(.type, "\(path) takes \(usage); got \(Self.words(for: arguments))")
  }

  // So many arguments are told of: echoed whole, a long message would be answered by another one, for
  // each address that its pattern matches.
  private static let mostQuoted = 4

  /// Arguments as somebody would have typed them.
  private static func words(for arguments: [Argument]) -> String {
    guard !arguments.isEmpty else { return "nothing" }
    let words = arguments.prefix(mostQuoted).map { argument in
      if let text = argument.text { return quoted(text) }
      if case .bool(let flag) = argument { return flag ? "T" : "F" }
      return argument.number.map(plain) ?? "(\(argument.tag))"
    }
    return words.joined(separator: " ")
      + (arguments.count > mostQuoted ? " … (\(arguments.count) in all)" : "")
  }

  /// The arguments that it takes, in words.
  var usage: String {
    switch kind {
    case .event: return "nothing: only the node sends it"
    case .act(let act):
      return act.isButton ? "nothing, or a number as a button sends" : Self.usage(of: act.forms)
    case .value(let value):
      guard let form = value.forms.first else { return "nothing: it only tells" }
      guard form.isOnlyValue else {
        return Self.usage(of: value.forms) + ", or nothing to ask for what is set"
      }
      if let words = form.words {
        return "one of \(words.joined(separator: ", ")), or nothing to ask for its value"
      }
      return switch form.kind {
      case .number: "one number \(bounds), or nothing to ask for its value"
      case .whole: "one whole number \(bounds), or nothing to ask for its value"
      case .text: "one name, or nothing to ask for the present one"
      }
    }
  }

  private static func usage(of forms: [Form]) -> String {
    if forms.isEmpty { return "nothing" }
    return forms.map { form in
      let text = "\(form.kind.rawValue):\(form.name)"
      if form.isRepeated { return "[\(text)…]" }
      return form.isOptional ? "[\(text)]" : text
    }.joined(separator: " ")
  }

  /// The rest of a button's arguments, whose number has said all that it has to say; nil
  /// where that is a 0: the button was let go.
  func press(_ arguments: [Argument]) throws(Refusal) -> [Argument]? {
    guard arguments.count == 1, let number = arguments[0].number else { return arguments }
    guard number.isFinite else {
      throw Refusal(.range, "\(path) takes a finite number; got \(plain(number))")
    }
    return number == 0 ? nil : []
  }

  /// Matches arguments to forms: an optional one that is not there leaves a gap, also where one
  /// of another type follows, as in `[s:pattern] [i:port]`.
  func match(
    _ arguments: [Argument], to forms: [Form]
  ) throws(Refusal) -> [Argument?] {
    var rest = arguments[...]
    var matched: [Argument?] = []
    for form in forms {
      if form.isRepeated {
        while let argument = rest.first, let taken = try take(argument, as: form) {
          matched.append(taken)
          rest = rest.dropFirst()
        }
      } else if let argument = rest.first, let taken = try take(argument, as: form) {
        matched.append(taken)
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

  /// The argument as the form wants it; nil where it is of another type.
  private func take(_ argument: Argument, as form: Form) throws(Refusal) -> Argument? {
    if form.isOfAnyType {
      return argument.text != nil || argument.number?.isFinite == true ? argument : nil
    }
    if form.kind == .text { return try text(argument, as: form) }
    guard let number = argument.number else { return nil }
    if form.isOnlyValue { return try onlyValue(number, form) }
    let isWhole = form.kind == .whole
    guard form.range.contains(number), !isWhole || number == number.rounded() else {
      throw Refusal(
        .range,
        "\(path) takes a\(isWhole ? " whole" : "") number from \(plain(form.range.lowerBound))"
          + " to \(plain(form.range.upperBound)) as its \(form.name); got \(plain(number))")
    }
    return isWhole ? .int32(Int32(number)) : .double(number)
  }

  private func text(_ argument: Argument, as form: Form) throws(Refusal) -> Argument? {
    guard let text = argument.text else { return nil }
    guard form.words?.contains(text) ?? true else {
      throw Refusal(
        .range,
        "\(path) takes one of \(form.words?.joined(separator: ", ") ?? ""); got \(quoted(text))")
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

/// A number as people write it: without the places that say nothing.
package func plain(_ number: Double) -> String {
  if number.isNaN { return "NaN" }
  if number.isInfinite { return number < 0 ? "-infinity" : "infinity" }
  if number == number.rounded(), abs(number) < 1e15 { return "\(Int64(number))" }
  let single = Float(number)
  return Double(single) == number ? "\(single)" : "\(number)"
}

/// A text in quotes, cut to a length that fits a line.
package func quoted(_ text: String) -> String {
  let isLong = text.utf8.count > 60
  return "\"\(isLong ? String(decoding: text.utf8.prefix(60), as: UTF8.self) + "…" : text)\""
}
