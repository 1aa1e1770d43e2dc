import Control
import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Walks the whole address table, so that what is added to it is checked without a word here.
  @Suite struct PortCheckerTests {
    private let server: JackServer
    private let node: NodeProcess
    private let phone: Phone

    init() throws { (server, node, phone) = try startNode() }

    private func code(_ received: Received?) -> String? {
      received?.address == "/error" ? received?.arguments[1].text : nil
    }

    /// The next error that an address has to tell; what another one found out meanwhile is left.
    private func error(of path: String) -> Received? {
      while let received = phone.receive("/error") {
        if received.arguments.first == .string(path) { return received }
      }
      return nil
    }

    private func set(_ address: Address, _ argument: Argument) -> Received? {
      phone.send(address.path, argument)
      return phone.ask(address.path)
    }

    @Test(.timeLimit(.minutes(2)))
    func `every value takes its least, greatest and first, and refuses what is beyond`() throws {
      for address in AddressTable.node.addresses where address.parameter != nil {
        let path = address.path
        switch address.kind {
        case .number(_, let range, let initial):
          for value in [range.lowerBound, range.upperBound, initial] {
            #expect(set(address, .float(value)) == Received(path, [.float(value)]))
            #expect(set(address, .double(Double(value))) == Received(path, [.float(value)]))
          }
          for value in [
            range.lowerBound.nextDown, range.upperBound.nextUp, .nan, .infinity, -.infinity,
          ] {
            phone.send(path, .float(value))
            #expect(code(phone.receive()) == "range", "\(path) \(value)")
          }
          #expect(phone.ask(path) == Received(path, [.float(initial)]))
        case .whole(_, let range, let initial):
          for value in [range.lowerBound, range.upperBound, initial] {
            #expect(set(address, .int32(Int32(value))) == Received(path, [.int32(Int32(value))]))
            #expect(set(address, .float(Float(value))) == Received(path, [.int32(Int32(value))]))
          }
          for argument: Argument in [
            .int32(Int32(range.lowerBound - 1)), .int32(Int32(range.upperBound + 1)),
            .float(Float(range.lowerBound) + 0.5), .float(.nan),
          ] {
            phone.send(path, argument)
            #expect(code(phone.receive()) == "range", "\(path) \(argument)")
          }
        case .choice(_, let words, let initial):
          for word in words + [words[initial]] {
            #expect(set(address, .string(word)) == Received(path, [.string(word)]))
          }
          phone.send(path, .string("no such word"))
          #expect(code(phone.receive()) == "range", "\(path)")
        default: break
        }
        for wrong in [[Argument.blob([1])], [.nil], [.float(0), .float(0), .string("x")]] {
          phone.send(bytes: [UInt8](address: path, wrong))
          #expect(code(phone.receive()) == "type", "\(path) \(wrong)")
        }
      }
      #expect(phone.sync())
    }

    @Test(.timeLimit(.minutes(2)))
    func `what is read or done answers, refuses wrong types, and leaves the node whole`() throws {
      for address in AddressTable.node.addresses where address.parameter == nil {
        switch address.kind {
        case .reading(let types, _, _):
          let answer = try #require(phone.ask(address.path))
          let tags = String(answer.arguments.map(\.tag))
          // As many as there are of the last one.
          #expect(types.last == "…" ? tags.allSatisfy { $0 == types.first } : tags == types)
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
        case .action(let forms, let isButton, _):
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
          if isButton {
            // The button's 0 must do nothing, whatever the button does.
            phone.send(address.path, .float(0))
          } else {
            phone.send(bytes: [UInt8](address: address.path, Self.sample(forms)))
          }
        case .errand(let forms, let end, _, _):
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
          phone.send(bytes: [UInt8](address: address.path, Self.sample(forms)))
          // A question is answered on its own address.
          let ends = [end, address.path, "/error"]
          #expect(!phone.receive(untilOneOf: ends).isEmpty, "\(address.path)")
        case .setting(let forms, _, _):
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
          let sample = Self.sample(forms)
          phone.send(bytes: [UInt8](address: address.path, sample))
          let asked = try #require(phone.ask(address.path))
          #expect(asked.arguments.map(\.number) == sample.map(\.number), "\(address.path)")
        case .gesture(let forms, let isButton, _):
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
          if isButton { phone.send(address.path, .float(0)) }
          phone.send(bytes: [UInt8](address: address.path, Self.sample(forms)))
          #expect(phone.sync())
        case .arrangement(let forms, _, _):
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
          let before = try #require(phone.ask(address.path))
          // A name is one that there is, or is refused and changes nothing.
          phone.send(bytes: [UInt8](address: address.path, Self.sample(forms)))
          let after = try #require(phone.ask(address.path))
          let isName = forms.contains { $0.kind == .text }
          #expect(
            isName
              ? after == before : after.arguments.map(\.number) == Self.sample(forms).map(\.number),
            "\(address.path)")
        case .command(let forms, _, _):
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
          phone.send(bytes: [UInt8](address: address.path, Self.sample(forms)))
          // What it says to that comes before the answer to what follows.
          #expect(phone.sync())
        case .place(let range, _, _):
          #expect(phone.ask(address.path)?.arguments.map(\.tag) == ["f"])
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
          phone.send(address.path, .float(range.upperBound.nextUp))
          #expect(code(error(of: address.path)) == "range", "\(address.path)")
        case .selection:
          #expect(phone.ask(address.path)?.arguments.map(\.tag) == ["s"])
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
          phone.send(address.path, .string("no such name"))
          #expect(code(error(of: address.path)) == "missing", "\(address.path)")
        case .toggle:
          #expect(phone.ask(address.path)?.arguments == [.int32(0)])
          phone.send(address.path, .blob([1]))
          #expect(code(error(of: address.path)) == "type", "\(address.path)")
          phone.send(address.path, .int32(2))
          #expect(code(error(of: address.path)) == "range", "\(address.path)")
          for value: Int32 in [1, 0] {
            phone.send(address.path, .int32(value))
            #expect(phone.sync())
            // A subscriber was told by itself, too.
            _ = phone.receiveAll(seconds: 0.1)
            #expect(phone.ask(address.path)?.arguments == [.int32(value)])
          }
        case .sent:
          phone.send(address.path, .string("x"))
        default: break
        }
      }
      _ = phone.receiveAll(seconds: 0.3)
      #expect(phone.sync())
      #expect(node.isRunning)
    }

    // What can be left out is: a port, say, would take the answers elsewhere.
    private static func sample(_ forms: [Address.Form]) -> [Argument] {
      forms.filter { !$0.isOptional }.map { form in
        switch form.kind {
        case .whole: .int32(Int32(form.range.clampedOne))
        case .number: .float(Float(form.range.clampedOne))
        case .text: .string("sample")
        }
      }
    }

    @Test func `the list over the wire is the table`() throws {
      phone.send("/addresses")
      var listed: [String] = []
      while let message = phone.receive(), message.address == "/address" {
        listed.append(try #require(message.arguments[0].text))
      }
      #expect(listed == AddressTable.node.addresses.map(\.path))
    }
  }
}

extension ClosedRange<Double> {
  /// 1, or what is nearest to it in the range.
  fileprivate var clampedOne: Double { Swift.min(Swift.max(1, lowerBound), upperBound) }
}
