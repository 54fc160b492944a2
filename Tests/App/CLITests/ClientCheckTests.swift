import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import CLI

/// The apps that the gateway knows: what each asks for is answered, with a key where the app puts it.
@Suite struct KnownClients {
    @Test(arguments: KnownClient.all.map(\.id))
    func `every request of the app is answered, with a key in its place`(id: String) async throws {
        let client = try ClientReport.client(id)
        try await LiveGateway.with { gateway in
            let key = try await gateway.store.keys.create(
                name: "app", grant: KeyGrant(scopes: [.llm]), isForPaths: client.keyPlace == .path)
            try await gateway.waitForKeys()
            let address = "http://127.0.0.1:\(gateway.port)"
            var shown = 0
            let steps = try await ClientCheck(client: client, address: address, key: key.secret)
                .run(isComplete: true) { _ in shown += 1 }
            #expect(shown == steps.count && steps.count >= 2)
            for step in steps { #expect(step.isGood && !step.isLeftOut, "\(step)") }
            // Without what makes a model work.
            let quick = try await ClientCheck(client: client, address: address, key: key.secret).run { _ in }
            #expect(quick.map(\.isLeftOut) == client.requests.map(\.isWork))
            // With a key that is none.
            let refused = try await ClientCheck(client: client, address: address, key: "slk_none").run { _ in }
            for step in refused where !step.isLeftOut { #expect(!step.isGood && step.error != nil, "\(step)") }
        }
    }

    @Test func `the apps have names, places and a line in the documents`() throws {
        let document = try String(
            contentsOf: Repository.root.appending(path: "Documentation/Clients.md"), encoding: .utf8)
        #expect(KnownClient.all.count >= 15)
        #expect(Set(KnownClient.all.map(\.id)).count == KnownClient.all.count)
        for client in KnownClient.all {
            #expect(document.contains("| \(client.name) |"), "\(client.name)")
            #expect(document.contains("`\(client.id)`"), "\(client.id)")
            for (place, value) in client.entries {
                let shown = value.replacing("\"", with: "")
                #expect(document.contains("\(place): `\(shown)`"), "\(place): `\(shown)`")
            }
            #expect(client.remark.isEmpty || document.contains(client.remark), "\(client.remark)")
            let needsPath = client.entries.contains { $0.value.contains("/k/") }
            #expect(needsPath == (client.keyPlace == .path), "\(client.id)")
        }
    }

    @Test func `the command says what to enter and what the app gets`() async throws {
        try await LiveGateway.with { gateway in
            let home = try SeleneHome()
            let key = try await gateway.store.keys.create(name: "app", isForPaths: true)
            try await gateway.waitForKeys()
            let environment = ["SELENE_KEY": key.secret]
            let url = "http://127.0.0.1:\(gateway.port)"
            let good = try await home.run(["doctor", "--client", "Reins", "--url", url + "/"], environment)
            #expect(good.status == 0, "\(good)")
            #expect(good.output.contains("selene keys create reins --scope llm --in-path"))
            #expect(good.output.contains("\(url)/k/KEY\n") && good.output.contains("GET /api/tags"))
            #expect(good.output.contains("not tried, it makes a model work"))
            #expect(!good.output.contains(key.secret))
            let wrong = try await home.run(["doctor", "--client", "reins", "--url", url], ["SELENE_KEY": "slk_wrong"])
            #expect(wrong.status == 1 && wrong.output.contains("--in-path"), "\(wrong)")
            let json = try await home.run(["doctor", "--client", "codex", "--json", "--url", url], environment)
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            #expect((object?["requests"] as? [[String: Any]])?.first?["status"] as? Int == 200, "\(json)")
            let misspelt = try await home.run(["doctor", "--client", "open-webiu"])
            #expect(misspelt.status == 64 && misspelt.errors.contains("did you mean \"open-webui\"?"), "\(misspelt)")
            let away = try await home.run(["doctor", "--client", "zed", "--url", "http://127.0.0.1:9"], environment)
            #expect(away.status == 1 && away.output.contains("no answer"), "\(away)")
        }
    }
}
