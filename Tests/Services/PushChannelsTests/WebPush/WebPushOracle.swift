import Cryptography
import Foundation
@testable import Push
import TestSupport

/// PyPI's http-ece and py-vapid, see Oracle/open_web_push.py.
enum WebPushOracle {
    /// Decrypts a request and verifies its signature; nil when the packages cannot be installed here.
    static func open(_ request: Receiver.Request, _ stand: WebPushStand) async throws -> String? {
        let folder = "Tests/Services/PushChannelsTests/Oracle"
        let root = Repository.root.path
        let python = try await Shell.run([
            "sh", "-c", "cd '\(root)' && sh Tests/Scripts/python.sh \(folder)/requirements.txt 2>/dev/null",
        ])
        guard python.status == 0, let path = python.output.split(separator: "\n").last.map(String.init) else {
            print("skipped: http-ece and py-vapid cannot be installed here")
            return nil
        }
        let outcome = try await Shell.run([
            path, "\(root)/\(folder)/open_web_push.py", Base64URL.encode(request.body),
            Base64URL.encode(stand.browser.rawRepresentation), Base64URL.encode(stand.secret),
            request.headers["authorization"] ?? "",
        ])
        return outcome.output
    }
}
