extension Address {
  /// The form of one argument.
  package struct Form: Sendable {
    /// The type of an argument.
    package enum Kind: Character, Sendable {
      case whole = "i"
      case number = "f"
      case text = "s"
    }

    /// The name in usage texts; empty if it is the only value of the address.
    package let name: String
    /// The type.
    package let kind: Kind
    /// The range of a number.
    package let range: ClosedRange<Double>
    /// The accepted words of a text; nil if it is free.
    package private(set) var words: [String]?
    /// Whether the argument can be omitted.
    package private(set) var isOptional = false
    /// Whether the argument repeats to the end of the message.
    package private(set) var isRepeated = false
    /// Whether numbers and texts are both accepted and passed on unchanged.
    package private(set) var isOfAnyType = false

    /// A required argument.
    package static func needed(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name: name, kind: kind, range: range)
    }

    /// An optional argument.
    package static func optional(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name: name, kind: kind, range: range, isOptional: true)
    }

    /// An optional word of a choice.
    package static func optional(_ name: String, of words: [String]) -> Form {
      Form(name: name, kind: .text, range: anything, words: words, isOptional: true)
    }

    /// Zero or more arguments, to the end of the message.
    ///
    /// Must be the last form.
    package static func rest(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name: name, kind: kind, range: range, isOptional: true, isRepeated: true)
    }

    /// Zero or more texts or numbers, to the end of the message.
    ///
    /// Must be the last form.
    package static func rest(ofAnyType name: String) -> Form {
      Form(
        name: name, kind: .text, range: anything, isOptional: true, isRepeated: true,
        isOfAnyType: true)
    }

    /// A number as the only value of an address.
    package static func number(in range: ClosedRange<Float>) -> Form {
      Form(name: "", kind: .number, range: Double(range.lowerBound)...Double(range.upperBound))
    }

    /// A whole number as the only value of an address.
    package static func whole(in range: ClosedRange<Int>) -> Form {
      Form(name: "", kind: .whole, range: Double(range.lowerBound)...Double(range.upperBound))
    }

    /// A word of a choice as the only value of an address.
    package static func word(of words: [String]) -> Form {
      Form(name: "", kind: .text, range: anything, words: words)
    }

    /// A name as the only value of an address.
    package static let name = Form(name: "", kind: .text, range: anything)

    /// The range of an Int32.
    package static let anything = Double(Int32.min)...Double(Int32.max)

    /// Whether the argument is the only value of the address, and shares its name.
    package var isOnlyValue: Bool { name.isEmpty }
  }
}
