internal import Foundation

/// The tests' own PostgreSQL server, as packaged by Debian, in a folder that is deleted with it.
///
/// It listens only on a socket in that folder.
package final class PostgresServer: @unchecked Sendable {
  private static let programs = "/usr/lib/postgresql"
  // PostgreSQL does not run as root.
  private static let user = "postgres"

  /// The server that the tests of a process share, or the reason why there is none.
  package static let shared: Result<PostgresServer, any Error> = Result {
    let server = try PostgresServer()
    // It exits at the end of its standard input, however this process exits; its folder remains
    // in that case.
    atexit { if case .success(let server) = PostgresServer.shared { server.end() } }
    return server
  }

  private let folder: String
  private let bin: String
  private let process = Process()
  private let input = Pipe()
  private let made = NSLock()
  private nonisolated(unsafe) var count = 0

  /// Creates a server, and returns when it accepts connections.
  package init() throws {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: Self.programs)) ?? []
    guard let version = versions.max(by: { (Int($0) ?? 0) < (Int($1) ?? 0) }) else {
      throw Fault("PostgreSQL not found in \(Self.programs)")
    }
    bin = "\(Self.programs)/\(version)/bin"
    folder =
      FileManager.default.temporaryDirectory.appendingPathComponent(
        "syrinx-pg-\(UUID().uuidString.prefix(8))"
      ).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if getuid() == 0 {
      guard let entry = getpwnam(Self.user) else { throw Fault("unknown user \(Self.user)") }
      chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
    }
    try run(["\(bin)/initdb", "-D", data, "-A", "trust", "-U", Self.user, "-N"])
    try start()
  }

  private var data: String { "\(folder)/data" }

  /// Starts the server, again after `kill`.
  ///
  /// A shell runs it, and stops it when this process has exited.
  private func start() throws {
    let script = #""$@" >/dev/null 2>&1 & server=$!; read -r line; kill -QUIT $server"#
    let server = [
      "\(bin)/postgres", "-D", data, "-k", folder, "-c", "listen_addresses=",
      "-c", "max_connections=200",
    ]
    let words = Self.asUser(["/bin/sh", "-c", script, "sh"] + server)
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    try awaitAnswer()
  }

  private func awaitAnswer() throws {
    try waitUntil("PostgreSQL accepts connections", seconds: 30, every: 0.05) {
      (try? run(["\(bin)/pg_isready", "-q", "-h", folder])) != nil
    }
  }

  /// The URL of a new, empty database.
  package func database() throws -> String {
    made.lock()
    defer { made.unlock() }
    count += 1
    let name = "board\(count)"
    try run(["\(bin)/createdb", "-h", folder, "-U", Self.user, name])
    return "postgresql:///\(name)?host=\(folder)&user=\(Self.user)"
  }

  /// Runs a statement, and returns the output of `psql`.
  @discardableResult
  package func ask(_ url: String, _ sql: String) throws -> String {
    try run(["\(bin)/psql", "-X", "-q", "-A", "-t", "-c", sql, url])
  }

  /// Ends all connections to a database, as a restarting server does.
  package func dropConnections(of url: String) throws {
    try ask(
      url,
      """
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND datname = current_database()
      """)
  }

  /// Stops the server, and deletes its folder.
  package func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    // The server's own processes still write to it.
    try? waitUntil("the folder is deleted", seconds: 5, every: 0.05) {
      try? FileManager.default.removeItem(atPath: folder)
      return !FileManager.default.fileExists(atPath: folder)
    }
  }

  private static func asUser(_ words: [String]) -> [String] {
    guard getuid() == 0 else { return words }
    return ["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--"] + words
  }

  @discardableResult
  private func run(_ words: [String]) throws -> String {
    let words = Self.asUser(words)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let out = output.fileHandleForReading.readDataToEndOfFile()
    let err = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Fault("\(words.last ?? ""): \(String(decoding: err, as: UTF8.self))")
    }
    return String(decoding: out, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
