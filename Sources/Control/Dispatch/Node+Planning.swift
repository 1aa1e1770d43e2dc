internal import Engine
internal import OSC
internal import Posix

/// From messages to what they come to.
extension Node {
  func unknown(_ path: String) -> Refusal {
    let hint =
      path.nearest(of: table.addresses.lazy.map(\.path)).map { "is \($0) meant?" }
      ?? "/addresses lists them all"
    return Refusal(.unknown, "there is no address \(quoted(path)); \(hint)")
  }

  func plan(
    _ message: Message, at due: Double?, from client: Client, into plan: inout Plan
  ) {
    do throws(Refusal) {
      if let index = table.index(of: message.address) {
        try self.plan(table.addresses[index], message, at: due, from: client, into: &plan)
      } else if let (index, numbers) = table.numbered(message.address) {
        try self.plan(
          table.addresses[index], message.arguments, numbers, at: due, from: client, into: &plan)
      } else if Pattern.isPattern(message.address) {
        try planPattern(message, at: due, from: client, into: &plan)
      } else {
        throw unknown(message.addressText)
      }
    } catch {
      answer(error, to: message.addressText, from: client)
    }
  }

  private func planPattern(
    _ message: Message, at due: Double?, from client: Client, into plan: inout Plan
  ) throws(Refusal) {
    let pattern = Pattern(message.address)
    // What does something is reached by its own address only: `/*` shall not end the node.
    let sets = !message.arguments.isEmpty
    let matching = table.addresses.filter {
      $0.hasValue && !(sets && $0.isToggle) && pattern.matches($0.path)
    }
    guard !matching.isEmpty else {
      throw Refusal(.unknown, "no address with a value matches \(quoted(message.addressText))")
    }
    for address in matching {
      do throws(Refusal) {
        try self.plan(address, message, at: due, from: client, into: &plan)
      } catch {
        answer(error, to: address.path, from: client)
      }
    }
  }

  private func plan(
    _ address: Address, _ message: Message, at due: Double?, from client: Client,
    into plan: inout Plan
  ) throws(Refusal) {
    // Nearly all messages are one number for a parameter.
    if case .number(let parameter, let range, _) = address.kind, let number = message.onlyNumber {
      let value = try address.value(of: number, in: range)
      if plan.commands.isEmpty { plan.firstPath = address.path }
      plan.commands.append(PlannedCommand(action: .set(parameter, value), due: due))
      return
    }
    try self.plan(address, message.arguments, at: due, from: client, into: &plan)
  }

