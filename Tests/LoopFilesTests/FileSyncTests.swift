import Glibc
import Posix
import TestSupport
import Testing

@Suite struct FileSyncTests {
  @Test func `reports files as durable once per request, also a pipe, which has no sync`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    let file = try Descriptor(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600), orThrow: path)
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = try (
      Descriptor(ends[0], orThrow: "pipe"), Descriptor(ends[1], orThrow: "pipe")
    )
    let sync = try FileSync(thread: "sync", periodMilliseconds: 1)
    try file.write([1, 2, 3], action: path)
    sync.request(file, path: path)
    sync.request(writing, path: "pipe")
    sync.end(seconds: 60)
    let synced = try sync.nextSynced()
    #expect(synced.count { $0 === file } == 1 && synced.contains { $0 === writing })
    #expect(try sync.nextSynced().isEmpty)
    _ = reading
  }
}
