internal import Engine
internal import OSC

/// The ways to declare the addresses of a feature, whose instance in the node each closure is given.
enum Of<Owner: Feature> {
  typealias Form = Address.Form

  // MARK: - Values

  /// Values that can only be asked for; subscribers are told the announced ones as they change.
  static func reading(
    types: String, isAnnounced: Bool, read: @escaping @Sendable (Owner) -> [Argument]
  ) -> Address.Kind {
    .value(Address.Value([], source(read), set: nil, told: types, isAnnounced: isAnnounced))
  }

  /// Values that the control side holds, set together when the packet's commands are on their way.
  static func setting(
    _ forms: [Form], read: @escaping @Sendable (Owner) -> [Argument],
    write: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .value(Address.Value(forms, source(read), set: done(write)))
  }

  /// Values that decide what is meant by what comes behind them in the same packet.
  static func arrangement(
    _ forms: [Form], read: @escaping @Sendable (Owner) -> [Argument],
    plan: @escaping @Sendable (Owner, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Kind {
    .value(Address.Value(forms, source(read), set: planned(plan)))
  }

  /// Something that goes on while it is on, and can go off by itself.
  static func process(
    read: @escaping @Sendable (Owner) -> Bool,
    make: @escaping @Sendable (Owner, Bool, Request) throws(Refusal) -> PlannedCommand
  ) -> Address.Kind {
    .value(
      Address.Value(
        [.whole(in: 0...1)], source { [.int32(read($0) ? 1 : 0)] },
        set: planned { owner, request, plan throws(Refusal) in
          plan.add(try make(owner, request.whole(0) == 1, request), for: request)
          plan.heard([.int32(request.whole(0) == 1 ? 1 : 0)], by: request)
        }, isProcess: true))
  }

  /// The name of something that stands for much: with it, commands at the message's own time;
  /// without, the question which was the last.
  static func selection(
    read: @escaping @Sendable (Owner) -> String,
    make: @escaping @Sendable (Owner, Request) throws(Refusal) -> [PlannedCommand]
  ) -> Address.Kind {
    .value(
      Address.Value(
        [.name], source { [.string(read($0))] },
        set: planned { owner, request, plan throws(Refusal) in
          for command in try make(owner, request) { plan.add(command, for: request) }
          plan.heard([.string(request.text(0) ?? "")], by: request)
        }))
  }

  /// A place that moves by itself; with a number, a command to go there.
  static func place(
    in range: ClosedRange<Float>, read: @escaping @Sendable (Owner) -> Float,
    make: @escaping @Sendable (Owner, Float, Request) -> PlannedCommand
  ) -> Address.Kind {
    .value(
      Address.Value(
        [.number(in: range)], source { [.float(read($0))] },
        set: planned { owner, request, plan in
          plan.add(make(owner, Float(request.number(0) ?? 0), request), for: request)
        }, isPlace: true))
  }

  /// A value that takes its time to be set; whoever set it is told of the end.
  static func slowSetting(
    _ forms: [Form], read: @escaping @Sendable (Owner) -> [Argument],
    start: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .value(Address.Value(forms, source(read), set: done(start), end: Event.reply.path))
  }

  // MARK: - Acts

  /// Something to do on the control side.
  ///
  /// A button ignores the number 0.
  static func action(
    _ forms: [Form] = [], isButton: Bool = false,
    _ perform: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .act(Address.Act(forms, isButton: isButton, done(perform)))
  }

  /// A question that is answered on other addresses than its own, perhaps some time later.
  static func question(
    _ forms: [Form] = [], end: String? = nil,
    _ answer: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .act(
      Address.Act(
        forms, end: end,
        .asked { features, request throws(Refusal) in try answer(features[Owner.self], request) }))
  }

  /// Something to do that takes its time: whoever asked for it is told of its end.
  static func task(
    _ forms: [Form], end: String = Event.reply.path,
    _ start: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Kind {
    .act(Address.Act(forms, end: end, done(start)))
  }

  /// Something that the audio thread does or answers at the message's own time.
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

  /// Something that is played: it comes to as many commands as it needs, or to none.
  static func gesture(
    _ forms: [Form] = [], isButton: Bool = false,
    _ plan: @escaping @Sendable (Owner, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Kind {
    .act(Address.Act(forms, isButton: isButton, planned(plan)))
  }

  // MARK: - Many addresses in one

  /// How many there are at present of each part in braces of a path.
  static func extents(
    _ read: @escaping @Sendable (Owner) -> [Int]
  ) -> @Sendable (Features) -> [Int] {
    { read($0[Owner.self]) }
  }

  // MARK: - What is kept

  /// Something that is kept in a form of its own; what takes it over returns a line for each part
  /// that can't be.
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

  // MARK: - The feature of the node

  private static func source(
    _ read: @escaping @Sendable (Owner) -> [Argument]
  ) -> Address.Value.Source {
    .feature { read($0[Owner.self]) }
  }

  private static func done(
    _ perform: @escaping @Sendable (Owner, Request) throws(Refusal) -> Void
  ) -> Address.Deed {
    .done { features, request throws(Refusal) in try perform(features[Owner.self], request) }
  }

  private static func planned(
    _ plan: @escaping @Sendable (Owner, Request, inout Plan) throws(Refusal) -> Void
  ) -> Address.Deed {
    .planned { features, request, planned throws(Refusal) in
      try plan(features[Owner.self], request, &planned)
    }
  }
}

extension Address.Kind {
  /// A number of the audio's that can be set and asked for.
  static func number(_ parameter: Parameter, _ range: ClosedRange<Float>) -> Self {
    .value(
      Address.Value(
        [.number(in: range)], .parameter(parameter), set: .parameter))
  }

  /// A whole number of the audio's that can be set and asked for.
  static func whole(_ parameter: Parameter, _ range: ClosedRange<Int>) -> Self {
    .value(
      Address.Value(
        [.whole(in: range)], .parameter(parameter), set: .parameter))
  }

  /// One word of a few that can be set and asked for.
  static func choice(_ parameter: Parameter, _ words: [String]) -> Self {
    .value(
      Address.Value(
        [.word(of: words)], .parameter(parameter), set: .parameter))
  }
}
