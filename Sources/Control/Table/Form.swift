extension Address {
  /// One argument that an address takes.
  package struct Form: Sendable {
    /// The type of an argument.
    package enum Kind: Character, Sendable {
      case whole = "i"
      case number = "f"
      case text = "s"
    }

    /// Its name in the help; empty where it is the address's only value.
    package let name: String
    /// Its type.
    package let kind: Kind
    /// The values that it may have, where it is a number.
    package let range: ClosedRange<Double>
    /// The words that it may be, where it is a text of a few; nil where it is any.
    package let words: [String]?
    /// Whether it can be left out.
    package let isOptional: Bool
    /// Whether there can be as many of it as there are, to the end of the message.
    package let isRepeated: Bool
    /// Whether it is taken as it comes, be it a number or a text.
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

    /// An argument that is needed.
    package static func needed(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name, kind, range)
    }

    /// An argument that can be left out.
    package static func optional(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name, kind, range, isOptional: true)
    }

    /// As many arguments as there are, to the end; the last of the forms.
    package static func rest(
      _ name: String, _ kind: Kind, in range: ClosedRange<Double> = Form.anything
    ) -> Form {
      Form(name, kind, range, isOptional: true, isRepeated: true)
    }

    /// As many texts and numbers as there are, to the end, each as it comes; the last of the forms.
    package static func rest(ofAnyType name: String) -> Form {
      Form(name, .text, Form.anything, isOptional: true, isRepeated: true, isOfAnyType: true)
    }

    /// The only value of an address, a number.
    package static func number(in range: ClosedRange<Float>) -> Form {
      Form("", .number, Double(range.lowerBound)...Double(range.upperBound))
    }

    /// The only value of an address, a whole number.
    package static func whole(in range: ClosedRange<Int>) -> Form {
      Form("", .whole, Double(range.lowerBound)...Double(range.upperBound))
    }

    /// The only value of an address, one word of a few.
    package static func word(of words: [String]) -> Form {
      Form("", .text, anything, words: words)
    }

    /// The only value of an address, a name.
    package static let name = Form("", .text, anything)

    /// All that 32 bits hold.
    package static let anything = Double(Int32.min)...Double(Int32.max)

    /// Whether it is the address's only value, which the address's own name stands for.
    package var isOnlyValue: Bool { name.isEmpty }
  }
}
