internal import Control
internal import Glibc
internal import HTTP
internal import JSON
internal import Posix

/// The routes that upload and download the files of takes: `/files/takes`.
struct TakeRoutes: Sendable {
  // An hour in stereo at 96 kHz and 24 bits.
  private static let mostSoundBytes = 2 << 30
  private static let mostImageBytes = 32 << 20
  private static let formats = ["wav", "flac", "ogg"]

  let questions: NodeQuestions

  /// The action for a request below `/files/`.
  func course(_ request: HTTPRequest) -> HTTPServer.RequestHandling {
    let parts = request.path.split(separator: "/").dropFirst().map(String.init)
    let part = parts.first == "takes" && parts.count == 3 ? parts[2] : ""
    switch (request.isReading ? "GET" : request.method, part) {
    case ("POST", "") where parts == ["takes"]:
      let name = Upload.plainName(request.query("name"), otherwise: "sound.wav")
      return receive(request, name, most: Self.mostSoundBytes) { node, path, ending in
        node.importTake(path, then: ending)
      }
    case ("POST", "image"):
      let name = Upload.plainName(request.query("name"), otherwise: "image")
      return receive(request, name, most: Self.mostImageBytes) { node, path, ending in
        node.setTakeImage(parts[1], path, then: ending)
      }
    case ("GET", "sound"): return send(parts[1], request) { $0.sound }
    case ("GET", "image"): return send(parts[1], request) { $0.image }
    case ("GET", "small"): return send(parts[1], request, isAsked: false) { $0.small }
    case ("GET", "export"): return export(parts[1], request)
    default:
      return .answer(
        .refusal(
          404,
          "unknown file; takes are at /files/takes/ID/sound, /files/takes/ID/image, "
            + "/files/takes/ID/small and /files/takes/ID/export?format=wav, "
            + "and new ones go to /files/takes?name=FILE"
        ))
    }
  }

  // MARK: - Downloads

  /// Sends a file of a take.
  ///
  /// A missing file is an error only if exactly that file was requested: a list requests a
  /// thumbnail of every take.
  private func send(
    _ id: String, _ request: HTTPRequest, isAsked: Bool = true,
    _ path: @escaping @Sendable (TakeFilePaths) -> String?
  ) -> HTTPServer.RequestHandling {
    .wait { [questions] reply in
      questions.ask(reply) { node in
        node.findTake(id) { outcome in
          reply {
            switch outcome {
            case .success(let take):
              guard let path = path(take) else {
                return isAsked ? .refusal(404, "this take has no image") : .empty(204)
              }
              return Self.answer(path, request)
            case .failure(let refusal): return refusal.answerOnTheWeb
            }
          }
        }
      }
    }
  }

  private func export(_ id: String, _ request: HTTPRequest) -> HTTPServer.RequestHandling {
    let format = request.query("format") ?? "flac"
    guard Self.formats.contains(format) else {
      return .answer(
        .refusal(400, "?format= takes one of \(Self.formats.joined(separator: ", "))"))
    }
    return .wait { [questions] reply in
      questions.ask(reply) { node in
        guard let home = node.home,
          let upload = try? Upload(
            in: "\(home)/\(Self.folder)", named: "take.\(format)", most: 0,
            whenWhole: { (_, _, _) in })
        else { return reply { .refusal(507, "can't write to the data directory") } }
        // The sound file writer creates the file itself.
        unlink(upload.path)
        node.exportTake(id, to: upload.path) { outcome in
          reply {
            switch outcome {
            case .success(let take):
              return Self.answer(upload.path, request, name: "\(take.title).\(format)")
            case .failure(let refusal): return refusal.answerOnTheWeb
            }
          }
        }
      }
    }
  }

  /// The response with a file, or with the requested range of it.
  private static func answer(
    _ path: String, _ request: HTTPRequest, name: String? = nil
  ) -> HTTPAnswer {
    guard let file = try? Descriptor(open(path, O_RDONLY | O_CLOEXEC), orThrow: path),
      let size = Files.size(of: file)
    else { return .refusal(404, "the file no longer exists") }
    var headers = [
      ("Content-Type", PageFile.type(of: path)),
      ("Cache-Control", "private, no-cache"),
      // An SVG image can be opened as a page; this policy blocks its scripts and requests.
      ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"),
    ]
    if let name {
      headers.append(
        ("Content-Disposition", "attachment; filename*=UTF-8''\(HTTPPlace.escaped(name))"))
    }
    return .range(of: size, for: request, headers: headers) { part, headers in
      HTTPAnswer(200, file, from: part.lowerBound, count: part.count, headers: headers)
    }
  }

  // MARK: - Uploads

  // Below the data directory, so that an upload is moved into place without a copy.
  private static let folder = "incoming"

  private func receive(
    _ request: HTTPRequest, _ name: String, most: Int,
    _ take:
      @escaping @Sendable (Node, String, @escaping (Result<TakeFilePaths, Refusal>) -> Void) -> Void
  ) -> HTTPServer.RequestHandling {
    if let refusal = Upload.refusal(of: request, most: most) { return .answer(refusal) }
    return .receive { [questions] in
      do throws(SystemError) {
        guard let home = questions.home else {
          return .failure(.refusal(409, "this node has no data directory"))
        }
        return .success(
          try Upload(in: "\(home)/\(Self.folder)", named: name, most: most) { path, upload, reply in
            questions.ask(reply) { node in
              take(node, path) { outcome in
                reply {
                  switch outcome {
                  case .success(let take): return .json(["id": take.id, "title": take.title])
                  case .failure(let refusal):
                    return Refusal(refusal.code, upload.plain(refusal.message)).answerOnTheWeb
                  }
                }
              }
            }
          })
      } catch {
        return .failure(.refusal(507, "can't save it: \(error)"))
      }
    }
  }
}

extension Refusal {
  /// The HTTP response for the fault.
  var answerOnTheWeb: HTTPAnswer {
    let status =
      switch code {
      case .missing, .unknown: 404
      case .type, .range: 422
      case .denied: 403
      case .state: 409
      case .busy: 503
      case .io: 507
      }
    return .refusal(status, message)
  }
}
