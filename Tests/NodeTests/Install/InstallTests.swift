import Foundation
import TestSupport
import Testing

/// Files that `scripts/install` puts into a folder, and `scripts/uninstall` removes from it.
///
/// `scripts/rigs rack` tests how it runs, on a booted machine.
@Suite(.serialized, .hangLimit) struct InstallTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs one of the two scripts on the folder, as if it were a machine.
  private func script(
    _ name: String, _ arguments: String..., input: String = "", variables: [String: String]? = nil
  ) throws -> (code: Int32, said: String) {
    let process = Process()
    process.executableURL = Project.file("scripts/\(name)")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      variables ?? ["DESTDIR": folder.url.path]
    ) { $1 }
    process.environment?["SPEAKER"] = nil
    let (output, lines) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = output
    process.standardInput = lines
    // Before it starts: a write to a script that has exited would kill this process.
    try lines.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try lines.fileHandleForWriting.close()
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
  }

  /// Installs a small stand-in for the program.
  private func install(_ arguments: String...) throws -> (code: Int32, said: String) {
    let program = folder.url.appendingPathExtension("program").path
    try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    defer { try? FileManager.default.removeItem(atPath: program) }
    let all = ["--binary", program] + arguments
    return try all.count == 2
      ? script("install", all[0], all[1]) : script("install", all[0], all[1], all[2], all[3])
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try folder.bytes(path), as: UTF8.self)
  }

  /// Whether a path exists, also as a dangling link.
  private func isThere(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: folder.path(path))) != nil
  }

  @Test func `the installed files have their own paths, start at boot, and are removed again`()
    throws
  {
    let installed = try install()
    #expect(installed.code == 0, "\(installed.said)")
    let unit = try text("usr/local/lib/systemd/system/syrinx.service")
    #expect(
      unit.contains(
        "\nExecStart=/usr/local/lib/syrinx/node /usr/local/bin/syrinx run --home %S/syrinx "
          + "$SYRINX_OPTIONS\n"))
    #expect(!unit.contains("@BIN@") && !unit.contains("@LIB@") && !unit.contains("@CONFIG@"))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(
        atPath: folder.path("etc/systemd/system/multi-user.target.wants/syrinx.service"))
        == "/usr/local/lib/systemd/system/syrinx.service")
    #expect(isThere("usr/local/share/syrinx/Presets/instruments/piano.json"))
    #expect(FileManager.default.isExecutableFile(atPath: folder.path("usr/local/bin/syrinx")))
    let gone = try script("uninstall")
    #expect(gone.code == 0, "\(gone.said)")
    #expect(folder.names == [])
  }

  @Test func `changed settings survive an update and a removal`() throws {
    _ = try install("--card", "USB")
    let settings = "etc/syrinx/syrinx.conf"
    try Data("SYRINX_OPTIONS=--port 9000\n".utf8).write(to: folder.url.appending(path: settings))
    let again = try install()
    #expect(again.code == 0 && again.said.contains("kept      \(folder.path(settings))"))
    #expect(try text(settings) == "SYRINX_OPTIONS=--port 9000\n")
    #expect(try text("etc/syrinx/jackd.conf").contains("\nCARD=USB\n"))
    let gone = try script("uninstall")
    #expect(gone.said.contains("changed settings were kept: \(folder.path(settings))"))
    // The script's own settings are not a change by the user.
    #expect(!isThere("etc/syrinx/jackd.conf") && isThere(settings) && !isThere("usr"))
  }

  @Test func `a list of cards is an order of preference`() throws {
    #expect(try install("--card=USB", "--card=Scarlett,auto").code == 0)
    #expect(try text("etc/syrinx/jackd.conf").contains("\nCARD=USB,Scarlett,auto\n"))
    let refused = try install("--card", "1")
    #expect(refused.code == 64 && refused.said.contains("takes names in [brackets]"))
  }

  @Test func `a foreign file in the way is not touched, nor is anything else`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("usr/local/bin"), withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: folder.url.appending(path: "usr/local/bin/syrinx"))
    let refused = try install()
    #expect(refused.code == 73)
    #expect(refused.said.contains(folder.path("usr/local/bin/syrinx")))
    #expect(try text("usr/local/bin/syrinx") == "mine" && folder.names == ["usr"])
    #expect(try script("uninstall").code == 66)
  }

  @Test func `takes stay until their removal is confirmed`() throws {
    _ = try install()
    let take = folder.url.appending(path: "var/lib/syrinx/takes/owl.wav")
    try FileManager.default.createDirectory(
      at: take.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("hoo".utf8).write(to: take)
    #expect(try script("uninstall", "--purge", input: "yes\n").code == 64)
    #expect(isThere("usr/local/bin/syrinx"))
    #expect(try script("uninstall").said.contains("takes were kept in "))
    #expect(isThere("var/lib/syrinx/takes/owl.wav"))
    #expect(try script("uninstall", "--purge", input: "purge\n").code == 0)
    #expect(!isThere("var/lib/syrinx"))
  }

  @Test func `after a failed build, nothing is installed`() throws {
    let tools = folder.url.appendingPathExtension("tools")
    let files = FileManager.default
    let sounds = tools.appending(path: "sounds/sf2")
    try files.createDirectory(at: sounds, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: tools) }
    // A build that fails, although an older one has left a program.
    let swift = """
      #!/bin/sh
      if [ "$1" = --version ]; then echo "Swift version 99.0"; else echo "error: no such luck"; exit 1; fi
      """
    let path = tools.appending(path: "swift").path
    try Data(swift.utf8).write(to: URL(fileURLWithPath: path))
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    // With a soundfont in place, scripts/setup installs none.
    try Data().write(to: sounds.appending(path: "some.sf2"))
    let inherited = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let failed = try script(
      "install", "--no-jackd",
      variables: [
        "DESTDIR": folder.url.path, "PATH": "\(tools.path):\(inherited)",
        "XDG_DATA_HOME": tools.path,
      ])
    #expect(failed.code == 70, "\(failed.said)")
    #expect(failed.said.contains("error: no such luck") && failed.said.contains("the build failed"))
    #expect(folder.names == [])
  }

  @Test func `an interrupted installation is enabled by the next, and a disabled one is not`()
    throws
  {
    let link = folder.path("etc/systemd/system/multi-user.target.wants/syrinx.service")
    let list = folder.url.appending(path: "usr/local/lib/syrinx/installed")
    _ = try install()
    try FileManager.default.removeItem(atPath: link)
    _ = try install()
    #expect(!isThere("etc/systemd/system/multi-user.target.wants/syrinx.service"))
    // The state after all files, and before the link.
    let noted = try text("usr/local/lib/syrinx/installed")
    try Data("\(noted)link owed /etc/systemd/system/multi-user.target.wants/syrinx.service\n".utf8)
      .write(to: list)
    _ = try install()
    #expect(isThere("etc/systemd/system/multi-user.target.wants/syrinx.service"))
  }

  @Test func `a purge under another prefix does not touch the installation`() throws {
    _ = try install("--prefix", "/opt/owl/")
    #expect(try script("uninstall", "--purge", input: "purge\n").code == 66)
    #expect(isThere("etc/syrinx/syrinx.conf") && isThere("opt/owl/bin/syrinx"))
    // The data directory may contain other files.
    let disk = folder.url.appending(path: "disk")
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: folder.path("var/lib"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("var/lib/syrinx"), withDestinationPath: disk.path)
    let gone = try script("uninstall", "--purge", "--prefix", "/opt/owl", input: "purge\n")
    #expect(gone.code == 0 && gone.said.contains("were kept: \(disk.path)"), "\(gone.said)")
    #expect(isThere("disk") && !isThere("var/lib/syrinx") && !isThere("opt"))
  }

  @Test func `an invalid request is refused in one line`() throws {
    #expect(try install("--prefix", "relative").code == 64)
    // A system service has no access to a program there.
    #expect(try install("--prefix", "/home/owl").code == 64)
    #expect(try script("install", "--binary", "/usr").code == 66)
    #expect(try script("install", "--binary", "/nowhere").code == 66)
    #expect(try script("install", "--port", "9000").said.contains("unknown option \"--port\""))
    // Root has all permissions.
    if getuid() != 0 {
      let refused = try script("install", "--binary", "/bin/true", variables: ["DESTDIR": ""])
      #expect(refused.code == 77 && refused.said.contains("use sudo, or --user"))
    }
    #expect(folder.names == [])
  }
}
