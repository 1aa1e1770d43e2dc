import Music
import Testing

@Suite struct ScalaFileTests {
  private static let meantone = """
    ! meantone.scl
    !
    Quarter-comma meantone
     12
    !
     76.04900
     193.15686
     310.26471
     5/4
     503.42157
     579.47057
     696.57843
     25/16
     889.73529
     1006.84314
     1082.89214
     2/1

    """

  private func read(_ text: String) throws(ScalaFile.Fault) -> ScalaFile {
    try ScalaFile(Array(text.utf8))
  }

  private func fault(_ bytes: [UInt8]) -> ScalaFile.Fault? {
    do throws(ScalaFile.Fault) {
      _ = try ScalaFile(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `parses description and notes with any line ending`(end: String) throws {
    let text = Self.meantone.split(separator: "\n", omittingEmptySubsequences: false)
    let file = try read(text.joined(separator: end))
    #expect(file.description == "Quarter-comma meantone")
    #expect(file.cents.count == 12)
    #expect(file.cents[0] == 76.049)
    // 5/4 is 386.3137138648348 cents.
    #expect(abs(file.cents[3] - 386.3137138648348) < 1e-12)
    #expect(file.cents[11] == 1200)
    #expect(try read(text.dropLast().joined(separator: end)) == file)
  }

  @Test(arguments: [
    ("408.0", 408.0), ("408.", 408), (".5", 0.5), ("-5.0", -5), ("+5.0", 5), ("2", 1200),
    ("4/1", 2400), ("10/20", -1200), ("100.0 cents", 100), ("100.0 C#", 100), ("2/1   E\\", 1200),
    ("\t 100.0\t", 100), ("2 octave", 1200), ("2/1!half", 1200), ("4 / 2", 1200),
    ("2147483647/2147483647", 0), ("18446744073709551615/18446744073709551615", 0),
    ("701.955 3/2", 701.955), ("0.0", 0), ("-0.0", 0), ("100.0cents", 100),
    ("00000000000000000000000000100.00000000000000000000000000000000", 100),
  ])
  func `a note is cents with a decimal point or a ratio, and the rest is ignored`(
    line: String, cents: Double
  ) throws {
    #expect(try read("\n1\n\(line)\n").cents == [cents])
  }

  @Test(arguments: [
    ("", 1, "the file ends before the description"),
    ("!\n! only\n", 2, "the file ends before the description"),
    ("x\n", 1, "the file ends before the number of notes"),
    ("x\ntwelve\n", 2, "expected the number of notes, such as 12; got twelve"),
    ("x\n\n", 2, "expected the number of notes, such as 12; got nothing"),
    ("x\n-1\n", 2, "expected the number of notes, such as 12; got -1"),
    ("x\n1.5\n", 2, "expected the number of notes, such as 12; got 1.5"),
    (
      "x\n99999999999999999999\n", 2,
      "expected the number of notes, such as 12; got 99999999999999999999"
    ),
    ("x\n2\n!\n3/2\n", 4, "expected 2 notes; the file has 1"),
    ("x\n1\n!\n-4/3\n", 4, "expected a ratio of positive numbers; got -4/3"),
    ("x\n1\n0\n", 3, "expected a ratio of positive numbers; got 0"),
    ("x\n1\n3/0\n", 3, "expected a ratio of positive numbers; got 3/0"),
    ("x\n1\n3/\n", 3, "expected a whole number after /; got 3/"),
    ("x\n1\n3/-2\n", 3, "expected a whole number after /; got 3/-2"),
    (
      "x\n1\n3/2/1\n", 3, "expected a ratio of two whole numbers; got 3/2/1"
    ),
    ("x\n1\n3/2.5\n", 3, "expected a ratio of two whole numbers; got 3/2.5"),
    ("x\n1\n1.2.3\n", 3, "expected one decimal point; got 1.2.3"),
    ("x\n1\n.\n", 3, "expected a digit next to the decimal point; got ."),
    (
      "x\n1\nfifth\n", 3,
      "expected cents with a decimal point, such as 701.955, or a ratio, such as 3/2; got fifth"
    ),
    (
      "x\n1\n\n", 3,
      "expected cents with a decimal point, such as 701.955, or a ratio, such as 3/2; got nothing"
    ),
    (
      "x\n1\n18446744073709551616/3\n", 3,
      "expected numbers up to 18446744073709551615 in a ratio; got 18446744073709551616/3"
    ),
    ("x\n1\n100001.0\n", 3, "expected at most 100000 cents; got 100001.0"),
  ])
  func `errors are one line with the line number`(text: String, line: Int, message: String) {
    let fault = fault(Array(text.utf8))
    #expect(fault?.description == "line \(line): \(message)")
  }

  @Test func `lines that start with an exclamation mark are comments anywhere`() throws {
    let file = try read("!a\n!\nx ! y\n!\n2\n!b\n3/2 ! c\n!9/8\n2/1\n!\n")
    #expect(file.description == "x ! y")
    #expect(
      try read(" ! behind a blank it is none\n0").description == "! behind a blank it is none")
    #expect(file.cents.count == 2)
  }

  @Test func `a description can be empty, in Latin-1, or after a byte order mark`() throws {
    #expect(try read("\n0\n").description == "")
    #expect(try ScalaFile([0x4A, 0xF6, 0x0A, 0x30]).description == "Jö")
    #expect(try ScalaFile([0xEF, 0xBB, 0xBF] + Array("Jö\n0".utf8)).description == "Jö")
  }

  @Test func `notes may be missing or descending, and the rest is ignored`() throws {
    #expect(try read("x\n0\n").cents.isEmpty)
    #expect(try read("x\n3 notes\n500.\n300.\n2\nnot a note\n").cents == [500, 300, 1200])
  }

  @Test func `a large file is refused, and a huge note count allocates nothing`() {
    let large = [UInt8](repeating: UInt8(ascii: "x"), count: 256 * 1024 + 1)
    #expect(fault(large)?.message == "the Scala file exceeds 256 KiB")
    #expect(
      fault(Array("x\n9223372036854775807\n2/1\n".utf8))?.message
        == "expected 9223372036854775807 notes; the file has 1")
  }

  @Test func `corrupted files cause no crash and yield finite values`() {
    // Reproducible damage from a small generator (Knuth's MMIX constants).
    var state: UInt64 = 1
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let good = Array(Self.meantone.utf8)
    let telling = Array("!./-+ \t\r\n0129".utf8)
    var read = 0
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0...random(6) {
        let place = random(bytes.count)
        switch random(4) {
        case 0: bytes[place] = UInt8(random(256))
        case 1: bytes[place] = telling[random(telling.count)]
        case 2: bytes.remove(at: place)
        default: bytes.insert(telling[random(telling.count)], at: place)
        }
      }
      if random(4) == 0 { bytes.removeLast(random(bytes.count)) }
      do throws(ScalaFile.Fault) {
        let file = try ScalaFile(bytes)
        read += 1
        let areFinite = file.cents.allSatisfy(\.isFinite)
        #expect(areFinite)
        _ = try? Tuning(cents: file.cents)
      } catch {
        let isOneLine = error.description.unicodeScalars.allSatisfy { $0.value >= 32 }
        #expect(isOneLine && error.line >= 1)
      }
    }
    // Both outcomes are frequent.
    #expect(2_000...18_000 ~= read)
  }

  @Test func `arbitrary bytes cause no crash`() {
    var state: UInt64 = 2
    for length in 0..<3_000 {
      let bytes = (0..<length % 300).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      _ = fault(bytes)
    }
  }
}
