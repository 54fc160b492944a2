import GatewayAPI
import Logging
import Machine
import Push
import PushChannels
import PushRoom
import Schedules
import Storage
import Synchronization

/// The configuration of APNs by requests: the gateway keeps the key in a file of mode 0600 beside the database.
extension LiveChannels {
    /// The largest text of a key, in bytes.
    private static let maxKey = 4096

    /// Uses the stored configuration if it changed, also by another process. Settings count before it.
    func refreshAPNs() async throws {
        guard settings[APNsForm.path] == nil,
            let document = try await room.library.setting(APNsSetup.name), document != now.document
        else { return }
        guard let setup = APNsSetup(document: document) else {
            return note("the stored configuration of APNs cannot be read; configure it again")
        }
        do throws(PushFieldError) {
            try use(setup, document)
        } catch {
            note("the configuration of APNs cannot be used: \(error)")
        }
    }

    /// Uses the stored configuration if another server changed it; looks once a second at most.
    func lookAtAPNs() async {
        guard settings[APNsForm.path] == nil else { return }
        let isDue = looked.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last < .seconds(1) { return false }
            last = now
            return true
        }
        guard isDue else { return }
        do { try await refreshAPNs() } catch {
            logger.warning("the configuration of APNs cannot be read", metadata: ["error": "\(error)"])
        }
    }

    /// Whether a configuration is stored that this server is about to use.
    func isAPNsOnItsWay() async -> Bool {
        guard settings[APNsForm.path] == nil, now.problem == nil else { return false }
        // What cannot be read now may be readable in a second.
        do { return try await room.library.setting(APNsSetup.name) != nil } catch { return true }
    }

    /// Checks, stores and uses a configuration. Pushes go out with it when this returns.
    ///
    /// - Throws: ``PushRefusal``, ``StorageError``.
    func configureAPNs(_ request: PushAPNsRequest) async throws {
        guard settings[APNsForm.path] == nil else { throw PushRefusal.setBySettings }
        guard let environment = APNsEnvironment(rawValue: request.environment ?? "production") else {
            throw PushRefusal.field("environment", "expected production or sandbox")
        }
        do { _ = try APNsTarget(token: String(repeating: "0", count: 64), bundle: request.bundleId) } catch {
            throw PushRefusal.field("bundleId", error.reason)
        }
        let known = try await room.library.setting(APNsSetup.name).flatMap(APNsSetup.init(document:))
        let key = try text(of: request, known)
        let signer: APNsSigner
        do throws(PushFieldError) {
            signer = try APNsSigner(keyID: request.keyId, teamID: request.teamId, key: key)
        } catch {
            let names = ["key_id": "keyId", "team_id": "teamId", "key": "p8Key"]
            throw PushRefusal.field(names[error.field] ?? error.field, error.reason)
        }
        do { _ = try signer.sign(at: room.now) } catch { throw PushRefusal.field("p8Key", "cannot sign") }
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let setup = APNsSetup(
            keyId: request.keyId, teamId: request.teamId, bundleId: request.bundleId,
            environment: environment.rawValue, file: String(repeating: "0", count: 16 - number.utf8.count) + number)
        let path = setup.path(besides: settings.database)
        try keep(key, at: path)
        let before: String?
        do {
            before = try await room.library.set(APNsSetup.name, setup.document)
        } catch {
            PrivateFile.delete(path)
            throw error
        }
        try refusing { () throws(PushFieldError) in try use(setup, setup.document) }
        if let old = before.flatMap(APNsSetup.init(document:)) {
            forget(old.path(besides: settings.database), besides: path)
        }
        logger.notice("APNs is configured by a request", metadata: ["key_id": "\(setup.keyId)"])
        wakeSignals.wakeAll()
    }

    /// Writes the file of a key.
    ///
    /// - Throws: ``StorageError/Code/diskFull``, ``PushRefusal/keyNotKept``.
    private func keep(_ key: String, at path: String) throws {
        do {
            try PrivateFile.write(Array(key.utf8), to: path)
        } catch {
            if error.code == .diskFull { throw StorageError(error) }
            logger.error("the key of APNs cannot be kept", metadata: ["error": "\(error)"])
            throw PushRefusal.keyNotKept
        }
    }

    /// The text of the key that a request brings, or that an earlier one brought.
    private func text(of request: PushAPNsRequest, _ known: APNsSetup?) throws(PushRefusal) -> String {
        if let text = request.p8Key {
            guard (1...Self.maxKey).contains(text.utf8.count) else {
                throw .field("p8Key", "expected the text of Apple's AuthKey_….p8")
            }
            return text
        }
        guard let known else { throw .field("p8Key", "is required: the gateway has no key yet") }
        return try refusing { () throws(PushFieldError) in
            try PrivateKeyFile.text(known.path(besides: settings.database), field: "p8Key")
        }
    }

    /// Deletes the file of a key that is not used any more, and the provider token that it signed.
    private func forget(_ path: String, besides new: String) {
        let token = { [settings] (path: String) in
            (try? PrivateKeyFile.text(path, field: "p8Key")).map {
                APNsTokenFile.path(of: $0, besides: settings.database)
            }
        }
        if let old = token(path), old != token(new) { PrivateFile.delete(old) }
        PrivateFile.delete(path)
    }

    private func use(_ setup: APNsSetup, _ document: String) throws(PushFieldError) {
        let applied = setup.applied(to: settings)
        guard let channel = try APNsForm(applied).channel(logger) else { return }
        let old = replace(channel, applied, document)
        // Pushes on their way end first; what ends with the channel is tried again.
        if let old { Task { await old.shutdown(within: OutboxWorker.shutdownTimeout) } }
    }

    private func note(_ problem: String) {
        guard remember(problem) else { return }
        logger.error("\(problem)")
    }

    /// What clients see of the configuration.
    var apnsState: PushAPNsState {
        let now = now
        var state = PushAPNsState(configured: false, state: "not configured")
        state.bundleId = now.settings[APNsForm.bundleID]
        state.reason = now.problem
        guard let channel = now.channels[.apns] else { return state }
        state.configured = true
        state.source = now.document == nil ? "settings" : "request"
        state.keyId = now.settings[APNsForm.keyID] ?? ""
        state.teamId = now.settings[APNsForm.teamID] ?? ""
        state.environment = now.settings[APNsForm.environment] ?? APNsEnvironment.production.rawValue
        switch channel.state {
        case .ready: state.state = "ready"
        case .stopped(let stop):
            state.state = "stopped"
            state.reason = stop.reason
            state.since = stop.since.description
        }
        return state
    }
}
