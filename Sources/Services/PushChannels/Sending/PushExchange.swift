import NIOCore
import Push
import Schedules
import Transport

/// A request with its answer, as far as channels read it.
struct PushExchange: Sendable {
    let status: Int
    /// The headers.
    let head: UpstreamResponseHead
    /// The begin of the body.
    let body: [UInt8]

    /// Sends a request and reads its answer; a body over ``PushLimits/answer`` bytes counts as empty.
    init(_ request: UpstreamRequest, over transport: UpstreamTransport) async throws(UpstreamError) {
        let response = try await transport.send(request)
        (status, head) = (response.status, response.head)
        do throws(UpstreamError) {
            let bytes = try await response.body.collect(upTo: PushLimits.answer)
            body = Array(bytes.readableBytesView)
        } catch {
            guard error.code == .bodyTooLarge else { throw error }
            body = []
        }
    }

    /// Sends a request to a server that nobody vouches for: ends at the limit, also when the answer comes drop by drop.
    static func bounded(
        _ request: UpstreamRequest, over transport: UpstreamTransport, within limit: Duration
    ) async -> Result<PushExchange, UpstreamError> {
        await withTaskGroup(of: Result<PushExchange, UpstreamError>?.self) { group in
            group.addTask {
                do throws(UpstreamError) {
                    return .success(try await PushExchange(request, over: transport))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .failure(UpstreamError(.idleTimeout, "the answer took more than \(limit)"))
        }
    }

    /// The seconds of `Retry-After`.
    func retryAfter(now: Instant) -> Int64? { RetryAfter.seconds(head["retry-after"], now: now) }

    /// The begin of the body as one line of visible text; nil when there is none.
    var said: String? { Self.line(String(decoding: body.prefix(2 * PushLimits.excerpt), as: UTF8.self)) }

    /// A text as one line of at most ``PushLimits/excerpt`` bytes, without control characters; nil when nothing is left.
    static func line(_ text: String) -> String? {
        var line = ""
        var bytes = 0
        for scalar in text.unicodeScalars {
            let isVisible =
                scalar.value > 0x20 && !(0x7F...0xA0).contains(scalar.value) && !scalar.properties.isBidiControl
            let next: Unicode.Scalar = isVisible ? scalar : " "
            if next == " ", line.isEmpty || line.hasSuffix(" ") { continue }
            bytes += UTF8.width(next)
            guard bytes <= PushLimits.excerpt else { break }
            line.unicodeScalars.append(next)
        }
        if line.hasSuffix(" ") { line.removeLast() }
        return line.isEmpty ? nil : line
    }
}

extension PushOutcome {
    /// What a failure on the way means.
    init(_ error: UpstreamError) {
        let sentence = PushExchange.line(error.message) ?? error.code.rawValue
        switch error.code {
        case .privateAddress, .invalidAddress:
            self.init(.misconfigured, "nothing was sent: \(sentence)")
        case .overloaded:
            self.init(.retry(after: Int64(error.retryAfterSeconds ?? 1)), "nothing was sent: \(sentence)")
        case .refused, .dns, .connectTimeout, .tls, .shuttingDown:
            self.init(.retry(after: nil), "nothing was sent: \(sentence)")
        default:
            // The service may have it: the next attempt has the same id and replaces it.
            self.init(.retry(after: nil), "no answer: \(sentence)")
        }
    }
}
