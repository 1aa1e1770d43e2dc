/// Starts a JACK server and a node on it, and returns them with a phone that talks to the node.
///
/// The node retains its server, so the caller may discard it.
package func startNode(
  _ arguments: [String] = [], block: Int = 64, environment: [String: String] = [:],
  home: String? = nil
) throws -> (server: JackServer, node: NodeProcess, phone: Phone) {
  let server = try JackServer(block: block)
  let (node, phone) = try startNode(
    on: server, arguments, environment: environment, home: home)
  return (server, node, phone)
}

/// Starts a node on a server, and returns it with a phone that talks to it.
///
/// Starts it again if the server refused it: a server with a short timeout does so on a busy machine when its
/// next cycle doesn't come in time, and it may not have removed the last node yet.
package func startNode(
  on server: JackServer, _ arguments: [String] = [], environment: [String: String] = [:],
  home: String? = nil, hasPage: Bool = false
) throws -> (node: NodeProcess, phone: Phone) {
  var refusals = 0
  while true {
    do {
      let node = try NodeProcess(
        server: server, arguments, environment: environment, home: home, hasPage: hasPage)
      return (node, try Phone(port: node.port))
    } catch let fault as Fault
      where refusals < 10
      && ["refused to activate", "is already named"].contains(where: fault.description.contains)
    {
      refusals += 1
    }
  }
}
