import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// Prints one answer to its end.
enum SingleAnswer {
    /// Prints a run as `selene chat` does. A signal stops it; a second one exits.
    ///
    /// - Parameter begin: Begins the run, or finds it.
    /// - Throws: The exit code of an answer that did not come to its end; ``GatewayClientError``.
    static func follow(
        _ connection: GatewayConnection, isJSON: Bool, _ begin: (ChatRunPrinter) async throws -> ChatRun
    ) async throws {
        let interrupts = InterruptSwitch { Foundation.exit(Interrupt.exitCode.rawValue) }
        let sources = interrupts.listen(to: [SIGINT, SIGTERM])
        defer { for source in sources { source.cancel() } }
        let printer = ChatRunPrinter(chat: RemoteChatService(connection), interrupts: interrupts, isJSON: isJSON)
        let ended = try await printer.follow(try await begin(printer))
        switch ended.state {
        case .stopped where ended.stopReason != "length": throw Interrupt.exitCode
        case .failed, .interrupted: throw ExitCode.failure
        default: break
        }
    }
}
