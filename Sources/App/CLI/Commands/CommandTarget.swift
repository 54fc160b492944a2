import Foundation
import Gateway
import GatewayClient
import Machine
import Search
import Server

/// What a command talks to: with an address the gateway there, else the gateway that runs on the machine's database, or the
/// database itself. A command says which on standard error, in one line, except with `--json`.
enum CommandTarget {
    /// A gateway, and where its key comes from.
    struct Gateway {
        var address: String
        /// The key of the file beside the database; nil reads the environment at each call.
        var machineKey: String?

        var tokens: any TokenStore {
            machineKey.map { StaticTokenStore($0) } ?? EnvironmentTokenStore()
        }
    }

    /// The address when neither a flag nor a file names one.
    static let usualAddress = "http://127.0.0.1:5678"

    /// `SELENE_URL`; nil when it is not set.
    static var urlOfEnvironment: String? { variable("SELENE_URL") }

    /// An address with its scheme and without slashes at its end.
    static func base(_ address: String) -> String {
        var base = address.contains("://") ? address : "http://" + address
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    /// The gateway that a command calls.
    ///
    /// - Parameter url: The command's flag.
    static func gateway(_ url: String?) -> Gateway {
        let localAccess = localAccess()
        let wanted = url ?? urlOfEnvironment
        let isLocal = localAccess.map { wanted == nil || wanted == $0.address } ?? false
        let hasKey = EnvironmentTokenStore().token() != nil
        let found = Gateway(
            address: wanted ?? localAccess?.address ?? usualAddress,
            machineKey: isLocal && !hasKey ? localAccess?.key : nil)
        if EnvironmentTokenStore.formerToken != nil {
            warnOnce(
                "selene: SELENE_API_TOKEN has a client's key; export it as SELENE_KEY, which clients read. SELENE_API_TOKEN is the token of selene serve"
            )
        }
        var reason = ""
        if url == nil {
            if wanted != nil { reason = " (SELENE_URL)" }
            if wanted == nil, localAccess == nil {
                reason = " (no gateway runs on this database; this is the usual address)"
            }
        }
        say("selene: asking the gateway at \(found.address)\(reason)")
        return found
    }

    /// Says that a command works on the database itself, also when `SELENE_URL` names a gateway.
    static func sayFile(_ configuration: GatewayConfiguration) {
        let place = configuration.search.postgres == nil ? configuration.databasePath : "of SELENE_STORE (PostgreSQL)"
        let note = urlOfEnvironment == nil ? "" : "; this command reads it itself and does not ask SELENE_URL"
        say("selene: using the database \(place)\(note)")
    }

    /// The gateway that runs on the database of the configuration; nil when none does.
    static func localAccess(_ database: String? = nil) -> LocalAccessRecord? {
        guard let path = database ?? (try? GatewayConfiguration.load().databasePath) else { return nil }
        do throws(OwnerOnlyFile.Problem) {
            return try LocalAccessRecord.read(besides: path)
        } catch {
            say("selene: \(error.reason)")
            return nil
        }
    }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func say(_ sentence: String) {
        guard !CommandLine.arguments.contains("--json") else { return }
        warnOnce(sentence)
    }

    private static let said = PrintedSentences()

    private static func warnOnce(_ sentence: String) { if said.add(sentence) { Terminal.note(sentence) } }
}