  func plan(
    _ address: Address, _ arguments: [Argument], _ numbers: [Int] = [], at due: Double?,
    from client: Client?, into plan: inout Plan
  ) throws(Refusal) {
    switch address.kind {
    case .number(let parameter, _, _), .whole(let parameter, _, _),
      .choice(let parameter, _, _):
      guard let argument = arguments.first else {
        plan.afterwards.append { [self] in
          reply(address.path, [address.argument(for: values[parameter])], to: client)
        }
        return
      }
      guard arguments.count == 1 else { throw address.wrongType(got: arguments) }
      let value = try address.value(from: argument)
      if plan.commands.isEmpty { plan.firstPath = address.path }
      plan.commands.append(PlannedCommand(action: .set(parameter, value), due: due))
    case .selection(let read, let make):
      guard !arguments.isEmpty else {
        plan.afterwards.append { [self] in
          reply(address.path, [.string(read(self))], to: client)
        }
        return
      }
      let request = Request(
        arguments: try address.match(arguments, to: [.needed("name", .text)]), client: client)
      var commands = try make(self, request)
      for index in commands.indices { commands[index].due = due }
      if plan.commands.isEmpty { plan.firstPath = address.path }
      plan.commands += commands
      if let client { feedback.heard(address.path, [arguments[0]], from: client) }
    case .toggle(let read, let make):
      guard let argument = arguments.first else {
        plan.afterwards.append { [self] in
          reply(address.path, [.int32(read(self) ? 1 : 0)], to: client)
        }
        return
      }
      guard arguments.count == 1, let number = argument.number else {
        throw address.wrongType(got: arguments)
      }
      guard number == 0 || number == 1 else { throw address.outOfRange(number) }
      var command = try make(self, number == 1, Request(arguments: [argument], client: client))
      command.due = due
      if plan.commands.isEmpty { plan.firstPath = address.path }
      plan.commands.append(command)
      if let client { feedback.heard(address.path, [.int32(Int32(number))], from: client) }
    case .place(let range, let read, let make):
      guard let argument = arguments.first else {
        plan.afterwards.append { [self] in
          reply(address.path, [.float(read(self))], to: client)
        }
        return
      }
      guard arguments.count == 1, let number = argument.number else {
        throw address.wrongType(got: arguments)
      }
      var command = command(
        make(try address.value(of: number, in: range)), path: address.path, client: client)
      if plan.commands.isEmpty { plan.firstPath = address.path }
      command.due = due
      plan.commands.append(command)
    case .reading(_, _, let read):
      guard arguments.isEmpty else { throw address.wrongType(got: arguments) }
      plan.afterwards.append { [self] in reply(address.path, read(self), to: client) }
    case .action(let forms, let isButton, let perform):
      guard let given = isButton ? try address.press(arguments) : arguments else { return }
      try self.plan(address, given, forms, perform, at: due, from: client, into: &plan)
    case .errand(let forms, _, let read, let start):
      if let read, arguments.isEmpty {
        plan.afterwards.append { [self] in reply(address.path, read(self), to: client) }
        return
      }
      try self.plan(address, arguments, forms, start, at: due, from: client, into: &plan)
    case .setting(let forms, let read, let write):
      guard !arguments.isEmpty else {
        plan.afterwards.append { [self] in reply(address.path, read(self), to: client) }
        return
      }
      try self.plan(
        address, arguments, forms,
        { node, request throws(Refusal) in
          try write(node, request)
          node.settingChanged(address, by: request)
        }, at: due, from: client, into: &plan)
    case .command(let forms, let isButton, let make):
      guard let given = isButton ? try address.press(arguments) : arguments else { return }
      let request = Request(arguments: try address.match(given, to: forms), client: client)
      if plan.commands.isEmpty { plan.firstPath = address.path }
      var command = try make(self, request)
      command.due = due
      plan.commands.append(command)
    case .gesture(let forms, let isButton, let make):
      guard let given = isButton ? try address.press(arguments) : arguments else { return }
      let request = Request(
        arguments: try address.match(given, to: forms), client: client, due: due, numbers: numbers)
      try play(make, request, path: address.path, into: &plan)
    case .arrangement(let forms, let read, let make):
      guard !arguments.isEmpty else {
        plan.afterwards.append { [self] in reply(address.path, read(self), to: client) }
        return
      }
      let request = Request(
        arguments: try address.match(arguments, to: forms), client: client, due: due)
      try play(make, request, path: address.path, into: &plan)
      plan.afterwards.append { [self] in settingChanged(address, by: request) }
    case .sent:
      // An answer of another node that took this one for its client. To answer it could go on
      // for ever.
      break
    }
  }

  /// Plans what is played, and what decides what that means.
  private func play(
    _ make: (Node, Request, inout Plan) throws(Refusal) -> Void, _ request: Request, path: String,
    into plan: inout Plan
  ) throws(Refusal) {
    if plan.keyboardBefore == nil { plan.keyboardBefore = keyboard }
    if plan.commands.isEmpty { plan.firstPath = path }
    try make(self, request, &plan)
  }

  /// Plans what is done on the control side, after the commands of the same packet.
  private func plan(
    _ address: Address, _ arguments: [Argument], _ forms: [Address.Form],
    _ perform: @escaping (Node, Request) throws(Refusal) -> Void, at due: Double?,
    from client: Client?, into plan: inout Plan
  ) throws(Refusal) {
    let request = Request(
      arguments: try address.match(arguments, to: forms), client: client, due: due)
    plan.afterwards.append { [self] in
      do throws(Refusal) {
        try perform(self, request)
      } catch {
        answer(error, to: address.path, from: client)
      }
    }
  }
}
