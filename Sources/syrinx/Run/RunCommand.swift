internal import Control
internal import Doors
internal import Engine
internal import Library
internal import Posix
internal import Screen

/// The command `syrinx run`: runs the node until it is stopped.
enum RunCommand: Command {
  static let page = CommandPage(
    name: "run", summary: "Start the node.",
    usage: "syrinx run [OPTIONS]",
    options: """
      -n, --name NAME: Name of the JACK client (default: syrinx)
      -s, --server NAME: Name of the JACK server (default: $JACK_DEFAULT_SERVER, else default)
      -p, --port PORT: Port for OSC over UDP and TCP; 0 uses a free one (default: 8000)
      --home DIR: Data directory for takes, presets, instruments and settings (default: \
      $XDG_DATA_HOME/syrinx, else ~/.local/share/syrinx)
      --music DIR: A music folder outside the data directory, known by its last path component; \
      repeatable, and the first one is used initially (default: music in the data directory)
      --soundfont FILE: A soundfont, SF2 or SF3, in preference to installed ones; repeatable
      --listen local|lan: Whether other machines can connect (default: local)
      --web PORT: Port for the web page and OSCQuery; 0 disables it (default: 8080, or the next \
      free one)
      --web-host NAME: Another host name accepted for the web page; repeatable
      --web-origin URL: A site whose pages may control the node, such as \
      http://studio.local:3000; repeatable
      --tls: Also serve HTTPS on the port of the web page, with the node's own certificate: \
      browsers give a page the location only over HTTPS
      --web-open: Require no token for the web page: for private networks only
      --allow CIDR: Accept only these addresses, such as 192.168.1.0/24; repeatable
      --feedback HOST:PORT: Send all changes to this target from the start; repeatable
      --loops N: Number of loops, 1 to 16 (default: 4)
      --loop-seconds S: Maximum loop length in seconds, 1 to 600 (default: 10)
      --session-ring MINUTES: Keep the last minutes of all ports on disk, 1 to 120, of which \
      /session/keep makes a session; 0 keeps none (default: 0)
      --location LAT,LON: Location of the node in degrees, such as 52.52,13.40; saved with each \
      recording
      --gpsd HOST:PORT: Follow the location of a GPS receiver through the gpsd on this host \
      (default port: 2947), such as localhost
      --link: Join the Ableton Link session of this network, for /tempo/source link
      --connect: Connect to the sound card's inputs and outputs, unless connections were saved
      --keys DEVICE: A pedal that acts as a keyboard, such as /dev/input/by-id/…-event-kbd: its \
      keys can be mapped, and reach no other program; repeatable
      --fresh: Start with default values, and without the saved connections and loops; settings \
      in the library are kept
      --preset NAME: Load a preset before the first sound: a name, or the path of a file, with a /
      --set /ADDRESS=VALUE: Set a value before the first sound, after the preset; repeatable
      """,
    details: """
      Connects to the running JACK server, opens the OSC port, and prints one line when ready:

        ready name=syrinx rate=48000 block=64 osc=osc.udp://127.0.0.1:8000
        web=http://127.0.0.1:8080/ home=/home/me/…             (on one line)

      All other messages go to standard error. If the server stops, the node waits for it and
      reconnects. Settings and connections are saved in HOME/state/NAME as they change, and loops
      in HOME/loops/NAME. The next start restores them, and then applies --preset and --set.
      Ctrl-C, SIGTERM and /quit end the node with a fade-out. The OSC URL is also written to
      $XDG_RUNTIME_DIR/syrinx/NAME.url.

      Examples:
        syrinx run --connect                         play through the sound card
        syrinx run --listen lan --allow 192.168.1.0/24   for a phone on this network
        syrinx run -n second -p 0 --set /live/gain=-6    a second node
        syrinx run --preset ./mine.json              with a preset from this folder
      """)

  static func run(_ given: CommandPage.Given) throws(Failure) {
    let options = try RunOptions(given)
    let program = try RunningNode(options)
    try program.run()
  }
}

/// The options of `syrinx run`, validated.
struct RunOptions {
  var name = "syrinx"
  var server: String?
  var port: UInt16 = 8000
  var isPortGiven = false
  var home: String
  var isHomeGiven = false
  var isFresh = false
  var musicFolders: [String] = []
  var soundFonts: [String] = []
  var access = NetworkAccess()
  /// The options of the web server; nil without one.
  var web: WebDoor.Options? = WebDoor.Options(port: 8080, takesOther: true)
  var feedback: [Endpoint] = []
  /// The number of loops, and their maximum length.
  var loops = LoopSetup()
  /// The location to start with.
  var location: Place?
  /// Whether to join a session of Ableton Link.
  var joinsLink = false
  /// The gpsd server to follow.
  var gpsd: NodePlace?
  var connects = false
  /// The minutes of all ports that are kept.
  var sessionMinutes = 0
  var preset: String?
  var settings: [String] = []
  /// The devices of pedals that act as keyboards.
  var keys: [String] = []

