// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that building the node doesn't require these libraries.

let strict: [CSetting] = [
  .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
]
// All of it is C: without these options, each program and preloaded library would load the Swift
// runtime, which adds to its start time and memory.
let bare: [LinkerSetting] = [.unsafeFlags(["-static-stdlib", "-nostartfiles"])]
let asInNode: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"), .treatAllWarnings(as: .error),
]

let package = Package(
  name: "benchmarks",
  products: [
    .library(name: "CallbackTimer", type: .dynamic, targets: ["CallbackTimer"]),
    .library(name: "BlockSteps", type: .dynamic, targets: ["BlockSteps"]),
    .library(name: "MemoryParts", type: .dynamic, targets: ["MemoryParts"]),
    .library(name: "NoSequencer", type: .dynamic, targets: ["NoSequencer"]),
  ],
  targets: [
    .systemLibrary(name: "CJack", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    .systemLibrary(name: "CLiblo", pkgConfig: "liblo", providers: [.apt(["liblo-dev"])]),
    // Shared by all measurements: the clock, statistics, OSC packets, the table.
    .target(name: "Bench", cSettings: strict),

    .target(name: "EmptyClient", dependencies: ["Bench", "CJack"], cSettings: strict),

    // Preloaded libraries.
    .target(
      name: "CallbackTimer", dependencies: ["Bench", "CJack"], publicHeadersPath: ".",
      cSettings: strict, linkerSettings: bare),
    .target(
      name: "BlockSteps", dependencies: ["CJack"], publicHeadersPath: ".", cSettings: strict,
      linkerSettings: bare),
    .target(
      name: "MemoryParts", publicHeadersPath: ".", cSettings: strict, linkerSettings: bare),
    .target(
      name: "NoSequencer", publicHeadersPath: ".", cSettings: strict, linkerSettings: bare),

    // The measurements, and a peer written for them.
    .executableTarget(
      name: "callback-times", dependencies: ["Bench", "CJack", "EmptyClient"], cSettings: strict,
      linkerSettings: bare),
    .executableTarget(
      name: "loop-times", dependencies: ["Bench"], cSettings: strict, linkerSettings: bare),
    .executableTarget(
      name: "all-times", dependencies: ["Bench", "CJack", "EmptyClient"], cSettings: strict,
      linkerSettings: bare),
    .executableTarget(
      name: "looper-state", dependencies: ["Bench"], cSettings: strict, linkerSettings: bare),
    .executableTarget(
      name: "sound-source", dependencies: ["Bench", "CJack"], cSettings: strict,
      linkerSettings: bare),
    .executableTarget(
      name: "seam-meter", dependencies: ["Bench", "CJack"], cSettings: strict,
      linkerSettings: bare),
    .executableTarget(
      name: "message-rate", dependencies: ["Bench"], cSettings: strict, linkerSettings: bare),
    .executableTarget(
      name: "gain-delay", dependencies: ["Bench", "CJack"], cSettings: strict,
      linkerSettings: bare),
    .executableTarget(
      name: "start-time", dependencies: ["Bench"], cSettings: strict, linkerSettings: bare),
    .executableTarget(
      name: "resident-memory", dependencies: ["Bench"], cSettings: strict, linkerSettings: bare),
    .executableTarget(
      name: "random-play", dependencies: ["Bench", "CJack"], cSettings: strict,
      linkerSettings: bare),
    .executableTarget(
      name: "instrument-changes", dependencies: ["Bench"], cSettings: strict, linkerSettings: bare),
    .executableTarget(
      name: "board", dependencies: ["Bench"], cSettings: strict, linkerSettings: bare),
    .executableTarget(
      name: "liblo-gain", dependencies: ["CJack", "CLiblo"], cSettings: strict,
      linkerSettings: bare),

    // The effects, compared with peers that are loaded at run time. The effects are the node's own
    // sources through symbolic links, so that package access works.
    .target(
      name: "CRealtime", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("m")]),
    .target(
      name: "DSP", dependencies: ["CRealtime"],
      swiftSettings: asInNode),
    .target(name: "Harness", cSettings: strict),
    .executableTarget(
      name: "effects", dependencies: ["DSP", "Harness"],
      swiftSettings: [.treatAllWarnings(as: .error)],
      linkerSettings: [.linkedLibrary("dl"), .unsafeFlags(["-Xlinker", "--export-dynamic"])]),

    // The take library, through symbolic links as well.
    .systemLibrary(
      name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "CPosix"),
    .target(name: "JSON", swiftSettings: asInNode),
    .target(name: "Music", swiftSettings: asInNode),
    .target(name: "Posix", dependencies: ["CPosix"], swiftSettings: asInNode),
    .target(
      name: "Listening", dependencies: ["CRealtime", "DSP", "Music"], swiftSettings: asInNode),
    .target(name: "Tones", dependencies: ["CRealtime", "DSP"], swiftSettings: asInNode),
    .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: asInNode),
    .target(
      name: "SoundFiles", dependencies: ["CSndfile", "CSoxr", "DSP", "Posix"],
      swiftSettings: asInNode),
    .target(
      name: "Library",
      dependencies: ["CSQLite", "CSndfile", "DSP", "JSON", "Posix", "SQLite", "SoundFiles"],
      swiftSettings: asInNode),
    .target(
      name: "InstrumentFiles",
      dependencies: [
        "CSndfile", "DSP", "JSON", "Library", "Listening", "Music", "Posix", "SoundFiles", "Tones",
      ],
      swiftSettings: asInNode),
    .executableTarget(
      name: "library", dependencies: ["Library", "Posix", "SoundFiles"],
      swiftSettings: [.treatAllWarnings(as: .error)]),

    // The feedback guard, with the rooms and tones of the tests.
    .target(name: "Howl", dependencies: ["DSP"], swiftSettings: asInNode),
    .executableTarget(name: "guard", dependencies: ["DSP", "Howl"], swiftSettings: asInNode),

    // The tuner, compared with aubio's.
    .systemLibrary(name: "CAubio", pkgConfig: "aubio", providers: [.apt(["libaubio-dev"])]),
    .executableTarget(
      name: "tuner", dependencies: ["CAubio", "Listening"], swiftSettings: asInNode),

    // The sampler in its engine, compared with FluidSynth.
    .systemLibrary(
      name: "CFluidSynth", pkgConfig: "fluidsynth", providers: [.apt(["libfluidsynth-dev"])]),
    .target(name: "Engine", dependencies: ["DSP", "CRealtime"], swiftSettings: asInNode),
    .executableTarget(
      name: "sampler",
      dependencies: ["CFluidSynth", "DSP", "Engine", "Harness", "InstrumentFiles", "Posix"],
      swiftSettings: asInNode,
      linkerSettings: [.linkedLibrary("dl"), .unsafeFlags(["-Xlinker", "--export-dynamic"])]),
  ]
)
