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
    package let words: [String]?
    /// Whether it can be omitted.
    package let isOptional: Bool
    /// Whether it repeats to the end of the message.
    package let isRepeated: Bool
    /// Whether numbers and texts are both accepted and passed on unchanged.
    package let isOfAnyType: Bool

    private init(
      _ name: String, _ kind: Kind, _ range: ClosedRange<Double>, words: [String]? = nil,
      isOptional: Bool = false, isRepeated: Bool = false, isOfAnyType: Bool = false
    ) {
      self.name = name
      self.kind = kind
      self.range = range
      self.words = words
      self.isOptional = isOptional
      self.isRepeated = isRepeated
      self.isOfAnyType = isOfAnyType
    }

    /// A required argument.
    package static func needed(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name, kind, range)
    }

    /// An optional argument.
    package static func optional(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name, kind, range, isOptional: true)
    }

    /// Zero or more arguments, to the end of the message.
    ///
    /// Must be the last form.
    package static func rest(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name, kind, range, isOptional: true, isRepeated: true)
    }

    /// Zero or more texts or numbers, to the end of the message.
    ///
    /// Must be the last form.
    package static func rest(ofAnyType name: String) -> Form {
      Form(name, .text, Form.anything, isOptional: true, isRepeated: true, isOfAnyType: true)
    }

    /// A number as the only value of an address.
    package static func number(in range: ClosedRange<Float>) -> Form {
      Form("", .number, Double(range.lowerBound)...Double(range.upperBound))
    }

    /// A whole number as the only value of an address.
    package static func whole(in range: ClosedRange<Int>) -> Form {
      Form("", .whole, Double(range.lowerBound)...Double(range.upperBound))
    }

    /// A word of a choice as the only value of an address.
    package static func word(of words: [String]) -> Form {
      Form("", .text, anything, words: words)
    }

    /// A name as the only value of an address.
    package static let name = Form("", .text, anything)

    /// The range of an Int32.
    package static let anything = Double(Int32.min)...Double(Int32.max)

    /// Whether it is the only value of the address, and shares its name.
    package var isOnlyValue: Bool { name.isEmpty }
  }
}
