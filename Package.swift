// swift-tools-version: 6.2
import PackageDescription

let sanitizer = Context.environment["SYRINX_SANITIZE"]

let linker: [LinkerSetting] =
  switch sanitizer {
  // The realtime sanitizer is a link-time choice: its runtime intercepts blocking calls, and
  // CRealtime marks the audio callback for it. `swift build --sanitize` does not support it yet.
  case "realtime": [.unsafeFlags(["-Xclang-linker", "-fsanitize=realtime"])]
  // AddressSanitizer instruments the node's own modules only, as set below: instrumented tests take twice
  // the time and find nothing in the node. gold can't link the coverage tables of fuzzed modules.
  case "address": [.unsafeFlags(["-sanitize=address", "-use-ld=lld"])]
  default: []
  }

// The functions on the audio path are adjacent in the program: between two blocks they are evicted
// from the caches, and each page and cache line that is fetched again costs time. The file lists
// these functions in the order of their calls. `scripts/bench cold --order` writes it by stepping
// through some blocks. A function missing from the list or from the program is only placed
// elsewhere.
let ordering: [LinkerSetting] =
  sanitizer == nil
  ? [
    .unsafeFlags(
      [
        "-use-ld=lld",
        "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/Sources/block.order",
        "-Xlinker", "--no-warn-symbol-ordering",
      ], .when(configuration: .release))
  ] : []

// The modules that parse packets are also built for libFuzzer under AddressSanitizer: each access to
// memory is checked, and nothing is built twice.
let withFuzzer = sanitizer == "address"
let fuzzed = ["Control", "Doors", "Feed", "HTTP", "JSON", "OSC", "Posix"]

// The commit for `syrinx --version`, which scripts/lib/build.bash sets.
let commit: [CSetting] =
  Context.environment["SYRINX_COMMIT"].map { [.define("SYRINX_COMMIT", to: "\"\($0)\"")] } ?? []

