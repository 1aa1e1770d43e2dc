import Foundation
import TestSupport
import Testing

extension NodeTests {
  /// Manual pages and completions, which are generated from the declarations of `--help`.
  @Suite struct CompletionTests {
    static let commands = [
      "run", "render", "takes", "loops", "send", "status", "lost", "watch", "web", "addresses",
      "board", "layout", "calibrate", "doctor", "manual", "completions",
    ]

    /// Runs a program, with this program as `syrinx` in its search path.
    private func run(
      _ program: String, _ arguments: [String], input: String = ""
    ) throws -> (code: Int32, output: String) {
      let folder = try TemporaryFolder()
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("syrinx"), withDestinationPath: NodeProcess.binary.path)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [program] + arguments
      process.environment = [
        "PATH": "\(folder.url.path):/usr/local/bin:/usr/bin:/bin", "HOME": folder.url.path,
        "LC_ALL": "C.UTF-8", "TERM": "dumb",
      ]
      process.currentDirectoryURL = folder.url
      let (output, lines) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardError = output
      process.standardInput = lines
      try process.run()
      try lines.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try lines.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, text)
    }

    // MARK: - Manual pages

    @Test(arguments: [""] + commands)
    func `a manual page is correct, and has all options of the help page`(command: String) throws {
      let words = command.isEmpty ? [] : [command]
      let page = try NodeProcess.run(["manual"] + words)
      #expect(page.code == 0)
      let findings = try run("mandoc", ["-T", "lint", "-W", "warning"], input: page.output)
      // The date is that of the commit, which is unknown to a build without the scripts.
      let faults = findings.output.split(separator: "\n").filter { !$0.contains("missing date") }
      #expect(page.output.hasPrefix(".\\\"") && faults.isEmpty, "\(faults)")
      let shown = try run("mandoc", ["-T", "utf8", "-O", "width=400"], input: page.output)
      // Overstrikes make bold.
      let plain = shown.output.replacing(/.\x08/, with: "")
      let help = try NodeProcess.run(words + ["--help"]).output
      let options = help.matches(of: /(?m)^  (?:-., |    )--[a-z-]+/)
        .map { $0.output.drop { $0 == " " } }
      #expect(options.count > 1)
      for option in options { #expect(plain.contains(option), "\(option)") }
    }

    @Test func `the manual page of the program lists all commands`() throws {
      let page = try NodeProcess.run(["manual"]).output
      for command in Self.commands {
        #expect(page.contains("\n.BR syrinx\\-\(command) (1)\n"))
      }
      #expect(try NodeProcess.run(["manual", "rnu"]).code == 64)
      #expect(try NodeProcess.run(["manual", "run", "x"]).code == 64)
      #expect(try NodeProcess.run(["completions", "csh"]).code == 64)
    }

    // MARK: - Completions

    /// A command line, and words with which it can be completed and with which it can't.
    private static let lines: [(line: String, yes: [String], no: [String])] = [
      ("r", ["run", "render"], ["takes"]),
      ("--lis", ["--listen"], ["--tail"]),
      ("run --listen ", ["local", "lan"], ["--port"]),
      ("run --listen l", ["local", "lan"], []),
      ("run -", ["--listen", "--version"], ["--tail"]),
      ("takes ", ["list", "trash"], ["run", "FILE"]),
      ("takes li", ["list"], ["trash"]),
      ("render --tail ", ["auto"], ["lan"]),
      ("layout ", ["touchosc", "open-stage-control"], ["run"]),
      ("board ", ["list", "delete"], ["serve"]),
      ("loops ", ["list", "export"], ["delete"]),
      ("send /echo/t", ["/echo/time", "/echo/tone"], ["/live/gain"]),
      ("manual lo", ["loops", "lost"], ["run"]),
      ("completions ", ["bash", "zsh", "fish"], []),
      ("help wa", ["watch"], ["run"]),
    ]

    private func expect(
      _ candidates: [String], for line: (line: String, yes: [String], no: [String])
    ) {
      for word in line.yes { #expect(candidates.contains(word), "\(line.line): \(candidates)") }
      for word in line.no { #expect(!candidates.contains(word), "\(line.line): \(candidates)") }
    }

    @Test func `bash completes commands, options, values and addresses`() throws {
      for line in Self.lines {
        // The words as bash passes them to the function.
        let script = """
          source <(syrinx completions bash)
          COMP_WORDS=(syrinx "$@") COMP_CWORD=$#
          compopt() { :; }
          _syrinx
          printf '%s\\n' "${COMPREPLY[@]}"
          """
        let words = line.line.split(separator: " ", omittingEmptySubsequences: false)
        let result = try run("bash", ["-c", script, "bash"] + words.map(String.init))
        expect(result.output.split(separator: "\n").map(String.init), for: line)
      }
    }

    @Test func `bash takes an option with = as one with a value`() throws {
      let script = """
        source <(syrinx completions bash)
        compopt() { :; }
        for words in 'run --listen =' 'run --listen = lo' 'run --set = /echo/ti'; do
          COMP_WORDS=(syrinx $words) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
          _syrinx
          echo "${COMPREPLY[*]}"
        done
        """
      #expect(try run("bash", ["-c", script]).output == "local lan\nlocal\n/echo/time\n")
    }

    @Test func `fish completes commands, options, values and addresses`() throws {
      for line in Self.lines {
        let script = """
          syrinx completions fish | source
          complete -C 'syrinx \(line.line)'
          """
        let result = try run("fish", ["--no-config", "-c", script])
        let candidates = result.output.split(separator: "\n")
          .map { String($0.prefix { $0 != "\t" }) }
        expect(candidates, for: line)
      }
    }

    @Test(.hangLimit) func `zsh completes commands, options, values and addresses`() throws {
      for line in Self.lines {
        // Lists the candidates instead of inserting them.
        let script = """
          zmodload zsh/zpty
          zpty shell zsh -f
          zpty -w shell "PS1= PS2=; autoload -Uz compinit; compinit -u -d $HOME/dump"
          zpty -w shell "source <(syrinx completions zsh)"
          zpty -w shell "zstyle ':completion:*' verbose no; zstyle ':completion:*' list-packed no"
          zpty -w shell "list() { compstate[list]=; compstate[insert]=; }"
          zpty -w shell "compadd() { builtin compadd -A found -D none \\"\\$@\\"; print -l -- \\$found >> $HOME/found; builtin compadd \\"\\$@\\"; }"
          zpty -w shell "zle -C gather list-choices _main_complete; all() { zle gather; : > $HOME/done; }; zle -N all; bindkey '^T' all; print ready"
          while zpty -r shell text; do [[ $text == ready* ]] && break; done
          zpty -n -w shell "syrinx $1"$'\\x14'
          until [[ -e $HOME/done ]]; do sleep 0.02; done
          zpty -d shell
          cat $HOME/found
          """
        let result = try run("zsh", ["-f", "-c", script, "zsh", line.line])
        expect(result.output.split(separator: "\n").map(String.init), for: line)
      }
    }
  }
}
