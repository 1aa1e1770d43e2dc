internal import Engine
internal import OSC

/// Constructors for the addresses of a feature.
///
/// Each closure or method receives the node's instance of the feature.
enum Declaring<Owner: Feature> {
  typealias Form = Address.Form
  typealias Reader = @Sendable (Owner) -> [Argument]
  typealias Handler = @Sendable (Owner, Request) throws(Refusal) -> Void
  typealias Planner = @Sendable (Owner, Request, inout Plan) throws(Refusal) -> Void
  /// A method that handles a request.
  typealias Method = @Sendable (Owner) -> (Request) throws(Refusal) -> Void
  typealias Property<Value> = any KeyPath<Owner, Value> & Sendable

  // MARK: - Values

  /// A read-only value.
  ///
  /// Subscribers receive changes if it is announced.
  static func reading(
    _ types: String, isAnnounced: Bool = true, read: @escaping Reader
  ) -> Address.Kind {
    .value(
      Address.Value(
        forms: [], source: source(read), replyTypes: types, isAnnounced: isAnnounced))
  }

  /// A read-only property, sent to subscribers when it changes.
  static func reading<Value: ArgumentConvertible>(_ property: Property<Value>) -> Address.Kind {
    .value(Address.Value(forms: [], source: source(property), replyTypes: Value.types))
  }

  /// A value of the control thread, set once the packet's commands are queued.
  static func setting(
    _ forms: [Form], read: @escaping Reader, write: @escaping Handler
  ) -> Address.Kind {
    .value(Address.Value(forms: forms, source: source(read), setting: done(write)))
  }

  /// A property of the control thread, set once the packet's commands are queued.
  static func setting<Value: ArgumentConvertible>(
    _ forms: [Form], _ property: Property<Value>, write: @escaping Handler
  ) -> Address.Kind {
    .value(Address.Value(forms: forms, source: source(property), setting: done(write)))
  }

  /// A property of the control thread that is on or off.
  static func flag(
    _ property: any ReferenceWritableKeyPath<Owner, Bool> & Sendable, named name: String = ""
  ) -> Address.Kind {
    setting([.needed(name, .whole, in: 0...1)], property) {
      $0[keyPath: property] = $1.whole(0) == 1
    }
  }

  /// A property that affects the meaning of later messages in the same packet.
  static func arrangement<Value: ArgumentConvertible>(
    _ forms: [Form], _ property: Property<Value>, plan: @escaping Planner
  ) -> Address.Kind {
    .value(Address.Value(forms: forms, source: source(property), setting: planned(plan)))
  }

  /// Several parameters of the engine as one value.
  static func combined(
    _ forms: [Form], read: @escaping Reader, plan: @escaping Planner
  ) -> Address.Kind {
    .value(Address.Value(forms: forms, source: source(read), setting: planned(plan)))
  }

  /// A parameter of the engine that is set by more than the last message.
  static func governed(
    _ parameter: Parameter, _ forms: [Form], plan: @escaping Planner
  ) -> Address.Kind {
    .value(
      Address.Value(forms: forms, source: .parameter(parameter), setting: planned(plan)))
  }

  /// A process that can be started and stopped, and may end by itself.
  static func process(
    _ property: Property<Bool>,
    make: @escaping @Sendable (Owner, Bool, Request) throws(Refusal) -> PlannedCommand
  ) -> Address.Kind {
    .value(
      Address.Value(
        forms: [.whole(in: 0...1)], source: source(property),
        setting: planned { owner, request, plan throws(Refusal) in
          let isOn = request.whole(0) == 1
          plan.add(try make(owner, isOn, request), for: request)
          plan.echo(isOn.arguments, by: request)
        }, isProcess: true))
  }

