// swift-tools-version: 6.2
import PackageDescription

// The realtime sanitizer is a link-time choice: its runtime intercepts what blocks, and
// CRealtime marks the audio callback for it. `swift build --sanitize` does not know it yet.
let underRealtimeSanitizer = Context.environment["SYRINX_SANITIZE"] == "realtime"
let linker: [LinkerSetting] =
  underRealtimeSanitizer ? [.unsafeFlags(["-Xclang-linker", "-fsanitize=realtime"])] : []

// The fuzzer needs libFuzzer's runtime, which is linked only by `scripts/fuzz`.
let withFuzzer = Context.environment["SYRINX_SANITIZE"] == "fuzzer"

let package = Package(
  name: "syrinx",
  products: [
    .executable(name: "syrinx", targets: ["syrinx"])
  ],
  targets: [
    // C libraries, and the few inline shims that Swift can't import.
    .systemLibrary(name: "CJack", pkgConfig: "jack", providers: [.apt(["libjack-jackd2-dev"])]),
    .systemLibrary(name: "CLiblo", pkgConfig: "liblo", providers: [.apt(["liblo-dev"])]),
    // Avahi's pkg-config file asks for a definition that SwiftPM refuses; nothing else is in it.
    .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev"])]),
    .target(name: "CRealtime", linkerSettings: [.linkedLibrary("m")]),

    // The audio side. Nothing here may block; the compiler refuses what could.
    .target(name: "DSP", dependencies: ["CRealtime"]),
    .target(name: "Engine", dependencies: ["DSP", "CRealtime"]),

    // The control side.
    .target(name: "OSC"),
    .target(name: "CPosix"),
    .target(name: "Posix", dependencies: ["CPosix"]),
    .target(name: "Control", dependencies: ["Engine", "OSC", "Posix"]),
    .target(name: "JackClient", dependencies: ["CJack", "CRealtime", "Engine", "Posix"]),
    .executableTarget(
      name: "syrinx",
      dependencies: [
        "CAvahi", "CLiblo", "CRealtime", "Control", "Engine", "JackClient", "OSC", "Posix",
      ],
      linkerSettings: linker),

    // Tests: one target a module, and the running node under a real JACK server.
    .target(
      name: "TestSupport", dependencies: ["CJack", "Engine", "JackClient", "OSC", "Posix"],
      path: "Tests/TestSupport"),
    .testTarget(name: "DSPTests", dependencies: ["DSP", "TestSupport"], linkerSettings: linker),
    .testTarget(
      name: "EngineTests", dependencies: ["Engine", "TestSupport"], linkerSettings: linker),
    .testTarget(name: "OSCTests", dependencies: ["OSC", "CLiblo"], linkerSettings: linker),
    .testTarget(
      name: "ControlTests", dependencies: ["Control", "TestSupport"], linkerSettings: linker),
    .testTarget(
      name: "NodeTests", dependencies: ["Control", "JackClient", "TestSupport"],
      exclude: ["Snapshots"],
      linkerSettings: linker),
  ],
  swiftLanguageModes: [.v6]
)

if withFuzzer {
  package.targets.append(
    .executableTarget(
      name: "PacketFuzzer", dependencies: ["Control", "Engine", "OSC", "Posix", "TestSupport"],
      path: "Tests/PacketFuzzer",
      // `main` is libFuzzer's.
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}

for target in package.targets
where target.type != .system && !["CPosix", "CRealtime"].contains(target.name) {
  target.swiftSettings = [
    // SE-0335: `any` is written wherever a call is dynamic, so that it can be seen.
    .enableUpcomingFeature("ExistentialAny"),
    // SE-0444: a file sees the members of what it imports, and of nothing else.
    .enableUpcomingFeature("MemberImportVisibility"),
    // SE-0409: a C library never leaks through a module that wraps it.
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
  ]
}
