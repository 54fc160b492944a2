import Foundation
import Synchronization

/// Routes for pulling, creating and removing models, and for blobs.
extension API {
    /// Ollama's error for an invalid model name.
    private static let invalidName = "invalid model name"

    private static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.count < 250
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-:/".contains($0)) }
    }

    /// Sends progress lines; without a stream, only the last line.
    private func report(_ lines: [JSON], every seconds: Double, body: RequestBody, _ fault: Fault.Kind?) async throws {
        guard try body.flag("stream") ?? true else {
            try await exchange.pause(seconds * Double(lines.count))
            let last = lines.last ?? [:]
            return try await exchange.send(status: last["error"] == nil ? 200 : 500, fault: fault, last.encoded)
        }
        exchange.enter(.streaming)
        let stream = LineStream(exchange, fault: fault)
        for line in lines {
            try await exchange.pause(seconds)
            try await stream.put(line.encoded + "\n")
        }
        try await stream.end()
    }

    private func status(_ text: String) -> JSON { ["status": .string(text)] }

    /// The progress lines of a layer, from the start to the end.
    private func transfer(_ verb: String, digest: String, size: Int, steps: Int) -> [JSON] {
        let digest = digest.hasPrefix("sha256:") ? digest : "sha256:" + digest
        return (0...steps).map { step in
            let completed = size * step / steps
            return .compact([
                "status": .string("\(verb) \(digest.dropFirst(7).prefix(12))"), "digest": .string(digest),
                "total": JSON(size), "completed": completed == 0 ? nil : JSON(completed),
            ])
        }
    }

    func pull(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "api.PullRequest")
        let name = try body.model()
        guard Self.isValid(name) else { throw APIError(400, Self.invalidName) }
        var lines = [status("pulling manifest")]
        // The registry has every model unless its name contains "missing".
        if name.contains("missing") {
            lines.append(["error": "pull model manifest: file does not exist"])
        } else {
            let steps = max(1, options.progressSteps)
            lines += transfer("pulling", digest: options.digest, size: 1_000_000, steps: steps)
            lines += transfer("pulling", digest: SHA256.hex("config"), size: 485, steps: 1)
            lines += ["verifying sha256 digest", "writing manifest", "success"].map(status)
        }
        try await report(lines, every: options.progressPause, body: body, fault)
        server.state.withLock { state in
            if !name.contains("missing"), state.catalogue[name] == nil { state.catalogue.pull(name) }
        }
    }

    func push(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "api.PushRequest")
        let name = try body.model()
        guard !name.isEmpty else { throw APIError(400, "model is required") }
        var lines = [status("retrieving manifest")]
        if let model = server.catalogue[name] {
            lines += transfer("pushing", digest: model.digest, size: model.size, steps: max(1, options.progressSteps))
            lines += ["pushing manifest", "success"].map(status)
        } else {
            lines += [status("couldn't retrieve manifest"), ["error": "open manifest: no such file or directory"]]
        }
        try await report(lines, every: options.progressPause, body: body, fault)
    }

    func create(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "api.CreateRequest")
        let name = try body.model()
        guard Self.isValid(name) else { throw APIError(400, Self.invalidName) }
        let from = try body.text("from") ?? ""
        let files = try body.object("files")?.members ?? []
        var made: Model
        if !from.isEmpty {
            made = try model(from)
            made.parent = from
        } else if !files.isEmpty {
            guard files.allSatisfy({ Self.isDigest($0.value.text ?? "") }) else {
                throw APIError(400, "invalid digest format")
            }
            let known = server.state.withLock(\.blobs)
            guard files.allSatisfy({ known.contains($0.value.text ?? "") }) else {
                throw APIError(400, "open blob: no such file or directory")
            }
            made = Model(
                name: "", capabilities: ["completion"], digest: "", contextLength: options.contextLength,
                embeddingLength: options.dimensions)
        } else {
            throw APIError(400, "neither 'from' or 'files' was specified")
        }
        made.name = Catalogue.full(name)
        made.digest = SHA256.hex(made.name)
        let layers = files.isEmpty ? ["sha256:" + SHA256.hex(from)] : files.compactMap(\.value.text)
        var lines = files.isEmpty ? [] : [status("parsing GGUF")]
        lines += layers.map { status("using existing layer \($0)") }
        if let system = try body.text("system"), !system.isEmpty {
            lines.append(status("creating new layer sha256:\(SHA256.hex(system))"))
        }
        lines += ["writing manifest", "success"].map(status)
        try await report(lines, every: options.progressPause, body: body, fault)
        server.state.withLock { $0.catalogue.put(made) }
    }

    func copy(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "api.CopyRequest")
        let source = try body.text("source") ?? ""
        let destination = try body.text("destination") ?? ""
        guard Self.isValid(source) else { throw APIError(400, "source \(quoted(source)) is invalid") }
        guard Self.isValid(destination) else { throw APIError(400, "destination \(quoted(destination)) is invalid") }
        guard var model = server.catalogue[source] else { throw APIError(404, "model \(quoted(source)) not found") }
        model.name = Catalogue.full(destination)
        server.state.withLock { $0.catalogue.put(model) }
        try await exchange.send(type: nil)
    }

    func delete(_ fault: Fault.Kind?) async throws {
        let body = try RequestBody(exchange.body, type: "api.DeleteRequest")
        let name = try body.model()
        guard Self.isValid(name) else { throw APIError(400, "name \(quoted(name)) is invalid") }
        let model = try model(name)
        server.unload(model)
        _ = server.state.withLock { $0.catalogue.remove(name) }
        try await exchange.send(type: nil)
    }

    // MARK: Blobs

    private static func isDigest(_ text: String) -> Bool {
        let digits = text.dropFirst(7)
        return text.hasPrefix("sha256") && (text.dropFirst(6).first == ":" || text.dropFirst(6).first == "-")
            && digits.count == 64 && digits.allSatisfy { $0.isHexDigit && $0.isASCII }
    }

    private func digest() throws(APIError) -> String {
        let digest = String(exchange.path.dropFirst("/api/blobs/".count)).removingPercentEncoding ?? ""
        guard Self.isDigest(digest) else { throw APIError(400, "invalid digest format") }
        return digest
    }

    func headBlob(_ fault: Fault.Kind?) async throws {
        let digest = try digest()
        guard server.state.withLock({ $0.blobs.contains(digest) }) else {
            throw APIError(404, "blob \(quoted(digest)) not found")
        }
        try await exchange.send(type: nil)
    }

    func createBlob(_ fault: Fault.Kind?) async throws {
        let digest = try digest()
        if server.state.withLock({ $0.blobs.contains(digest) }) { return try await exchange.send(type: nil) }
        let actual = exchange.uploadDigest ?? ""
        guard actual == digest else {
            throw APIError(400, "digest mismatch, expected \(quoted(digest)), got \(quoted(actual))")
        }
        server.state.withLock { _ = $0.blobs.insert(digest) }
        try await exchange.send(status: 201, type: nil)
    }
}
