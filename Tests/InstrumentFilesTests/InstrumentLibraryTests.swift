import Foundation
import TestSupport
import Testing

@testable import InstrumentFiles

/// The instrument library with all of its sources.
@Suite final class InstrumentLibraryTests {
  private let folder: TemporaryFolder
  private var home: String { folder.path("home") }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["home/instruments", "shipped/instruments", "fonts"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
    }
    try write("shipped/instruments/piano.json", #"{"order": 1, "program": 0, "builtIn": "piano"}"#)
    try write("shipped/instruments/steel-guitar.json", #"{"order": 2, "program": 25}"#)
    try write(
      "shipped/instruments/kit.json",
      #"{"name": "drums", "order": 3, "bank": 128, "program": 0, "builtIn": "drums"}"#)
  }

  private func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  private func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
  }

  private func writeFont(_ name: String, programs: [(bank: Int, number: Int)] = [(0, 0)]) throws {
    var font = SoundFontFixture()
    font.programs = programs.map {
      SoundFontFixture.Program(bank: $0.bank, number: $0.number, zones: [.init([(41, 0)])])
    }
    try write(name, font.bytes)
  }

  private func library(_ given: [String] = []) -> InstrumentLibrary {
    InstrumentLibrary(
      shipped: folder.path("shipped"), home: home,
      places: SoundFontPlaces(given: given.map(folder.path), folders: [folder.path("fonts")]))
  }

  private func entry(
    _ name: String, _ given: [String] = []
  ) throws -> InstrumentCatalogue.Entry {
    try library(given).catalogue().entry(InstrumentName(name))
  }

  private let builtIn = ["violin", "acoustic guitar", "electric guitar", "bell", "organ"]

  @Test("Without a soundfont, the built-in instruments are listed, and no others")
  func withoutFonts() throws {
    let catalogue = library().catalogue()
    #expect(catalogue.names == ["piano", "drums"] + builtIn)
    #expect(catalogue.fonts.isEmpty && catalogue.faults.isEmpty)
    guard case .builtIn(.piano) = try entry("piano").sources.first else {
      Issue.record("another piano")
      return
    }
    // Not even the folder needs to exist.
    #expect(
      Set(InstrumentLibrary().catalogue().names) == Set(BuiltInInstrument.allCases.map(\.name)))
  }

  @Test("Soundfont programs take precedence over built-in instruments, and add others")
  func fonts() throws {
    try writeFont("fonts/some.sf2", programs: [(0, 0), (0, 25)])
    #expect(library().catalogue().names == ["piano", "steel-guitar", "drums"] + builtIn)
    let piano = try entry("piano")
    #expect(piano.sources.count == 2)
    guard case .program(let font, let program) = piano.sources[0] else {
      Issue.record("another piano")
      return
    }
    #expect(font.path == folder.path("fonts/some.sf2") && program.number == 0)
    #expect(try entry("drums").sources.count == 1)
  }

