import ArgumentParser
import Evaluation
import Foundation
import GatewayClient

/// The flags of commands that call a running gateway.
struct GatewayOptions: ParsableArguments {
    @Option(
        help:
            "Address of the gateway (SELENE_URL; default: the one that runs on this machine's database, else http://127.0.0.1:5678)."
    )
    var url: String?

    /// Connects with the key of SELENE_KEY, or to this machine's gateway with the key beside its database.
    func connect() throws -> GatewayConnection { try Self.connect(url) }

    /// Connects to an address; nil for the one of the environment.
    static func connect(_ url: String?) throws -> GatewayConnection {
        let gateway = CommandTarget.gateway(url)
        return try GatewayConnection(gateway.address, tokens: gateway.tokens)
    }

    /// The model of the environment; nil when it names none.
    static var model: String? { variable("SELENE_GENERATE_MODEL") }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Runs a command and turns errors of the gateway, of reports and of files into a line and an exit code.
    static func reported(isJSON: Bool = false, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as GatewayClientError {
            if error.kind == .invalidRequest { throw ValidationError(error.message) }
            throw ChatPrinter.exit(for: error, isJSON: isJSON)
        } catch let error as EvaluationError {
            Terminal.note("selene: \(error.message)")
            throw ExitCode(65)
        } catch let error as CocoaError {
            Terminal.note("selene: \(error.localizedDescription)")
            throw ExitCode.failure
        } catch is CancellationError {
            throw Interrupt.exitCode
        }
    }
}
