import Control
import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Walks the whole address table, so that new addresses are tested without a change here.
  @Suite struct PortCheckerTests {
    private let server: JackServer
    private let node: NodeProcess
    private let phone: Phone

    init() throws { (server, node, phone) = try startNode() }

    private func code(_ received: Received?) -> String? {
      received?.address == "/error" ? received?.arguments[1].text : nil
    }

    /// The next error of an address, skipping those of others.
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

    @Test(.hangLimit)
    func `every value accepts its minimum, maximum and default, and refuses values beyond`() throws
    {
      for address in AddressTable.node.addresses where address.parameter != nil {
        let path = address.path
        let (least, greatest) = address.range
        let initial = try #require(address.initial)
        if let words = address.words {
          for word in words + [words[Int(initial)]] {
            #expect(set(address, .string(word)) == Received(path, [.string(word)]))
          }
          phone.send(path, .string("no such word"))
          #expect(code(phone.receive()) == "range", "\(path)")
        } else if address.types == "i" {
          for value in [least, greatest, initial] {
            #expect(set(address, .int32(Int32(value))) == Received(path, [.int32(Int32(value))]))
            #expect(set(address, .float(value)) == Received(path, [.int32(Int32(value))]))
          }
          for argument: Argument in [
            .int32(Int32(least) - 1), .int32(Int32(greatest) + 1), .float(least + 0.5),
            .float(.nan),
          ] {
            phone.send(path, argument)
            #expect(code(phone.receive()) == "range", "\(path) \(argument)")
          }
        } else {
          for value in [least, greatest, initial] {
            #expect(set(address, .float(value)) == Received(path, [.float(value)]))
            #expect(set(address, .double(Double(value))) == Received(path, [.float(value)]))
          }
          for value in [least.nextDown, greatest.nextUp, .nan, .infinity, -.infinity] {
            phone.send(path, .float(value))
            #expect(code(phone.receive()) == "range", "\(path) \(value)")
          }
          #expect(phone.ask(path) == Received(path, [.float(initial)]))
        }
        for wrong in [[Argument.blob([1])], [.nil], [.float(0), .float(0), .string("x")]] {
          phone.send(bytes: [UInt8](address: path, wrong))
          #expect(code(phone.receive()) == "type", "\(path) \(wrong)")
        }
      }
      #expect(phone.sync())
    }

    @Test(.hangLimit)
    func `queries and commands reply, refuse wrong types, and leave the node intact`() throws {
      for address in AddressTable.node.addresses where address.parameter == nil {
        switch address.kind {
        case .value(let value): try check(value, of: address)
        case .act(let act): check(act, of: address)
        case .event: phone.send(address.path, .string("x"))
        }
      }
      _ = phone.receiveAll(seconds: 0.3)
      #expect(phone.sync())
      #expect(node.isRunning)
    }

    private func check(_ value: Address.Value, of address: Address) throws {
      let path = address.path
      let before = try #require(phone.ask(path))
      phone.send(path, .blob([1]))
      #expect(code(error(of: path)) == "type", "\(path)")
      guard let form = value.forms.first else {
        let tags = String(before.arguments.map(\.tag))
        let types = address.types
        // With a … at the end, the first type repeats.
        #expect(types.last == "…" ? tags.allSatisfy { $0 == types.first } : tags == types)
        return
      }
      if value.isProcess {
        checkProcess(path, before)
      } else if let end = value.end {
        phone.send(bytes: [UInt8](address: path, Self.sample(value.forms)))
        #expect(!phone.receive(untilOneOf: [end, path, "/error"]).isEmpty, "\(path)")
      } else if form.isOnlyValue {
        #expect(before.arguments.map(\.tag) == [form.kind.rawValue])
        let isName = form.kind == .text
        phone.send(
          path, isName ? .string("no such name") : .float(Float(form.range.upperBound).nextUp))
        // An unknown name is missing; an invalid word or URL is out of range.
        let codes = isName ? ["missing", "range"] : ["range"]
        #expect(codes.contains(code(error(of: path)) ?? ""), "\(path)")
      } else {
        let sample = Self.sample(value.forms)
        phone.send(bytes: [UInt8](address: path, sample))
        let after = try #require(phone.ask(path))
        // A name exists, or is refused without a change; any text is accepted.
        let isName = value.forms.contains { $0.kind == .text }
        #expect(
          isName
            ? after == before || after.arguments.map(\.text) == sample.map(\.text)
            : after.arguments.map(\.number) == sample.map(\.number),
          "\(path)")
      }
    }

    private func checkProcess(_ path: String, _ before: Received) {
      #expect(before.arguments == [.int32(0)], "\(path)")
      phone.send(path, .int32(2))
      #expect(code(error(of: path)) == "range", "\(path)")
      for value: Int32 in [1, 0] {
        phone.send(path, .int32(value))
        #expect(phone.sync())
        // A subscriber is notified, too.
        _ = phone.receiveAll(seconds: 0.1)
        #expect(phone.ask(path)?.arguments == [.int32(value)], "\(path)")
      }
    }

    private func check(_ act: Address.Act, of address: Address) {
      let path = address.path
      phone.send(path, .blob([1]))
      #expect(code(error(of: path)) == "type", "\(path)")
      // A button's 0 must have no effect, whatever its 1 does.
      if act.isButton { phone.send(path, .float(0)) }
      if let end = act.end {
        phone.send(bytes: [UInt8](address: path, Self.sample(act.forms)))
        // The reply to a query has the query's address.
        #expect(!phone.receive(untilOneOf: [end, path, "/error"]).isEmpty, "\(path)")
      } else if act.isPlanned || !act.isButton {
        phone.send(bytes: [UInt8](address: path, Self.sample(act.forms)))
        // Its replies come before the reply to the next message.
        if act.isPlanned { #expect(phone.sync()) }
      }
    }

    // Optional arguments are omitted: a port, say, would redirect the replies.
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
  /// 1, or the nearest value in the range.
  fileprivate var clampedOne: Double { Swift.min(Swift.max(1, lowerBound), upperBound) }
}
