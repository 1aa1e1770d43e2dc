import Control
import Foundation
import Howl
import OSC

/// Random messages to all addresses: mostly valid, mostly about loops.
struct Chaos {
  var chance: Chance
  private let addresses: [Address]
  private let loops: [Address]

  /// The addresses that a gig leaves alone: they end the node, or reach other machines or files.
  private static let leftAlone = [
    "/quit", "/feed", "/post", "/settings/pictures", "/take/picture", "/take/import", "/species",
    "/music/folder", "/instrument/load", "/scene/check",
  ]
  private static let names = ["a", "b", "c", "major", "dorian", "A", "piano", "organ", "scene", ""]
  private static let pressed = ["note:40", "note:41", "note:42", "controller:64"]

  init(seed: Int, table: AddressTable) {
    chance = Chance(seed)
    addresses = table.addresses.filter { address in
      !Self.leftAlone.contains { address.path.hasPrefix($0) }
        && (address.value != nil || address.act != nil) && !address.path.contains("{")
    }
    loops = addresses.filter { $0.path.hasPrefix("/loop") }
  }

  /// Returns a packet.
  mutating func packet() -> [UInt8] {
    switch chance.number(0...1) {
    case ..<0.9: return message()
    case ..<0.97:
      let count = Int(chance.number(2...5.99))
      return [UInt8](bundle: (0..<count).map { _ in message() }, at: .immediately)
    default:
      // Corrupted in transit.
      var bytes = message()
      bytes[Int(chance.number(0...0.999_9) * Double(bytes.count))] ^=
        UInt8(1) << UInt8(chance.number(0...7.99))
      return bytes
    }
  }

  private mutating func message() -> [UInt8] {
    let address = chance.one(of: chance.number(0...1) < 0.6 ? loops : addresses)
    var path = address.path
    if path.hasPrefix("/loop/1/"), chance.number(0...1) < 0.1 {
      path = "/loop/*/" + path.dropFirst("/loop/1/".count)
    }
    // A value's address without arguments is a query.
    let arguments = address.value != nil && chance.number(0...1) < 0.1 ? [] : arguments(address)
    return [UInt8](address: path, arguments)
  }

  private mutating func arguments(_ address: Address) -> [Argument] {
    var all: [Argument] = []
    for form in address.forms {
      if form.isOptional, chance.number(0...1) < 0.5 { break }
      for _ in 0..<(form.isRepeated ? Int(chance.number(1...3.99)) : 1) {
        all.append(argument(form))
      }
    }
    return all
  }

  private mutating func argument(_ form: Address.Form) -> Argument {
    if chance.number(0...1) < 0.03 {
      return chance.one(of: [
        .string("loud"), .float(.nan), .float(.infinity), .int32(.min), .double(1e300), .bool(true),
      ])
    }
    if let words = form.words { return .string(chance.one(of: words)) }
    switch form.kind {
    case .text:
      return .string(chance.one(of: chance.number(0...1) < 0.7 ? Self.names : Self.pressed))
    case .whole:
      let (least, most) = (max(form.range.lowerBound, -20), min(form.range.upperBound, 130))
      return .int32(Int32(chance.number(least...max(least, most)).rounded()))
    case .number:
      let (least, most) = (max(form.range.lowerBound, -100), min(form.range.upperBound, 1000))
      let number = chance.number(least...max(least, most))
      return .float(
        Float(chance.one(of: [number, number.rounded(), least, most, min(max(0, least), most)])))
    }
  }
}