  @Test("Given soundfonts come first, then the best one found")
  func order() throws {
    try writeFont("fonts/other.sf2")
    try writeFont("fonts/FluidR3_GM.sf2")
    try writeFont("mine.sf2", programs: [(0, 25)])
    let catalogue = library(["mine.sf2"]).catalogue()
    #expect(
      catalogue.fonts.map(\.path) == ["mine.sf2", "fonts/FluidR3_GM.sf2"].map(folder.path))
    guard case .program(let font, _) = try entry("steel guitar", ["mine.sf2"]).sources[0] else {
      Issue.record("another guitar")
      return
    }
    #expect(font.path == folder.path("mine.sf2"))
  }

  @Test("Broken soundfonts and those without General MIDI are skipped")
  func brokenFonts() throws {
    var bytes = SoundFontFixture().bytes
    bytes.removeLast(bytes.count / 2)
    try write("fonts/FluidR3_GM.sf2", bytes)
    try writeFont("fonts/a-drum.sf2", programs: [(128, 0)])
    try writeFont("fonts/whole.sf2")
    let catalogue = library(["gone.sf2"]).catalogue()
    #expect(catalogue.fonts.map(\.path) == [folder.path("fonts/whole.sf2")])
    #expect(catalogue.faults.count == 2)
    #expect(catalogue.faults.first?.contains("gone.sf2") == true)
    #expect(catalogue.faults.last?.contains("FluidR3_GM.sf2") == true)
  }

  @Test("Names ignore case and hyphens, and a typo gets a suggestion")
  func names() throws {
    for name in ["acoustic guitar", "Acoustic-Guitar", " acoustic_guitar ", "ACOUSTIC  GUITAR"] {
      #expect(try entry(name).name.text == "acoustic guitar")
    }
    #expect(throws: InstrumentFault(.missing, "unknown instrument vioiln; did you mean violin?")) {
      try entry("vioiln")
    }
    #expect(
      throws: InstrumentFault(.missing, "unknown instrument kazoo; /instruments lists all")
    ) {
      try entry("kazoo")
    }
    for name in ["", " ", ".hidden", "a/b", "a\nb", String(repeating: "a", count: 49)] {
      #expect(throws: InstrumentFault.self) { try InstrumentName(name) }
    }
  }

  @Test("A file in the instruments folder is an instrument with its name")
  func ownFiles() throws {
    try writeFont("home/instruments/Glass.sf2", programs: [(3, 7)])
    try write("home/instruments/noise.sfz", "<region> sample=*none")
    try write("home/instruments/readme.txt", "")
    try FileManager.default.createDirectory(
      atPath: folder.path("home/instruments/owls"), withIntermediateDirectories: true)
    try SoundFixture.write(
      folder.path("home/instruments/owls/A4.wav"),
      left: Tone.sine(440, amplitude: 0.5, frames: 4800),
      rate: 48_000)
    #expect(library().catalogue().names.suffix(3) == ["Glass", "noise", "owls"])
    let owls = try entry("owls")
    #expect(owls.isOwn)
    #expect(try owls.read(owls.sources[0]).regions.first?.rootKey == 69)
    let glass = try entry("glass")
    #expect(try glass.read(glass.sources[0]).regions.count == 1)
  }

  @Test("A file becomes a named instrument until it is deleted")
  func adding() throws {
    try writeFont("home/font.sf2", programs: [(0, 0), (8, 40)])
    _ = try library().add("My Font", file: "font.sf2", bank: 8, program: 40)
    let own = try entry("my font")
    #expect(own.name.text == "My Font" && own.isOwn)
    guard case .file("font.sf2", _, 8, 40) = own.sources[0] else {
      Issue.record("another file")
      return
    }
    // It overrides the shipped one, which comes back after the deletion.
    _ = try library().add("Piano", file: "font.sf2", bank: nil, program: nil)
    #expect(try entry("piano").isOwn)
    try library().delete("PIANO")
    #expect(try !entry("piano").isOwn)
    try library().delete("my font")
    #expect(throws: InstrumentFault.self) { try entry("my font") }
    #expect(FileManager.default.fileExists(atPath: folder.path("home/font.sf2")))
  }

  @Test("Invalid instruments are rejected and not stored")
  func refused() throws {
    try writeFont("home/font.sf2")
    try writeFont("outside.sf2")
    try write("home/text.txt", "no")
    try write("home/cut.sf2", Array(SoundFontFixture().bytes.prefix(300)))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("home/link.sf2"), withDestinationPath: folder.path("outside.sf2"))
    func kind(_ file: String, name: String = "x", bank: Int? = nil, program: Int? = nil)
      -> InstrumentFault.Kind?
    {
      do throws(InstrumentFault) {
        _ = try library().add(name, file: file, bank: bank, program: program)
        return nil
      } catch {
        return error.kind
      }
    }
    #expect(kind("../outside.sf2") == .denied)
    #expect(kind("link.sf2") == .denied)
    #expect(kind(folder.path("outside.sf2")) == .denied)
    #expect(kind("gone.sf2") == .missing)
    #expect(kind("text.txt") == .broken)
    #expect(kind("cut.sf2") == .broken)
    #expect(kind("font.sf2", bank: 0, program: 99) == .missing)
    #expect(kind("font.sf2", name: "take") == .denied)
    #expect(kind("font.sf2", name: "a/b") == .denied)
    #expect(folder.names.contains("home"))
    #expect(library().catalogue().names == ["piano", "drums"] + builtIn)
    #expect(
      throws: InstrumentFault(.denied, "piano is shipped with the program and can't be deleted")
    ) {
      try library().delete("piano")
    }
    #expect(throws: InstrumentFault.self) { try library().delete("nothing") }
  }

  @Test("Invalid cards are skipped and reported with their line")
  func brokenCards() throws {
    try write("shipped/instruments/bad.json", "{\n\"program\": 200}")
    try write("shipped/instruments/worse.json", "{\n\"builtIn\": \"kazoo\"}")
    let catalogue = library().catalogue()
    #expect(catalogue.names == ["piano", "drums"] + builtIn)
    #expect(
      catalogue.faults.count == 2 && catalogue.faults[0].contains("bad.json:2: program must be"))
  }

  @Test("Samples load from the middle of the keyboard outward, loud layers before soft ones")
  func readingOrder() throws {
    for name in ["a", "b", "c", "d", "e"] {
      try SoundFixture.write(
        folder.path("home/\(name).wav"), left: Tone.sine(440, frames: 480), rate: 48_000)
    }
    let text = """
      <region> sample=a.wav lokey=0 hikey=20
      <region> sample=b.wav lokey=21 hikey=50
      <region> sample=c.wav lokey=55 hikey=65 hivel=60
      <region> sample=d.wav lokey=55 hikey=65 lovel=61
      <region> sample=e.wav key=60 trigger=release
      <region> sample=a.wav lokey=71 hikey=80
      """
    try write("home/layers.sfz", text)
    let instrument = try library().add("layers", file: "layers.sfz", bank: nil, program: nil)
    // The sixth region shares its sample with the first, and is closer.
    #expect(
      instrument.readingOrder.map { instrument.samples[$0].name }
        == ["d.wav", "b.wav", "a.wav", "e.wav", "c.wav"])
    #expect(throws: Never.self) { try instrument.checkSize(needing: 1 << 30) }
    let fault = #expect(throws: InstrumentFault.self) {
      try instrument.checkSize(needing: 1 << 30 + 1)
    }
    #expect(fault?.kind == .tooLarge)
  }

  private static let presets = Project.file("Presets").path

  @Test("The shipped cards are valid and complete")
  func shipped() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Self.presets + "/instruments")
    for file in files {
      let name = try #require(InstrumentName(file: file, ending: ".json"))
      let card = try InstrumentCard(path: "\(Self.presets)/instruments/\(file)", name: name)
      // In the form in which the names are normalized.
      #expect(card.name == name && card.name.text == card.name.plain)
      #expect(!card.help.isEmpty && card.program != nil)
    }
    let catalogue = InstrumentLibrary(shipped: Self.presets).catalogue()
    #expect(catalogue.faults.isEmpty)
    let names = catalogue.names
    #expect(names.first == "piano" && names.count == Set(names).count)
    #expect(Set(["violin", "acoustic guitar", "electric guitar", "drums"]).isSubset(of: names))
  }

  private static let fluid = "/usr/share/sounds/sf2/FluidR3_GM.sf2"

  @Test(
    "A large soundfont has all names, and all of their sounds can be read",
    .enabled(if: FileManager.default.fileExists(atPath: fluid)))
  func general() throws {
    let library = InstrumentLibrary(
      shipped: Self.presets, places: SoundFontPlaces(given: [Self.fluid]))
    let catalogue = library.catalogue()
    let files = try FileManager.default.contentsOfDirectory(
      atPath: Self.presets + "/instruments")
    // The bell has no program.
    #expect(catalogue.names.count == files.count + 1 && catalogue.faults.isEmpty)
    for entry in catalogue.entries {
      let instrument = try entry.read(entry.sources[0])
      #expect(instrument.notes == [], "\(entry.name.text)")
      #expect(Set(instrument.readingOrder) == Set(instrument.samples.indices))
      for sample in instrument.samples {
        let sound = try sample.read()
        #expect(sound.count == sample.channels && sound[0].count == sample.frames)
      }
    }
  }

  @Test("The soundfont folders are the default ones, or those of the variable")
  func places() {
    #expect(SoundFontPlaces.folders(named: "/a:/b", data: "/d") == ["/a", "/b"])
    #expect(SoundFontPlaces.folders(named: "none", data: "/d") == [])
    let usual = SoundFontPlaces.folders(named: nil, data: "/d")
    #expect(usual.contains("/usr/share/sounds/sf2") && usual.first == "/d/sounds/sf2")
  }
}
