internal import Posix
internal import SoundFiles

/// An input file and its output file; `-` is standard input or output.
struct RenderFile {
  let input: String
  let output: String

  /// Pairs the files of a command line: one input with one output, or many with files in a folder.
  static func all(_ names: [String]) throws(Failure) -> [RenderFile] {
    guard names.count > 1 else {
      throw Failure(.usage, "missing files: syrinx render IN OUT, or IN... FOLDER")
    }
    let (inputs, output) = (names.dropLast(), names[names.count - 1])
    guard Files.isFolder(output) else {
      guard inputs.count == 1 else {
        throw Failure(.usage, "several files need an output folder; \(output) is not one")
      }
      return [try RenderFile(inputs[0], output)]
    }
    var files: [RenderFile] = []
    var taken: [String: String] = [:]
    for input in inputs {
      guard input != RenderOptions.pipe else {
        throw Failure(.usage, "standard input has no name for a file in \(output); name one")
      }
      let name = name(of: input)
      if let former = taken.updateValue(input, forKey: name) {
        throw Failure(.usage, "\(former) and \(input) would both become \(output)/\(name)")
      }
      files.append(
        try RenderFile(input, output.hasSuffix("/") ? output + name : "\(output)/\(name)"))
    }
    return files
  }

  private init(_ input: String, _ output: String) throws(Failure) {
    if output != RenderOptions.pipe {
      _ = try Failure.of { () throws(SoundFileError) in try SoundFormat(endingOf: output) }
    }
    guard
      input == RenderOptions.pipe || output == RenderOptions.pipe
        || !Files.areSame(input, output)
    else { throw Failure(.usage, "\(output) is IN; OUT must be another file") }
    self.input = input
    self.output = output
  }

  /// The name of an input's output file in a folder: its own, as WAV if its format is read-only.
  private static func name(of input: String) -> String {
    let name = String(
      input[(input.lastIndex(of: "/").map(input.index(after:)) ?? input.startIndex)...])
    if (try? SoundFormat(endingOf: name)) != nil { return name }
    return (name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name) + ".wav"
  }

  /// The display name of IN.
  var inputName: String { input == RenderOptions.pipe ? "standard input" : input }
  /// The display name of OUT.
  var outputName: String { output == RenderOptions.pipe ? "standard output" : output }
}
