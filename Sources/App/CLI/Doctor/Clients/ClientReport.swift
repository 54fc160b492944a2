import ArgumentParser
import GatewayClient
import Text

/// `selene doctor --client NAME`: what to enter in an app, and whether the gateway answers what it asks for.
enum ClientReport {
    private struct Shown: Encodable {
        struct Entry: Encodable {
            var place: String
            var value: String
        }
        var client: String
        var name: String
        var command: String
        var entries: [Entry]
        var remark: String
        var address: String
        var requests: [ClientCheck.Step]
    }

    /// The app of a name.
    ///
    /// - Throws: `ValidationError` with the nearest name, or with all.
    static func client(_ name: String) throws -> KnownClient {
        if let client = KnownClient.all.first(where: { $0.id == name.lowercased() }) { return client }
        let names = KnownClient.all.map(\.id)
        let near = NearestName.question(name, among: names) ?? "known are \(names.joined(separator: ", "))"
        throw ValidationError("--client: there is no \"\(name)\"; \(near)")
    }

    /// Prints what to enter and what each request came to.
    ///
    /// - Parameter url: The gateway's address; nil for the one of the environment, or of this machine's database.
    static func run(_ client: KnownClient, url: String?, json: Bool) async throws {
        let gateway = CommandTarget.gateway(url)
        let key = try await gateway.tokens.token()
        let address = CommandTarget.base(gateway.address)
        let client = client.at(address)
        if !json {
            Terminal.line("\(client.name)\n  A key for it, made on the gateway's machine:\n    \(client.command)")
            Terminal.line("  Enter:")
            for (place, value) in client.entries {
                Terminal.line("    \(place)\n      \(value)")
            }
            if !client.remark.isEmpty { Terminal.line("  \(client.remark)") }
            let sent =
                switch (key, client.keyPlace) {
                case (nil, _): "without a key; export SELENE_KEY=… to try one"
                case (_?, .signature): "with the key of this command, since only the app can sign"
                case (_?, _) where gateway.machineKey != nil:
                    "with this machine's own key; export SELENE_KEY=… to try another"
                case (_?, _): "with the key of SELENE_KEY where the app puts it"
                }
            Terminal.line("  What it asks for, \(sent):")
        }
        // The machine's own key has one place.
        let played = gateway.machineKey == nil ? client : client.sending(.bearer)
        let steps: [ClientCheck.Step]
        do {
            steps = try await Interrupt.cancellable {
                try await ClientCheck(client: played, address: address, key: key).run { step in
                    guard !json else { return }
                    let result = step.isLeftOut ? "not tried, it makes a model work" : step.isGood ? "ok" : ""
                    let problem =
                        step.isGood ? result : "\(step.status.map(String.init) ?? "no answer"): \(step.error ?? "")"
                    Terminal.line("    \(step.request.padded(to: 34)) \(problem)")
                }
            }
        } catch {
            throw Failure.exit(for: error)
        }
        if json {
            Terminal.line(
                try JSONOutput.text(
                    Shown(
                        client: client.id, name: client.name, command: client.command,
                        entries: client.entries.map { .init(place: $0.place, value: $0.value) }, remark: client.remark,
                        address: address, requests: steps)))
        }
        if steps.contains(where: { !$0.isGood }) { throw ExitCode.failure }
    }
}