  /// A selection by name: with an argument, commands at the time of the message; without, a query of the
  /// last name.
  static func selection(
    _ property: Property<String>,
    make: @escaping @Sendable (Owner) -> (Request) throws(Refusal) -> [PlannedCommand]
  ) -> Address.Kind {
    .value(
      Address.Value(
        forms: [.name], source: source(property),
        setting: planned { owner, request, plan throws(Refusal) in
          for command in try make(owner)(request) { plan.add(command, for: request) }
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
        forms: [.number(in: range)], source: source { read($0).arguments },
        setting: planned { owner, request, plan in
          plan.add(make(owner, Float(request.number(0) ?? 0), request), for: request)
        }, isPlayhead: true))
  }

  /// A text that takes time to set.
  ///
  /// Completion is reported to the sender.
  static func slowSetting(
    _ name: String, _ property: Property<String>, start: @escaping Method
  ) -> Address.Kind {
    .value(
      Address.Value(
        forms: [.needed(name, .text)], source: source(property), setting: done(calling(start)),
        end: Event.reply.path))
  }

  /// A value that takes time to set, from several arguments.
  ///
  /// Completion is reported to the sender.
  static func slowSetting<Value: ArgumentConvertible>(
    _ forms: [Form], _ property: Property<Value>, start: @escaping Method
  ) -> Address.Kind {
    .value(
      Address.Value(
        forms: forms, source: source(property), setting: done(calling(start)),
        end: Event.reply.path))
  }

  // MARK: - Acts

  /// A command of the control thread.
  ///
  /// A button ignores the number 0.
  static func action(
    _ forms: [Form] = [], isButton: Bool = false, _ perform: @escaping Handler
  ) -> Address.Kind {
    .act(Address.Act(forms: forms, isButton: isButton, effect: done(perform)))
  }

  static func action(
    _ forms: [Form] = [], isButton: Bool = false, _ perform: @escaping Method
  ) -> Address.Kind {
    action(forms, isButton: isButton, calling(perform))
  }

  /// A query with replies on other addresses, possibly later, of which `end` is the last.
  static func question(
    _ forms: [Form] = [], end: Event? = nil, _ answer: @escaping Method
  ) -> Address.Kind {
    .act(
      Address.Act(
        forms: forms, end: end?.path,
        effect: .asked { features, request throws(Refusal) in
          try answer(features[Owner.self])(request)
        }))
  }

  /// A command that takes time.
  ///
  /// Completion is reported to the sender.
  static func task(
    _ forms: [Form], end: String = Event.reply.path, _ start: @escaping Handler
  ) -> Address.Kind {
    .act(Address.Act(forms: forms, end: end, effect: done(start)))
  }

  static func task(
    _ forms: [Form], end: String = Event.reply.path, _ start: @escaping Method
  ) -> Address.Kind {
    task(forms, end: end, calling(start))
  }

  /// A command for the audio thread at the time of the message.
  ///
  /// `end` is the address of the message that reports completion, if it takes time.
  static func command(
    _ forms: [Form] = [], isButton: Bool = false, end: String? = nil,
    _ make: @escaping @Sendable (Owner, Request) throws(Refusal) -> PlannedCommand
  ) -> Address.Kind {
    .act(
      Address.Act(
        forms: forms, isButton: isButton, end: end,
        effect: planned { owner, request, plan throws(Refusal) in
          plan.add(try make(owner, request), for: request)
        }))
  }

  /// A performance gesture: any number of commands, or none.
  static func gesture(
    _ forms: [Form] = [], isButton: Bool = false, _ plan: @escaping Planner
  ) -> Address.Kind {
    .act(Address.Act(forms: forms, isButton: isButton, effect: planned(plan)))
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
    _ place: Kept.Place,
    read: @escaping @Sendable (Owner) -> String?,
    restore: @escaping @Sendable (Owner, String) throws(Refusal) -> [String]
  ) -> Kept {
    Kept(
      place: place, read: { read($0[Owner.self]) },
      restore: { features, text throws(Refusal) in try restore(features[Owner.self], text) })
  }

  // MARK: - Feature of the node

  private static func source(_ read: @escaping Reader) -> Address.Value.Source {
    .feature { read($0[Owner.self]) }
  }

  private static func source<Value: ArgumentConvertible>(
    _ property: Property<Value>
  ) -> Address.Value.Source {
    source { $0[keyPath: property].arguments }
  }

  private static func calling(_ method: @escaping Method) -> Handler {
    { owner, request throws(Refusal) in try method(owner)(request) }
  }

  private static func done(_ perform: @escaping Handler) -> Address.Effect {
    .done { features, request throws(Refusal) in try perform(features[Owner.self], request) }
  }

  private static func planned(_ plan: @escaping Planner) -> Address.Effect {
    .planned { features, request, planned throws(Refusal) in
      try plan(features[Owner.self], request, &planned)
    }
  }
}

extension Address.Kind {
  /// A numeric parameter of the engine.
  static func number(_ parameter: Parameter, _ range: ClosedRange<Float>) -> Self {
    self.parameter(parameter, .number(in: range))
  }

  /// An integer parameter of the engine.
  static func whole(_ parameter: Parameter, _ range: ClosedRange<Int>) -> Self {
    self.parameter(parameter, .whole(in: range))
  }

  /// A parameter with a choice of words.
  static func choice(_ parameter: Parameter, _ words: [String]) -> Self {
    self.parameter(parameter, .word(of: words))
  }

  private static func parameter(_ parameter: Parameter, _ form: Address.Form) -> Self {
    .value(Address.Value(forms: [form], source: .parameter(parameter), setting: .parameter))
  }
}
