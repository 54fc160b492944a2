import NIOCore
package import Transport

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension EndpointPool {
    /// Sends a request to an endpoint, and retries at another one when it fails before any of the response arrives.
    ///
    /// Cancelling the task closes the connection. The endpoint counts the request until its body is dropped.
    /// - Parameters:
    ///   - model: The model of the request.
    ///   - isSameEverywhere: See ``take(model:isSameEverywhere:after:)``.
    ///   - prepare: Runs before each attempt with its endpoint.
    /// - Throws: The last endpoint's ``UpstreamError``.
    func send(
        _ request: UpstreamRequest, model: String? = nil, isSameEverywhere: Bool = false,
        prepare: (Endpoint) async -> Void = { _ in }
    ) async throws(UpstreamError) -> UpstreamResponse {
        var attempts = RequestAttempts(
            model: model, isSameEverywhere: isSameEverywhere, isRepeatable: request.upload == nil,
            prompt: isSingle || isSameEverywhere ? nil : request.body)
        var next = attempts.next(in: self)
        while let use = next {
            await prepare(use.endpoint)
            let result: Result<UpstreamResponse, UpstreamError>
            do throws(UpstreamError) {
                result = .success(try await use.endpoint.send(request, as: use))
            } catch {
                result = .failure(error)
            }
            let outcome = result.map(\.status)
            use.report(outcome, retryAfter: (try? result.get()).flatMap { RetryRule.wish(of: $0.head) })
            if case .failure = result { use.end() }
            next = attempts.retry(after: outcome, in: self)
            guard next != nil else { return try result.get() }
            if case .success(let response) = result { response.body.cancel() }
        }
        throw UpstreamError(.shuttingDown, "no upstream is available")
    }

    /// Sends a `GET` to every healthy endpoint, or to all if none is healthy, and returns the bodies of the 200
    /// responses.
    ///
    /// The results have the order of the endpoints.
    /// - Throws: The first endpoint's ``UpstreamError`` when none answered with 200.
    package func gather(
        _ path: String, within timeout: Duration, limit: Int
    ) async throws(UpstreamError) -> [(endpoint: Endpoint, body: Data)] {
        let all = endpoints
        let healthy = all.filter { $0.status.isHealthy }
        let asked = healthy.isEmpty ? all : healthy
        typealias Answer = (Int, Result<Data, UpstreamError>)
        let answers = await withTaskGroup(of: Answer.self) { group in
            for (index, endpoint) in asked.enumerated() {
                group.addTask { (index, await endpoint.get(path, within: timeout, limit: limit)) }
            }
            var answers: [Int: Result<Data, UpstreamError>] = [:]
            for await (index, answer) in group { answers[index] = answer }
            return answers
        }
        var found: [(endpoint: Endpoint, body: Data)] = []
        var failure: UpstreamError?
        for (index, endpoint) in asked.enumerated() {
            switch answers[index] {
            case .success(let body)?: found.append((endpoint, body))
            case .failure(let error)?: failure = failure ?? error
            case nil: break
            }
        }
        guard !found.isEmpty else { throw failure ?? .cancelled }
        return found
    }
}

extension Endpoint {
    /// Returns the whole body of a 200 response. `timeout` is the first-byte timeout; the whole response may take
    /// twice that.
    func get(_ path: String, within timeout: Duration, limit: Int) async -> Result<Data, UpstreamError> {
        await withTaskGroup(of: Result<Data, UpstreamError>.self) { group in
            group.addTask { await self.fetch(path, within: timeout, limit: limit) }
            group.addTask {
                try? await Task.sleep(for: timeout * 2)
                return .failure(UpstreamError(.idleTimeout, "Ollama did not complete its answer to \(path) in time"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
    }

    private func fetch(_ path: String, within timeout: Duration, limit: Int) async -> Result<Data, UpstreamError> {
        do throws(UpstreamError) {
            let response = try await send(UpstreamRequest(method: "GET", path: path, firstByteTimeout: timeout))
            guard response.status == 200 else {
                let message = "Ollama answered \(path) with status \(response.status)"
                throw UpstreamError(.status, message, status: response.status)
            }
            let body = try await response.body.collect(upTo: limit)
            return .success(Data(body.readableBytesView))
        } catch {
            return .failure(error)
        }
    }
}
