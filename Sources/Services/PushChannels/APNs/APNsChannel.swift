package import Logging
import NIOCore
package import Push
import Schedules
import Synchronization
import Transport

/// Sends to Apple's service: HTTP/2 with one connection for each environment.
package final class APNsChannel: PushChannel {
    private let settings: APNsSettings
    private let tokens: APNsTokens
    private let logger: Logger
    private let box = Mutex(State())

    private struct State {
        var transports: [APNsEnvironment: UpstreamTransport] = [:]
        var stops: [APNsEnvironment: PushStop] = [:]
        var isShutDown = false
    }

    /// Creates a channel. Connections are opened with the first push.
    package convenience init(_ settings: APNsSettings, logger: Logger) {
        let start = ContinuousClock.now
        self.init(settings, logger: logger) { (ContinuousClock.now - start).components.seconds }
    }

    /// - Parameter uptime: Seconds of a clock that nobody sets.
    init(_ settings: APNsSettings, logger: Logger, uptime: @escaping @Sendable () -> Int64) {
        self.settings = settings
        self.logger = logger
        tokens = APNsTokens(settings.signer, file: settings.tokenFile, uptime: uptime)
    }

    package var kind: PushChannelKind { .apns }

    /// Twice the streams of a connection, so that it never runs dry.
    package var capacity: Int { 2 * APNsSettings.streams }

    /// Stopped when one of the environments is; pushes to the other one are sent all the same.
    package var state: PushChannelState {
        let stop = box.withLock { state in
            APNsEnvironment.allCases.compactMap { state.stops[$0] }.first
        }
        return stop.map { .stopped($0) } ?? .ready
    }

    package func check(_ attempt: PushAttempt) throws(PushFieldError) {
        guard case .apns(let destination) = attempt.target else { throw PushFieldError.foreign(to: kind) }
        try attempt.message.check()
        _ = try request(attempt, destination)
    }

    package func send(_ attempt: PushAttempt) async -> PushReport {
        guard case .apns(let destination) = attempt.target else { return .misdirected(to: kind) }
        let environment = destination.environment
        if let stop = box.withLock({ $0.stops[environment] }) {
            return PushReport(PushOutcome(.stop, stop.reason), environment: environment)
        }
        let start = ContinuousClock.now
        let request: APNsRequest
        do throws(PushFieldError) { request = try self.request(attempt, destination) } catch { return .refused(error) }
        let token: APNsToken
        do { token = try tokens.current(at: attempt.now) } catch { return .failed("signing a provider token", error) }
        var report: PushReport
        do throws(UpstreamError) {
            let transport = try transport(environment)
            let answer = try await PushExchange(Self.upstream(request, token), over: transport)
            report = self.report(answer, attempt, token)
        } catch {
            report = PushReport(PushOutcome(error))
        }
        report.environment = environment
        if case .stop = report.verdict { stop(environment, report, attempt) }
        return report.taking(.now - start)
    }

    package func resume() {
        box.withLock { state in
            // APNs remembers on a connection what it refused.
            for environment in state.stops.keys { state.transports[environment] = nil }
            state.stops = [:]
        }
    }

    package func shutdown(within timeout: Duration) async {
        let transports = box.withLock { state in
            state.isShutDown = true
            defer { state.transports = [:] }
            return Array(state.transports.values)
        }
        await withTaskGroup(of: Void.self) { group in
            for transport in transports { group.addTask { await transport.shutdown(within: timeout) } }
        }
    }

    private func request(
        _ attempt: PushAttempt, _ destination: APNsDestination
    ) throws(PushFieldError) -> APNsRequest {
        try APNsRequest(
            attempt.message, type: destination.type, to: destination.target, id: attempt.id, now: attempt.now)
    }

    private static func upstream(_ request: APNsRequest, _ token: APNsToken) -> UpstreamRequest {
        var headers = request.headers.map { ($0.name, $0.value) }
        headers.append(("authorization", token.authorization))
        var upstream = UpstreamRequest(
            method: "POST", path: request.path, headers: headers, body: ByteBuffer(bytes: request.body))
        upstream.isForwarded = true
        return upstream
    }

    private func report(_ exchange: PushExchange, _ attempt: PushAttempt, _ token: APNsToken) -> PushReport {
        let answer = APNsAnswer(status: exchange.status, body: exchange.body)
        var history = APNsAnswer.Attempt(
            sent: attempt.now, tokenHasWorked: attempt.history.addressHasWorked,
            triedOtherEnvironment: attempt.history.triedOtherEnvironment, renewedToken: attempt.history.renewedToken)
        let retryAfter = exchange.retryAfter(now: attempt.now)
        var outcome = answer.outcome(of: history, retryAfter: retryAfter)
        if case .renewToken = outcome.verdict {
            do {
                if try !tokens.renew(after: token, at: attempt.now) {
                    history.renewedToken = true
                    outcome = answer.outcome(of: history, retryAfter: retryAfter)
                }
            } catch {
                return .failed("signing a provider token", error)
            }
        }
        if answer.reason == APNsReason.tooManyProviderTokenUpdates.rawValue {
            tokens.goBack(from: token, at: attempt.now)
        }
        return PushReport(
            outcome, status: answer.status, serviceID: serviceID(exchange), said: answer.reason ?? exchange.said)
    }

    /// The sandbox has an id of its own, with which Apple's console finds the push.
    private func serviceID(_ exchange: PushExchange) -> String? {
        (exchange.head["apns-unique-id"] ?? exchange.head["apns-id"] ?? exchange.head["apns-request-id"])
            .flatMap(PushExchange.line)
    }

    private func stop(_ environment: APNsEnvironment, _ report: PushReport, _ attempt: PushAttempt) {
        let isNew = box.withLock { state in
            guard state.stops[environment] == nil else { return false }
            state.stops[environment] = PushStop(
                reason: "\(environment.rawValue): \(report.outcome.explanation)", since: attempt.now)
            return true
        }
        guard isNew else { return }
        logger.error(
            "APNs refuses all pushes; nothing is sent until the settings are corrected",
            metadata: ["environment": "\(environment.rawValue)", "reason": "\(report.outcome.explanation)"])
    }

    private func transport(_ environment: APNsEnvironment) throws(UpstreamError) -> UpstreamTransport {
        let result: Result<UpstreamTransport, UpstreamError> = box.withLock { state in
            guard !state.isShutDown else {
                return .failure(UpstreamError(.shuttingDown, "the gateway is shutting down"))
            }
            if let transport = state.transports[environment] { return .success(transport) }
            var configuration = UpstreamConfiguration(baseURL: settings.origin(environment), peer: "APNs")
            configuration.version = .http2
            configuration.maxStreams = APNsSettings.streams
            configuration.maxTransfers = APNsSettings.pushes
            configuration.firstByteTimeout = settings.timeout
            configuration.idleTimeout = settings.timeout
            configuration.authorities = settings.authorities
            configuration.highWatermark = 4 * PushLimits.answer
            do throws(UpstreamError) {
                let transport = try UpstreamTransport(configuration: configuration)
                state.transports[environment] = transport
                return .success(transport)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
