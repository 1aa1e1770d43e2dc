internal import Engine
internal import OSC

/// Constructors for the addresses of a feature.
///
/// Each closure receives the node's instance of the feature.
enum Declaring<Owner: Feature> {
  typealias Form = Address.Form

  // MARK: - Values

  /// A read-only value.
  ///
  /// Subscribers receive changes if it is announced.
  static func reading(
    types: String, isAnnounced: Bool, read: @escaping @Sendable (Owner) -> [Argument]
  ) -> Address.Kind {
    .value(Address.Value([], source(read), set: nil, replyTypes: types, isAnnounced: isAnnounced))
  }

  /// A value of the control thread, set once the packet's commands are queued.
  static func setting(
    _ forms: [Form], read: @escaping @Sendable (Owner) -> [Argument],
    write: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .value(Address.Value(forms, source(read), set: done(write)))
  }

  /// A value that affects the meaning of later messages in the same packet.
  static func arrangement(
    _ forms: [Form], read: @escaping @Sendable (Owner) -> [Argument],
    plan: @escaping @Sendable (Owner, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Kind {
    .value(Address.Value(forms, source(read), set: planned(plan)))
  }

  /// A process that can be started and stopped, and may end by itself.
  static func process(
    read: @escaping @Sendable (Owner) -> Bool,
    make: @escaping @Sendable (Owner, Bool, Request) throws(Refusal) -> PlannedCommand
  ) -> Address.Kind {
    .value(
      Address.Value(
        [.whole(in: 0...1)], source { [.int32(read($0) ? 1 : 0)] },
        set: planned { owner, request, plan throws(Refusal) in
          plan.add(try make(owner, request.whole(0) == 1, request), for: request)
          plan.echo([.int32(request.whole(0) == 1 ? 1 : 0)], by: request)
        }, isProcess: true))
  }

  /// A selection by name: with an argument, commands at the time of the message; without, a query of the
  /// last name.
  static func selection(
    read: @escaping @Sendable (Owner) -> String,
    make: @escaping @Sendable (Owner, Request) throws(Refusal) -> [PlannedCommand]
  ) -> Address.Kind {
    .value(
      Address.Value(
        [.name], source { [.string(read($0))] },
        set: planned { owner, request, plan throws(Refusal) in
          for command in try make(owner, request) { plan.add(command, for: request) }
          plan.echo([.string(request.text(0) ?? "")], by: request)
        }))
  }

  /// A playhead: it moves on its own, and a number jumps there.
  static func playhead(
    in range: ClosedRange<Float>, read: @escaping @Sendable (Owner) -> Float,
    make: @escaping @Sendable (Owner, Float, Request) -> PlannedCommand
  ) -> Address.Kind {
    .value(
      Address.Value(
        [.number(in: range)], source { [.float(read($0))] },
        set: planned { owner, request, plan in
          plan.add(make(owner, Float(request.number(0) ?? 0), request), for: request)
        }, isPlayhead: true))
  }

  /// A value that takes time to set.
  ///
  /// Completion is reported to the sender.
  static func slowSetting(
    _ forms: [Form], read: @escaping @Sendable (Owner) -> [Argument],
    start: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .value(Address.Value(forms, source(read), set: done(start), end: Event.reply.path))
  }

  // MARK: - Acts

  /// A command of the control thread.
  ///
  /// A button ignores the number 0.
  static func action(
    _ forms: [Form] = [], isButton: Bool = false,
    _ perform: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .act(Address.Act(forms, isButton: isButton, done(perform)))
  }

  /// A query with replies on other addresses, possibly later.
  static func question(
    _ forms: [Form] = [], end: String? = nil,
    _ answer: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .act(
      Address.Act(
        forms, end: end,
        .asked { features, request throws(Refusal) in try answer(features[Owner.self], request) }))
  }

  /// A command that takes time.
  ///
  /// Completion is reported to the sender.
  static func task(
    _ forms: [Form], end: String = Event.reply.path,
    _ start: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .act(Address.Act(forms, end: end, done(start)))
  }

  /// A command for the audio thread at the time of the message.
  static func command(
    _ forms: [Form] = [], isButton: Bool = false,
    _ make: @escaping @Sendable (Owner, Request) throws(Refusal) -> PlannedCommand
  ) -> Address.Kind {
    .act(
      Address.Act(
        forms, isButton: isButton,
        planned { owner, request, plan throws(Refusal) in
          plan.add(try make(owner, request), for: request)
        }))
  }

  /// A performance gesture: any number of commands, or none.
  static func gesture(
    _ forms: [Form] = [], isButton: Bool = false,
    _ plan: @escaping @Sendable (Owner, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Kind {
    .act(Address.Act(forms, isButton: isButton, planned(plan)))
  }

  // MARK: - Parts in braces

  /// The current count of each part in braces of a path.
  static func extents(
    _ read: @escaping @Sendable (Owner) -> [Int]
  ) -> @Sendable (Features) -> [Int] {
    { read($0[Owner.self]) }
  }

  // MARK: - Persistence

  /// Persistence in a form of its own.
  ///
  /// `restore` returns a line for each part that can't be restored.
  static func kept(
    _ place: Kept.Place, isInEverySession: Bool = false,
    read: @escaping @Sendable (Owner) -> String?,
    restore: @escaping @Sendable (Owner, String) throws(Refusal) -> [String]
  ) -> Kept {
    Kept(
      place, read: { read($0[Owner.self]) },
      restore: { features, text throws(Refusal) in try restore(features[Owner.self], text) },
      isInEverySession: isInEverySession)
  }

  // MARK: - Feature of the node

  private static func source(
    _ read: @escaping @Sendable (Owner) -> [Argument]
  ) -> Address.Value.Source {
    .feature { read($0[Owner.self]) }
  }

  private static func done(
    _ perform: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Effect {
    .done { features, request throws(Refusal) in try perform(features[Owner.self], request) }
  }

  private static func planned(
    _ plan: @escaping @Sendable (Owner, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Effect {
    .planned { features, request, planned throws(Refusal) in
      try plan(features[Owner.self], request, &planned)
    }
  }
}

extension Address.Kind {
  /// A numeric parameter of the engine.
  static func number(_ parameter: Parameter, _ range: ClosedRange<Float>) -> Self {
    .value(
      Address.Value(
        [.number(in: range)], .parameter(parameter), set: .parameter))
  }

  /// An integer parameter of the engine.
  static func whole(_ parameter: Parameter, _ range: ClosedRange<Int>) -> Self {
    .value(
      Address.Value(
        [.whole(in: range)], .parameter(parameter), set: .parameter))
  }

  /// A parameter with a choice of words.
  static func choice(_ parameter: Parameter, _ words: [String]) -> Self {
    .value(
      Address.Value(
        [.word(of: words)], .parameter(parameter), set: .parameter))
  }
}
