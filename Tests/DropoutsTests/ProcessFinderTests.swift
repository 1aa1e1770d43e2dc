import Testing

@testable import Dropouts

@Suite struct ProcessFinderTests {
  @Test func `a client of JACK has the socket that bears its name`() {
    let table = """
      Num       RefCount Protocol Flags    Type St Inode Path
      00000000625c44de: 00000002 00000000 00010000 0001 01 872296 /dev/shm/jack_default_0_0
      00000000ce015aab: 00000003 00000000 00000000 0001 03 873053 /dev/shm/jack_default_0_0
      00000000c6f6c097: 00000003 00000000 00000000 0001 03 872304 /dev/shm/jack_my_synth 2_1000_0
      00000000aaaaaaaa: 00000003 00000000 00000000 0001 03 1111
      00000000bbbbbbbb: 00000003 00000000 00000000 0001 03 2222 /run/user/0/pipewire-0
      00000000cccccccc: 00000003 00000000 00000000 0001 03 3333 /dev/shm/jack_0

      """
    #expect(
      ProcessFinder.clientSockets(Array(table.utf8)) == [873_053: "default", 872_304: "my_synth 2"])
    #expect(ProcessFinder.clientSockets([]).isEmpty)
  }

  @Test func `a process has no server without a connection to one`() {
    #expect(ProcessFinder.server() == nil)
  }
}
