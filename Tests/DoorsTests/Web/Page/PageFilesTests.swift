import CPage
import Foundation
import TestSupport
import Testing

/// The page's files, as embedded in the program.
@Suite struct PageFilesTests {
  private let folder = Project.file("Sources/Page/web")

  @Test func `every file of the page's folder is embedded unchanged`() throws {
    var built: [String: [UInt8]] = [:]
    let files = [page_file](unsafeUninitializedCapacity: page_files_count) { files, count in
      page_files(files.baseAddress!)
      count = page_files_count
    }
    for file in files {
      built[String(cString: file.name)] = Array(
        UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(
        atPath: folder.path + "/" + $0, isDirectory: &isFolder) && !isFolder.boolValue
    }
    #expect(Set(names) == Set(built.keys))
    for name in names {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      #expect(built[name].map { Data($0) } == bytes, "\(name)")
    }
  }
}
