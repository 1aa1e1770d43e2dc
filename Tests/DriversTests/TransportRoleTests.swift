import Engine
import Testing

@testable import Drivers

@Suite struct TransportRoleTests {
  private var role = TransportRole()

  private mutating func request(_ wants: Bool) { role.want(wants, isRunning: true) }

  @Test mutating func `a granted request is the role, and a release ends it`() {
    request(true)
    #expect(role.state == .asked)
    role.answer(isGranted: true)
    #expect(role.state == .yes)
    // Asked once more by the link's thread, as long as the role is wanted.
    role.answer(isGranted: true)
    #expect(role.state == .yes)
    request(false)
    #expect(role.state == .no)
  }

  @Test mutating func `the answer to a request that was withdrawn in the meantime does not count`()
  {
    request(true)
    request(false)
    role.answer(isGranted: true)
    #expect(role.state == .no)
    request(true)
    request(false)
    role.answer(isGranted: false)
    #expect(role.state == .no)
  }

  @Test mutating func `a role that another client has is denied, and one that it takes over ends`()
  {
    request(true)
    role.answer(isGranted: false)
    #expect(role.state == .denied)
    #expect(!role.isWanted)
    request(true)
    role.answer(isGranted: true)
    role.answer(isGranted: false)
    #expect(role.state == .no)
    #expect(!role.isWanted)
  }

  @Test mutating func `the request outlives the server`() {
    request(true)
    role.answer(isGranted: true)
    role.serverIsGone()
    #expect(role.state == .no)
    #expect(role.isWanted)
    role.answer(isGranted: true)
    #expect(role.state == .yes)
    role.serverIsGone()
    role.want(true, isRunning: false)
    #expect(role.state == .no)
    #expect(role.isWanted)
  }
}
