internal import Engine
internal import OSC
internal import Posix

extension Address {
  /// What every client needs, whatever it plays.
  static let ofTheNode: [Address] = [
    Address(
      "/ping",
      .action([.optional("token", .whole)], isButton: false) { node, request in
        node.reply(
          "/pong",
          [
            .int32(Int32(request.whole(0) ?? 0)), .string(node.name), .string(Version.text),
            .int32(node.engineID),
          ], to: request.client)
      },
      "Answers /pong i:token s:name s:version i:engine; engine is new at each start"),
    Address(
      "/sync",
      .command([.needed("token", .whole)], isButton: false) { node, request in
        let (token, client) = (Int32(request.whole(0) ?? 0), request.client)
        return PlannedCommand(
          action: .sync(UInt32(bitPattern: token)),
          whenDone: { [weak node] in node?.reply("/synced", [.int32(token)], to: client) })
      },
      "Answers /synced i:token once all that was sent before is in effect in the audio"),
    Address(
      "/subscribe",
      .action(
        [.optional("pattern", .text), .optional("port", .whole, in: 1...65535)], isButton: false
      ) { node, request throws(Refusal) in
        guard let client = request.client else { return }
        if request.whole(1) != nil, case .stream = client.transport {
          throw Refusal(.type, "over TCP the answers come on the connection; leave out the port")
        }
        try node.feedback.subscribe(
          client, to: request.text(0).map { Pattern($0) },
          port: request.whole(1).map(UInt16.init), isPermanent: false, node: node)
      },
      "Sends the values that match the pattern, or lie below it, or all, and from then on each "
        + "change; to this port, where one is given. Ends after 60 s of silence"),
    Address(
      "/unsubscribe",
      .action([], isButton: true) { node, request in
        if let client = request.client { node.feedback.subscriptions.remove(client) }
      },
      "Ends all subscriptions of the client"),
    Address(
      "/addresses",
      .action([.optional("pattern", .text)], isButton: false) { node, request in
        let pattern = request.text(0).map { Pattern($0) }
        var count: Int32 = 0
        for address in node.table.addresses where pattern?.covers(address.path) ?? true {
          let (least, greatest) = address.range
          node.reply(
            "/address",
            [
              .string(address.path), .string(address.types), .string(address.unit),
              .float(least), .float(greatest), .string(address.help),
            ], to: request.client)
          count += 1
        }
        node.reply("/addresses/end", [.int32(count)], to: request.client)
      },
      "Answers /address s:address s:types s:unit f:min f:max s:help for each that matches the "
        + "pattern, or lies below it, then /addresses/end i:count"),
    Address(
      "/clock",
      .reading(types: "htd", isAnnounced: false) { node in
        let clock = node.engine.shared.clockReading
        return [
          .int64(clock.frame),
          .timeTag(
            TimeTag(unixMicroseconds: clock.microseconds - HostTime.steadyOfUnixEpoch)),
          .double(clock.microsecondsPerFrame > 0 ? 1e6 / clock.microsecondsPerFrame : 0),
        ]
      },
      "Answers h:frame t:time d:rate: the frame that began at that time, whose low 32 bits are "
        + "JACK's, and the frames a second from there on"),
    Address(
      "/quit",
      .action([], isButton: true) { node, request throws(Refusal) in
        if let client = request.client, !client.isOnThisMachine {
          throw Refusal(
            .denied,
            "/quit is taken from the node's own machine only: send it to 127.0.0.1 or ::1")
        }
        node.isQuitting = true
      },
      "Fades out and ends the node; from its own machine only"),
    Address(
      "/meter", .sent(types: String(repeating: "f", count: Meters.Channel.allCases.count)),
      unit: "dB",
      "Sent to subscribers 30 times a second: the peaks since the last of in_1 in_2 live_1 live_2 "
        + "loop_1 loop_2 grid_1 grid_2 out_1 out_2, and by how much the limiter turned down"),
    Address("/pong", .sent(types: "issi"), "The answer to /ping"),
    Address("/synced", .sent(types: "i"), "The answer to /sync"),
    Address("/address", .sent(types: "sssffs"), "One of the answers to /addresses"),
    Address("/addresses/end", .sent(types: "i"), "The end of the answer to /addresses"),
    Address(
      "/reply", .sent(types: "ss"), "Tells that what takes its time is done: s:address s:result"),
    Address(
      "/error", .sent(types: "sss"),
      "Tells why an instruction was not followed: s:address s:code s:message, with the codes "
        + "unknown, type, range, state, missing, busy, denied, io"),
  ]
}
