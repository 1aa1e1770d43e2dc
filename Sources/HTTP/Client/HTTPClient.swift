internal import CCurl
internal import Glibc

/// A blocking HTTP client.
///
/// Use it from one thread at a time, and never from an audio thread.
///
/// It keeps the connection for the next request to the same server. It follows redirects only where
/// the request allows, and limits the size of responses.
package final class HTTPClient: @unchecked Sendable {
  private static let connectSeconds = 8
  // A transfer below this has all but stopped.
  private static let leastBytesPerSecond = 200
  // libcurl's global state must be initialized before other threads use it.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private static let pollMilliseconds: Int32 = 1000

  private let handle: OpaquePointer
  // Runs the requests, and keeps their connections. Another thread can wake it.
  private let runner: OpaquePointer
  private let userAgent: String
  private let interruption: HTTPInterruption

  /// Creates a client that sends a user agent, and whose requests can be interrupted.
  package init(userAgent: String, interruption: HTTPInterruption = HTTPInterruption()) {
    precondition(Self.isReady, "libcurl can't be initialized")
    guard let handle = curl_easy_init(), let runner = curl_multi_init() else {
      preconditionFailure("no memory for libcurl")
    }
    self.handle = OpaquePointer(handle)
    self.runner = OpaquePointer(runner)
    self.userAgent = userAgent
    self.interruption = interruption
    interruption.add(self.runner)
  }

  deinit {
    interruption.remove(runner)
    curl_easy_cleanup(raw)
    curl_multi_cleanup(rawRunner)
  }

  private var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }
  private var rawRunner: UnsafeMutableRawPointer { UnsafeMutableRawPointer(runner) }

  /// Sends a request and returns the response.
  package func perform(_ call: HTTPCall) throws(HTTPFault) -> HTTPReply {
    var call = call
    for _ in 0...call.mostRedirects {
      let (reply, redirect) = try performOnce(call)
      guard 300..<400 ~= reply.status, let redirect else { return reply }
      guard let place = HTTPPlace(redirect), call.allows(place) else {
        throw .unusable(
          "\(call.url.host) redirects to \(shortened(redirect)), which is not allowed")
      }
      // A body is sent again only after 307 and 308.
      if [301, 302, 303].contains(reply.status), !["GET", "HEAD"].contains(call.method) {
        throw .unusable("\(call.url.host) redirects to \(shortened(redirect)); set that URL")
      }
      call.url = place
    }
    throw .unusable("\(call.url.host) redirects too often")
  }

  private func performOnce(
    _ call: HTTPCall
  ) throws(HTTPFault) -> (reply: HTTPReply, redirect: String?) {
    curl_easy_reset(raw)
    var list: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(list) }
    // An empty `Expect:` header keeps libcurl from waiting for 100 Continue before it sends a body.
    for (name, value) in call.headers + [("Expect", "")] {
      list = curl_slist_append(list, value.isEmpty ? "\(name):" : "\(name): \(value)")
    }
    cu_set_text(raw, CURLOPT_URL, call.url.text)
    cu_set_text(raw, CURLOPT_USERAGENT, userAgent)
    cu_set_text(raw, CURLOPT_PROTOCOLS_STR, "http,https")
    cu_set_text(raw, CURLOPT_CUSTOMREQUEST, call.method)
    cu_set_pointer(raw, CURLOPT_HTTPHEADER, list)
    // As curl itself does, for servers with an authority of their own.
    if let file = getenv("SSL_CERT_FILE") {
      cu_set_text(raw, CURLOPT_CAINFO, String(cString: file))
    }
    cu_set_number(raw, CURLOPT_NOSIGNAL, 1)
    cu_leave_resolver(raw)
    cu_set_number(raw, CURLOPT_FOLLOWLOCATION, 0)
    cu_set_number(raw, CURLOPT_CONNECTTIMEOUT, Self.connectSeconds)
    cu_set_number(raw, CURLOPT_TIMEOUT_MS, Int(call.seconds * 1000))
    cu_set_number(raw, CURLOPT_LOW_SPEED_LIMIT, Self.leastBytesPerSecond)
    cu_set_number(raw, CURLOPT_LOW_SPEED_TIME, call.patience)
    // Checks the declared length before the body arrives. `Intake` limits undeclared and false
    // lengths.
    cu_set_size(raw, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(call.mostBytes))
    if call.method == "HEAD" { cu_set_number(raw, CURLOPT_NOBODY, 1) }
    let intake = Intake(most: call.mostBytes, receive: call.receive) { [raw] in
      cu_status(raw) == 200
    }
    cu_set_pointer(raw, CURLOPT_WRITEDATA, Unmanaged.passUnretained(intake).toOpaque())
    cu_set_write(raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      let intake = Unmanaged<Intake>.fromOpaque(context!).takeUnretainedValue()
      return intake.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    let code: CURLcode?
    if let body = call.body {
      cu_set_number(raw, CURLOPT_POST, 1)
      cu_set_size(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      code = body.withUnsafeBytes {
        cu_set_pointer(raw, CURLOPT_POSTFIELDS, $0.baseAddress)
        return run()
      }
    } else {
      code = run()
    }
    withExtendedLifetime(intake) {}
    guard let code else { throw .unreachable("the request to \(call.url.host) was interrupted") }
    guard code == CURLE_OK else { throw fault(code, call, intake) }
    return (
      HTTPReply(
        status: Int(cu_status(raw)), body: intake.bytes),
      cu_redirect(raw).map { String(cString: $0) }
    )
  }

  /// Runs the prepared request.
  ///
  /// Returns nil if it was interrupted.
  private func run() -> CURLcode? {
    guard curl_multi_add_handle(rawRunner, raw) == CURLM_OK else { return CURLE_OUT_OF_MEMORY }
    defer { curl_multi_remove_handle(rawRunner, raw) }
    var running: Int32 = 1
    while running > 0 {
      if interruption.hasHappened { return nil }
      guard curl_multi_perform(rawRunner, &running) == CURLM_OK else { return CURLE_OUT_OF_MEMORY }
      // A wakeup that comes before the call ends it, too.
      if running > 0 { curl_multi_poll(rawRunner, nil, 0, Self.pollMilliseconds, nil) }
    }
    var left: Int32 = 0
    while let message = curl_multi_info_read(rawRunner, &left) {
      if message.pointee.msg == CURLMSG_DONE { return message.pointee.data.result }
    }
    return CURLE_OUT_OF_MEMORY
  }

  private func fault(_ code: CURLcode, _ call: HTTPCall, _ intake: Intake) -> HTTPFault {
    let host = call.url.host
    if intake.isFull || code == CURLE_FILESIZE_EXCEEDED {
      let most =
        call.mostBytes >= 1 << 20 ? "\(call.mostBytes >> 20) MB" : "\(call.mostBytes) bytes"
      return .unusable("the reply of \(host) exceeds \(most)")
    }
    if intake.isRefused { return .refused }
    let reason = String(cString: curl_easy_strerror(code))
    switch code {
    case CURLE_OPERATION_TIMEDOUT: return .unreachable("\(host) timed out")
    case CURLE_COULDNT_RESOLVE_HOST: return .unreachable("can't resolve \(host)")
    case CURLE_COULDNT_CONNECT: return .unreachable("can't connect to \(host):\(call.url.port)")
    case CURLE_PEER_FAILED_VERIFICATION:
      return .unusable("can't verify the certificate of \(host): \(reason)")
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE:
      return .unreachable("\(host) closed the connection: \(reason)")
    default: return .unusable("\(host): \(reason)")
    }
  }

  private func shortened(_ text: String) -> String {
    text.count > 80 ? "\(text.prefix(80))…" : text
  }
}

/// The receiver of a response: a buffer with a maximum size, or a function.
private final class Intake {
  // What is shown of an error is in the first bytes.
  private static let mostErrorBytes = 1 << 20

  private(set) var bytes: [UInt8] = []
  private(set) var isFull = false
  private(set) var isRefused = false
  private var count = 0
  private let most: Int
  private let receive: ((UnsafeRawBufferPointer) -> Bool)?
  private let isAccepted: () -> Bool

  init(
    most: Int, receive: ((UnsafeRawBufferPointer) -> Bool)?, isAccepted: @escaping () -> Bool
  ) {
    self.most = most
    self.receive = receive
    self.isAccepted = isAccepted
  }

  func take(_ new: UnsafeRawBufferPointer) -> Int {
    count += new.count
    guard count <= most else {
      isFull = true
      return 0
    }
    if let receive, isAccepted() {
      guard receive(new) else {
        isRefused = true
        return 0
      }
    } else if receive == nil || bytes.count < Self.mostErrorBytes {
      bytes += new
    }
    return new.count
  }
}