  init(_ given: CommandPage.Given) throws(Failure) {
    guard given.rest.isEmpty else {
      throw .usage("`syrinx run` takes options only", got: given.rest[0])
    }
    if let name = given["name"] {
      // JACK separates its part of a port's name by a colon; the file uses the name, and so does --to.
      let isPlain = !name.contains(" ") && PlainText.line(name) == name
      guard name.utf8.count <= 32, isPlain, NodeAudience.isName(name) else {
        throw .usage(
          "--name takes 1 to 32 bytes without blanks, :, /, [ and ], not only digits, and not `all`",
          got: name)
      }
      self.name = name
    }
    server = given["server"]
    // Both would use the same socket, and hide the server.
    guard name != Self.serverName(server) else {
      throw Failure(
        .usage, "--name can't be \(quoted(name)), the name of the JACK server")
    }
    if let port = try given.port("port") {
      self.port = port
      isPortGiven = true
    }
    home = try StoredFiles.home(given)
    isHomeGiven = given.has("home")
    isFresh = given.has("fresh")
    musicFolders = try Self.musicFolders(given.all("music"))
    soundFonts = given.all("soundfont")
    guard !soundFonts.contains("") else {
      throw Failure(.usage, "--soundfont takes a file; got \"\"")
    }
    access = try given.access
    try takeWeb(given)
    let places = try given.values(
      "feedback", "HOST:PORT of a known host, a port, or osc.udp://HOST:PORT"
    ) { text in
      NodePlace(text, usualPort: nil).flatMap { place in
        place.isStream ? nil : (try? Endpoint(place)).map { (text, $0) }
      }
    }
    for (text, endpoint) in places where !access.isOpen && !endpoint.address.isLoopback {
      throw Failure(.usage, "--feedback to another machine (\(text)) needs --listen lan")
    }
    feedback = places.map(\.1)
    try takeLoops(given)
    location = try given.value("location", "LAT,LON in degrees, such as 52.52,13.40") {
      Place(written: $0)
    }
    gpsd = try given.value("gpsd", "HOST:PORT, or a host") { text in
      let port = GPSClient.port
      let place = NodePlace(text, usualPort: port) ?? NodePlace("\(text):\(port)")
      return place.flatMap { $0.isStream ? nil : $0 }
    }
    joinsLink = given.has("link")
    connects = given.has("connect")
    sessionMinutes = try given.number("session-ring", 0...120, "0 to 120 minutes") ?? 0
    preset = given["preset"]
    settings = given.all("set")
    keys = given.all("keys")
    guard !keys.contains("") else { throw Failure(.usage, "--keys takes a device; got \"\"") }
  }

  // More than a small machine has to spare.
  private static let muchMemory = 1 << 30

  /// A line about the memory that the loops can use, if it is much; nil otherwise.
  var memoryOfLoops: String? {
    let most = loops.bytes(sampleRate: 48_000)
    guard most > Self.muchMemory else { return nil }
    return
      "\(loops.count) loops of \(plain(loops.seconds)) s use up to \(most >> 20) MB of memory at "
      + "48 kHz as they fill; /loops/size reports how much"
  }

  private mutating func takeLoops(_ given: CommandPage.Given) throws(Failure) {
    let most = Parameter.mostLoops
    if let count = try given.number("loops", 1...most, "1 to \(most)") {
      loops = LoopSetup(count: count)
    }
    loops.seconds = try given.number("loop-seconds", 1...600, "1 to 600") ?? loops.seconds
    let wanted = loops.bytes(sampleRate: 48_000)
    let there = Memory.available
    guard there == 0 || wanted < there else {
      throw Failure(
        .usage,
        "\(loops.count) loops of \(plain(loops.seconds)) seconds need up to "
          + "\(wanted >> 20) MB at 48 kHz, but only \(there >> 20) MB are free; use fewer or shorter loops"
      )
    }
  }

  private mutating func takeWeb(_ given: CommandPage.Given) throws(Failure) {
    if let port = try given.port("web") {
      web = port == 0 ? nil : WebDoor.Options(port: port, takesOther: false)
    }
    web?.hosts = try given.hosts("web-host")
    let origins = try given.values(
      "web-origin", "an origin, such as http://studio.local:3000"
    ) { text in
      let rest = text.split(separator: "//", maxSplits: 1)
      let isOrigin = rest.count == 2 && ["http:", "https:"].contains(rest[0])
      return isOrigin && !rest[1].contains("/") ? text : nil
    }
    web?.origins = origins
    web?.isFree = given.has("web-open")
    web?.isSecure = given.has("tls")
    guard web != nil || !given.has("tls") else {
      throw Failure(.usage, "--tls needs the web page; --web 0 disables it")
    }
  }

  /// The name of the JACK server to join.
  var serverName: String { Self.serverName(server) }

  private static func serverName(_ given: String?) -> String {
    given ?? Environment["JACK_DEFAULT_SERVER"] ?? "default"
  }

  private static func musicFolders(_ given: [String]) throws(Failure) -> [String] {
    var names: Set<Substring> = []
    for folder in given {
      // The name of the folder in /music/folder.
      guard let name = folder.split(separator: "/").last, !name.hasPrefix(".") else {
        throw .usage("--music takes a folder with a name", got: folder)
      }
      guard names.insert(name).inserted else {
        throw Failure(.usage, "--music: more than one folder is named \(quoted(String(name)))")
      }
    }
    return given
  }
}