let package = Package(
  name: "syrinx",
  products: [
    .executable(name: "syrinx", targets: ["syrinx"])
  ],
  targets: [
    // C libraries, and the few inline shims that Swift can't import.
    .systemLibrary(name: "CJack", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    .systemLibrary(name: "CLiblo", pkgConfig: "liblo", providers: [.apt(["liblo-dev"])]),
    // Avahi's pkg-config file requires a definition that SwiftPM refuses, and has nothing else.
    .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev"])]),
    .systemLibrary(
      name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    .systemLibrary(name: "CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // wslay has no pkg-config file.
    .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"])]),
    .systemLibrary(
      name: "CQrencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // Optimized in debug builds, too: otherwise it would slow down all tests.
    .target(
      name: "CRealtime", cSettings: [.unsafeFlags(["-O2"])], linkerSettings: [.linkedLibrary("m")]),

    .target(
      name: "CCommit", exclude: ["commit.txt"],
      cSettings: commit + [.unsafeFlags(["-Wno-c23-extensions"])]),

    // The audio side. Nothing here may block; the compiler refuses code that could.
    .target(name: "DSP", dependencies: ["CRealtime"]),
    .target(name: "Engine", dependencies: ["DSP", "CRealtime"]),

    // The control side.
    .target(name: "JSON"),
    .target(name: "OSC"),
    .target(name: "Music"),
    .target(name: "CPosix"),
    .target(name: "Posix", dependencies: ["CPosix"]),
    .target(name: "HTTP", dependencies: ["CCrypto", "CCurl", "JSON", "Posix"]),
    // The appearance of loop states, shared by all displays.
    .target(name: "Looks"),
    .target(name: "Screen", dependencies: ["Looks", "OSC"]),
    .target(name: "Listening", dependencies: ["CRealtime", "DSP", "Music"]),
    // The synthesis of the built-in instruments.
    .target(name: "Tones", dependencies: ["CRealtime", "DSP"]),
    .target(name: "SQLite", dependencies: ["CSQLite"]),
    // Sound files of any format and rate.
    .target(name: "SoundFiles", dependencies: ["CSndfile", "CSoxr", "DSP", "Posix"]),
    // Takes, their pictures, and presets.
    .target(
      name: "Library",
      dependencies: ["CSQLite", "CSndfile", "DSP", "JSON", "Posix", "SQLite", "SoundFiles"]),
    // Instruments from SF2, SF3, SFZ and WAV files, and built-in ones.
    .target(
      name: "InstrumentFiles",
      dependencies: [
        "CSndfile", "DSP", "JSON", "Library", "Listening", "Music", "Posix", "SoundFiles", "Tones",
      ]),
    // The causes of late buffers, and the state of the machine.
    .target(name: "Dropouts", dependencies: ["Posix"]),
    // The measurement of a round trip with sweeps.
    .target(name: "Calibration", dependencies: ["DSP"]),
    // Persistence of the loops.
    .target(name: "LoopFiles", dependencies: ["CZlib", "DSP", "Engine", "Posix"]),
    // The search for pictures of species.
    .target(name: "Pictures", dependencies: ["HTTP", "JSON", "Library", "Posix"]),
    .target(
      name: "Control",
      dependencies: [
        "DSP", "Dropouts", "Engine", "Feed", "HTTP", "InstrumentFiles", "JSON", "Library",
        "Listening", "LoopFiles", "Music", "OSC", "Pictures", "Posix", "SoundFiles",
      ]),
    // The feed server and its clients.
    .target(
      name: "Feed",
      dependencies: [
        "CPostgres", "DSP", "HTTP", "JSON", "Library", "Posix", "SQLite", "SoundFiles",
      ]),
    // The page's files, embedded in the program.
    .target(
      name: "CPage", path: "Sources/Page", exclude: ["web"], sources: ["page.c"],
      cSettings: [.unsafeFlags(["-Wno-c23-extensions"])]),
    .target(
      name: "Doors",
      dependencies: [
        "CPage", "CWslay", "CZlib", "Control", "Feed", "HTTP", "JSON", "OSC", "Posix",
      ]),
    .target(
      name: "Drivers", dependencies: ["CJack", "CRealtime", "DSP", "Dropouts", "Engine", "Posix"]),
    // The Lua files of the TouchOSC layouts, embedded in the program.
    .target(
      name: "CLayoutScripts", path: "Sources/LayoutScripts", exclude: ["lua"],
      sources: ["layout_scripts.c"], cSettings: [.unsafeFlags(["-Wno-c23-extensions"])]),
    .target(
      name: "Surfaces", dependencies: ["CLayoutScripts", "CZlib", "Control", "JSON", "Looks"]),
    .executableTarget(
      name: "syrinx",
      dependencies: [
        "CAvahi", "CCommit", "CQrencode", "CRealtime", "Calibration", "Control", "DSP", "Doors",
        "Drivers", "Dropouts", "Engine", "Feed", "JSON", "Library", "LoopFiles", "OSC", "Posix",
        "Screen",
        "SoundFiles",
        "Surfaces",
      ],
      linkerSettings: linker + ordering),

    // Tests: one target per module, and the running node with a real JACK server.
    .target(
      name: "TestSupport",
      dependencies: [
        "CJack", "CSndfile", "CZlib", "DSP", "Drivers", "Engine", "OSC", "Posix", "Screen",
        "SoundFiles",
      ],
      path: "Tests/TestSupport",
      exclude: [
        "Browser/audit.js", "TouchOSC/app.lua", "TouchOSC/document.lua", "TouchOSC/scripts.lua",
      ]),
    // Simulated rooms with feedback, and signals for them, for the tests and a benchmark.
    .target(name: "Howl", dependencies: ["DSP"], path: "Tests/Benchmarks/Sources/Howl"),
    // Simulated gigs: the node in simulated time, with a seed each.
    .executableTarget(
      name: "gigs",
      dependencies: ["Control", "DSP", "Engine", "Howl", "OSC", "Posix", "TestSupport"],
      path: "Tests/Gigs", linkerSettings: linker),
    .testTarget(
      name: "DSPTests", dependencies: ["DSP", "Howl", "TestSupport"], linkerSettings: linker),
    .testTarget(
      name: "EngineTests", dependencies: ["DSP", "Engine", "Howl", "TestSupport"],
      linkerSettings: linker),
    .testTarget(
      name: "DriversTests", dependencies: ["Drivers", "Dropouts", "Engine", "TestSupport"],
      linkerSettings: linker),
    .testTarget(
      name: "DropoutsTests", dependencies: ["Dropouts", "Posix", "TestSupport"],
      linkerSettings: linker),
    .testTarget(
      name: "CalibrationTests", dependencies: ["Calibration", "DSP"], linkerSettings: linker),
    .testTarget(
      name: "ListeningTests", dependencies: ["Listening", "TestSupport"], linkerSettings: linker),
    .testTarget(
      name: "HTTPTests", dependencies: ["CCrypto", "HTTP", "Posix", "TestSupport"],
      linkerSettings: linker),
    .testTarget(name: "JSONTests", dependencies: ["JSON"], linkerSettings: linker),
    .testTarget(name: "MusicTests", dependencies: ["Music"], linkerSettings: linker),
    .testTarget(name: "OSCTests", dependencies: ["OSC", "CLiblo"], linkerSettings: linker),
    .testTarget(
      name: "ScreenTests", dependencies: ["Looks", "OSC", "Screen", "TestSupport"],
      linkerSettings: linker),
    .testTarget(
      name: "PosixTests", dependencies: ["Posix", "TestSupport"], linkerSettings: linker),
    .testTarget(
      name: "SoundFilesTests",
      dependencies: ["DSP", "Library", "Posix", "SoundFiles", "TestSupport"],
      linkerSettings: linker),
    .testTarget(
      name: "LibraryTests",
      dependencies: ["DSP", "JSON", "Library", "Posix", "SQLite", "SoundFiles", "TestSupport"],
      linkerSettings: linker),
    .testTarget(
      name: "InstrumentFilesTests",
      dependencies: [
        "DSP", "InstrumentFiles", "JSON", "Library", "Posix", "SoundFiles", "TestSupport", "Tones",
      ],
      linkerSettings: linker),
    .testTarget(
      name: "LoopFilesTests", dependencies: ["DSP", "Engine", "LoopFiles", "Posix", "TestSupport"],
      linkerSettings: linker),
    .testTarget(
      name: "FeedTests",
      dependencies: ["Feed", "HTTP", "JSON", "Posix", "SQLite", "SoundFiles", "TestSupport"],
      linkerSettings: linker),
    .testTarget(
      name: "PicturesTests",
      dependencies: ["HTTP", "JSON", "Library", "Pictures", "Posix", "TestSupport"],
      linkerSettings: linker),
    .testTarget(
      name: "ControlTests",
      dependencies: [
        "Control", "DSP", "Doors", "Dropouts", "InstrumentFiles", "Library", "Music", "Posix",
        "SQLite", "SoundFiles", "Surfaces", "TestSupport",
      ],
      linkerSettings: linker),
    .testTarget(
      name: "DoorsTests",
      dependencies: [
        "CPage", "Control", "Doors", "Feed", "HTTP", "JSON", "Library", "OSC", "Posix",
        "TestSupport",
      ],
      linkerSettings: linker),
    .testTarget(
      name: "SurfacesTests",
      dependencies: [
        "CLayoutScripts", "Control", "Engine", "Looks", "OSC", "Screen", "Surfaces", "TestSupport",
      ],
      linkerSettings: linker),
    .testTarget(
      name: "NodeTests",
      dependencies: [
        "Control", "DSP", "Feed", "HTTP", "Howl", "InstrumentFiles", "JSON", "Library",
        "LoopFiles", "Music", "Posix", "SQLite", "SoundFiles", "TestSupport",
      ],
      exclude: ["Snapshots"],
      linkerSettings: linker),
  ],
  swiftLanguageModes: [.v6]
)

// `scripts/check` builds only the tests that it runs.
if let wanted = Context.environment["SYRINX_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}

// The tests of queues and rings between threads, and of background work that waits for disks, with
// their fixtures: the only ones in which ThreadSanitizer can find something.
let threaded = [
  "ControlTests": [
    "Desk", "Features/Captures/CaptureTests", "Features/Presets/PresetsTests",
    "Features/Songs/SongsTests", "Features/Takes/TakesTests",
  ],
  "DoorsTests": [
    "Web/Safety/WebAccessTests", "Web/Socket/WebSocketFramingTests", "Web/WebClient",
    "Web/WebDoorTests", "Web/WebRig",
  ],
  "EngineTests": [
    "Capture/CaptureTests", "Commands/CommandQueueTests", "Commands/RingTests",
    "Journal/LoopJournalTests", "Loop/LoopStage", "Time/TimeTests",
  ],
  "FeedTests": [
    "Board/BoardRig", "Board/BoardRoutesTests", "Board/BoardStoreTests", "Board/SoundBytes",
    "Board/StoreKind", "Board/StuckStore", "Board/WorkersTests",
  ],
  "LoopFilesTests": ["JournalScript", "JournalWriterTests"],
  "OSCTests": ["MessageTests", "PacketTests", "PatternTests", "StreamFramingTests"],
  "InstrumentFilesTests": ["InstrumentReadingTests"],
  "LibraryTests": [
    "LibraryFixture", "TakeLibraryAdoptionTests", "TakeLibraryFaultTests", "TakeLibraryTests",
    "TakeTests",
  ],
  "SoundFilesTests": ["WaveWriterTests"],
]
if sanitizer == "thread" {
  let unneeded = ["Surfaces", "gigs", "syrinx"]
  package.products = []
  package.targets.removeAll {
    $0.type == .test && threaded[$0.name] == nil || unneeded.contains($0.name)
  }
  for target in package.targets {
    guard let files = threaded[target.name] else { continue }
    target.sources = files.map { $0 + ".swift" }
    target.dependencies.removeAll { dependency in
      unneeded.contains { "\(dependency)".contains("\"\($0)\"") }
    }
  }
}

if withFuzzer {
  package.targets.append(
    .executableTarget(
      name: "PacketFuzzer",
      dependencies: ["Control", "Doors", "Engine", "Feed", "JSON", "OSC", "Posix", "TestSupport"],
      path: "Tests/PacketFuzzer",
      linkerSettings: [.unsafeFlags(["-sanitize=address", "-sanitize=fuzzer", "-use-ld=lld"])]))
}

// The targets that are always optimized. Tests process seconds of sound, which takes ten to fifty
// times longer without the optimizer. It also shortens lifetimes, which matters where memory is
// handled through pointers. Under these two sanitizers nothing else is optimized, which would only
// make the builds longer.
let processing = ["Calibration", "DSP", "Listening", "Tones"]
let optimized =
  switch sanitizer {
  case "address":
    processing + [
      "Control", "Doors", "Drivers", "Engine", "HTTP", "Howl", "LoopFiles", "OSC", "Posix",
      "SQLite", "TestSupport", "CalibrationTests", "DSPTests", "ListeningTests",
    ]
  case "thread": processing
  default: processing + ["TestSupport"]
  }

for target in package.targets
where target.type != .system && !["CCommit", "CPosix", "CRealtime"].contains(target.name) {
  target.swiftSettings = [
    // SE-0335: `any` marks every dynamic call.
    .enableUpcomingFeature("ExistentialAny"),
    // SE-0444: a file sees only the members of modules that it imports.
    .enableUpcomingFeature("MemberImportVisibility"),
    // SE-0409: a C library never leaks through a module that wraps it.
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
  ]
  if optimized.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"]))
  } else if ["address", "thread"].contains(sanitizer) {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
  }
  if sanitizer != nil {
    // Each module is type-checked once, not once more for its interface.
    target.swiftSettings?.append(
      .unsafeFlags(["-no-emit-module-separately-wmo"], .when(configuration: .release)))
  }
  if withFuzzer, fuzzed.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"]))
  }
  if ["DSP", "Engine", "Drivers"].contains(target.name) {
    // For the symbol ordering file.
    target.swiftSettings?.append(.unsafeFlags(["-Xfrontend", "-function-sections"]))
  }
}

if sanitizer == "address" {
  for target in package.targets
  where [.regular, .executable].contains(target.type)
    && !["Howl", "TestSupport"].contains(target.name)
  {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=address"])]
    target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(["-fsanitize=address"])]
  }
}
