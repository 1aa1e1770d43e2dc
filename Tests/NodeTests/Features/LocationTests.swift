import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// The location of the running node: from its options, and from a GPS receiver.
  @Suite struct LocationTests {
    /// A gpsd that serves one client at a time.
    private final class Receiver {
      private let listener: Socket
      private var client: Socket?
      private var heard: [UInt8] = []
      var port: UInt16 { listener.port }

      init(port: UInt16 = 0) throws {
        listener = try Socket(
          .stream, boundTo: Endpoint(address: .loopback4, port: port))
      }

      /// Waits for the next client, greets it, and waits until it asks for reports.
      func awaitClient() throws {
        client = nil
        heard = []
        try waitUntil("gpsd has a client") {
          client = listener.accept()?.0
          return client != nil
        }
        send(#"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"#)
        try waitUntil("the client asks for reports") {
          _ = client?.read(atMost: 4096) {
            heard += Array($0)
            return true
          }
          return String(decoding: heard, as: UTF8.self)
            == "?WATCH={\"enable\":true,\"json\":true};\n"
        }
      }

      func send(_ line: String, end: String = "\r\n") {
        _ = client?.write(Array((line + end).utf8)[...])
      }

      func fix(_ latitude: Double, _ longitude: Double, mode: Int = 3) {
        send(
          #"{"class":"TPV","device":"/dev/ttyUSB0","mode":\#(mode),"lat":\#(latitude),"lon":\#(longitude),"alt":34.2}"#
        )
      }

      /// Ends the client's connection.
      func hangUp() { client = nil }
    }

    private func location(_ phone: Phone) -> [Double] {
      phone.ask("/location")?.arguments.compactMap(\.number) ?? []
    }

    @Test(.hangLimit)
    func `the option sets the location, which is that of the recordings`() throws {
      let (_, node, phone) = try startNode(["--location", "52.52,-13.4"])
      #expect(phone.ask("/location")?.arguments == [.float(52.52), .float(-13.4)])
      phone.send("/capture/on", .int32(1))
      try waitUntil("part of a second is captured") {
        phone.ask("/capture/state")?.arguments[1].number ?? 0 > 0.1
      }
      #expect(phone.ask("/capture/location")?.arguments == [.float(52.52), .float(-13.4)])
      phone.send("/capture/on", .int32(0))
      #expect(phone.receive("/reply") != nil)
      phone.send("/takes")
      #expect(
        phone.receive("/take")?.arguments.suffix(2) == [.float(52.52), .float(-13.4)])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit, arguments: ["91,0", "52.5", "here", "1,2,3"])
    func `an invalid location is refused`(text: String) throws {
      let folder = try TemporaryFolder()
      let result = try NodeProcess.run([
        "run", "--location", text, "--home", folder.path("home"),
      ])
      #expect(result.code == 64)
      #expect(result.errors.contains("--location takes LAT,LON in degrees"))
      #expect(!FileManager.default.fileExists(atPath: folder.path("home")))
    }

    @Test(.hangLimit)
    func `the node follows a receiver, also after gpsd was restarted`() throws {
      let gpsd = try Receiver()
      let (_, node, phone) = try startNode(["--gpsd", "127.0.0.1:\(gpsd.port)"])
      let watcher = try Phone(port: node.port)
      watcher.send("/subscribe", .string("/location"))
      #expect(watcher.sync())
      try gpsd.awaitClient()
      // No fix, other reports, and no JSON at all.
      gpsd.send(#"{"class":"TPV","mode":1}"#)
      gpsd.send(#"{"class":"TPV","mode":1,"lat":1.0,"lon":2.0}"#)
      gpsd.send(#"{"class":"SKY","satellites":[{"PRN":5,"used":false}]}"#)
      gpsd.send("nonsense")
      gpsd.fix(99, 0)
      // In two parts.
      gpsd.send(#"{"class":"TPV","mode":3,"la"#, end: "")
      gpsd.send(#"t":52.5,"lon":13.25}"#)
      #expect(watcher.receive("/location")?.arguments == [.float(52.5), .float(13.25)])
      // A few meters are noise: the next message is about the next move.
      gpsd.fix(52.500_02, 13.250_02)
      gpsd.fix(52.501, 13.25, mode: 2)
      #expect(watcher.receive("/location")?.arguments == [.float(52.501), .float(13.25)])
      gpsd.hangUp()
      try gpsd.awaitClient()
      gpsd.fix(-33.9, 151.2)
      #expect(watcher.receive("/location")?.arguments == [.float(-33.9), .float(151.2)])
      // The start of a capture takes it.
      phone.send("/capture/on", .int32(1))
      try waitUntil("the capture has the location") {
        phone.ask("/capture/location")?.arguments == [.float(-33.9), .float(151.2)]
      }
      phone.send("/capture/on", .int32(0))
      #expect(phone.receive("/reply") != nil)
      #expect(node.end() == 0)
      let said = node.errors.split(separator: "\n").filter { $0.contains("--gpsd") }
      #expect(said.count == 3, "\(said)")
    }

    @Test(.hangLimit)
    func `a node waits for gpsd to start`() throws {
      // A port that is free again.
      let port = try Receiver().port
      let (_, node, phone) = try startNode(["--gpsd", "\(port)"])
      try waitUntil("the node has said so") {
        node.errors.contains("can't connect to gpsd at 127.0.0.1:\(port)")
      }
      let before = location(phone)
      #expect(before.count == 2 && before.allSatisfy { $0.isNaN })
      let gpsd = try Receiver(port: port)
      try gpsd.awaitClient()
      gpsd.fix(10, 20)
      try waitUntil("the node has the location") { location(phone) == [10, 20] }
      #expect(node.end() == 0)
    }
  }
}
