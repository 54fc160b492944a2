import Foundation
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Access

/// Requests that a client signs, as Ollama's does.
@Suite struct Signatures {
    private let client = SigningClient()
    private let home = ClientAddress.v4(0x0A00_0001)

    private func request(
        _ method: String = "POST", _ path: String = "/api/chat", at time: Int64, by client: SigningClient? = nil,
        target: String? = nil
    ) throws -> RequestSignature {
        let header = (client ?? self.client).authorization(method, path, at: time)
        return try #require(RequestSignature(header, method: method, target: target ?? "\(path)?ts=\(time)"))
    }

    private func add(_ setting: KeyRingOnStillClock, _ client: SigningClient? = nil) async throws -> KeyRecord {
        let key = try #require(SigningKey(line: (client ?? self.client).line))
        return try await setting.database.keys.add(key, name: UUID().uuidString)
    }

    @Test func `a signed request has the rights of its key, and those of another client none`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let record = try await add(setting)
            let now = setting.clock.keyClock.unixSeconds()
            guard case .known(let identity) = try await setting.ring.find(request(at: now), from: home) else {
                Issue.record("the key is unknown")
                return
            }
            #expect(identity.keyID == record.id)
            #expect(record.kind == .signature && record.prefix.hasPrefix("SHA256:"))
            let other = SigningClient(2)
            let key = try #require(SigningKey(line: other.line))
            #expect(
                try await setting.ring.find(request(at: now, by: other), from: home)
                    == .refused(.signature(.unknownKey(fingerprint: key.fingerprint))))
            try await setting.database.keys.revoke(record.name)
            await setting.ring.readAgain()
            guard case .refused(.signature(.unknownKey)) = try await setting.ring.find(request(at: now + 1), from: home)
            else {
                Issue.record("a revoked key counts")
                return
            }
        }
    }

    @Test func `a signature counts for its method, path and time`() async throws {
        try await KeyRingOnStillClock.with { setting in
            _ = try await add(setting)
            let now = setting.clock.keyClock.unixSeconds()
            let header = client.authorization("POST", "/api/chat", at: now)
            for (method, target) in [
                ("GET", "/api/chat?ts=\(now)"), ("POST", "/api/generate?ts=\(now)"),
                ("POST", "/api/chat?ts=\(now + 1)"),
                ("POST", "/api/chat/?ts=\(now)"), ("post", "/api/chat?ts=\(now)"), ("POST", "/api/chat?x=1&ts=0\(now)"),
            ] {
                let changed = try #require(RequestSignature(header, method: method, target: target))
                #expect(
                    try await setting.ring.find(changed, from: home) == .refused(.signature(.invalid)), "\(target)")
            }
            for target in ["/api/chat", "/api/chat?ts=", "/api/chat?ts=x", "/api/chat?ts=\(now)&ts=\(now)"] {
                let changed = try #require(RequestSignature(header, method: "POST", target: target))
                #expect(
                    try await setting.ring.find(changed, from: home) == .refused(.signature(.stale(seconds: nil))),
                    "\(target)")
            }
            for (difference, isGood) in [(-61, false), (-60, true), (60, true), (61, false), (Int64.max - now, false)] {
                let found = try await setting.ring.find(request(at: now + difference), from: home)
                let stale = KeyRing.Finding.refused(.signature(.stale(seconds: -difference)))
                #expect((found != stale) == isGood, "\(difference)")
                if case .known = found { #expect(isGood) }
            }
            let least = try await setting.ring.find(request(at: .min), from: home)
            #expect(least == .refused(.signature(.stale(seconds: nil))))
        }
    }

    @Test func `a signature counts once, but for the same address within two seconds`() async throws {
        try await KeyRingOnStillClock.with { setting in
            _ = try await add(setting)
            let first = try request(at: setting.clock.keyClock.unixSeconds())
            func isKnown(_ request: RequestSignature, from address: ClientAddress) async throws -> Bool {
                if case .known = try await setting.ring.find(request, from: address) { true } else { false }
            }
            #expect(try await isKnown(first, from: home))
            #expect(try await isKnown(first, from: home))
            #expect(try await setting.ring.find(first, from: .v4(7)) == .refused(.signature(.used)))
            setting.clock.advance(seconds: 2)
            #expect(try await isKnown(first, from: home))
            setting.clock.advance(seconds: 1)
            #expect(try await setting.ring.find(first, from: home) == .refused(.signature(.used)))
            setting.clock.advance(seconds: 57)
            #expect(try await setting.ring.find(first, from: home) == .refused(.signature(.used)))
            setting.clock.advance(seconds: 1)
            #expect(try await setting.ring.find(first, from: home) == .refused(.signature(.stale(seconds: 61))))
        }
    }

    @Test func `the table of used signatures is bounded by key`() {
        let uses = SignatureUses()
        func use(_ number: Int, of key: Int64, now: Int64 = 1000) -> SignatureUses.Answer {
            uses.use(Array("\(number)".utf8), signedAt: 1000, of: key, from: home, now: now)
        }
        for number in 0..<SignatureUses.maxPerKey { #expect(use(number, of: 1) == .counts) }
        #expect(use(-1, of: 1) == .tooMany)
        #expect(use(-1, of: 2) == .counts)
        #expect(use(0, of: 1, now: 1003) == .wasUsed)
        #expect(use(-1, of: 1, now: 1000 + SignatureUses.window + 1) == .counts)
    }

    @Test func `the public half is no token, and text that is no signature is none`() async throws {
        try await KeyRingOnStillClock.with { setting in
            _ = try await add(setting)
            let words = client.line.split(separator: " ").map(String.init)
            let blob = try #require(Data(base64Encoded: words[1]))
            for token in [words[1], client.line, String(decoding: blob, as: UTF8.self)] {
                #expect(try await setting.ring.find(bearer: token) == .wrong)
            }
        }
        let good = client.authorization("GET", "/", at: 1)
        for text in [
            "", ":", "Bearer x", String(good.dropLast(2)) + "%%", good.replacing("AAAAC3", with: "AAAAB3"),
            String(good.prefix { $0 != ":" }), "AAAAC3NzaC1lZDI1NTE5:AAAA", good + String(repeating: "A", count: 200),
        ] {
            #expect(RequestSignature(text, method: "GET", target: "/?ts=1") == nil, "\(text.prefix(40))")
        }
        for line in ["", "ssh-rsa AAAA", "ssh-ed25519", "ssh-ed25519 AAAA", client.line.replacing("ssh-", with: "")] {
            #expect(SigningKey(line: line) == nil, "\(line)")
        }
    }

    @Test func `a gateway that needs no key asks for none`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let found = try await setting.ring.find(request(at: 5), from: home)
            #expect(found == .known(.anonymous))
        }
    }

    @Test func `a key that may stand in front of a path is one that was made so`() async throws {
        try await KeyRingOnStillClock.with(token: "a-token-of-some-length") { setting in
            let keys = setting.database.keys
            let (plain, path) = (try await keys.create(name: "a"), try await keys.create(name: "b", isForPaths: true))
            #expect(plain.record.kind == .header && path.record.kind == .path)
            guard case .known(let identity) = try await setting.ring.find(inPath: path.secret) else {
                Issue.record("the key is unknown")
                return
            }
            #expect(identity.keyID == path.record.id)
            #expect(setting.ring.holder(inPath: path.secret) == identity)
            guard case .known = try await setting.ring.find(bearer: path.secret) else {
                Issue.record("the key is no bearer token")
                return
            }
            for other in [plain.secret, "a-token-of-some-length", "x", ""] {
                #expect(try await setting.ring.find(inPath: other) == .refused(.keyNotForPaths))
                #expect(setting.ring.holder(inPath: other) == nil)
            }
            #expect(try await setting.ring.find(inPath: "slp_unknown") == .wrong)
        }
    }
}
