import FakeOllama
import Foundation
import NIOCore
import NIOHTTP1

extension Service {
    /// `/v1/audio/transcriptions`: reads the form as OpenAI does and says what the file holds in place of what is said in
    /// it, such as `16000 samples at 16000 Hz in de`. The model "mute" answers without a text.
    func transcribe() async throws {
        func refuse(_ message: String) -> ProviderError { ProviderError(400, "invalid_request_error", message) }
        let type = exchange.head.headers.first(name: "content-type") ?? ""
        guard type.hasPrefix("multipart/form-data"), let mark = type.range(of: "boundary=") else {
            throw refuse("expected a form")
        }
        let boundary = type[mark.upperBound...].prefix { $0 != ";" }.trimmingCharacters(in: ["\""])
        let form = Form(Array(exchange.bytes.readableBytesView), boundary: boundary)
        let model = form.parts["model"].map { String(decoding: $0, as: UTF8.self) }
        try require(model: model)
        guard let file = form.parts["file"], let name = form.fileName else { throw refuse("Field required: file") }
        guard name.hasSuffix(".wav"), let sound = Sound(file) else {
            throw refuse("Invalid file format. Supported formats: ['wav']")
        }
        let language = form.parts["language"].map { " in " + String(decoding: $0, as: UTF8.self) } ?? ""
        let reply: JSON =
            model == "mute"
            ? [:]
            : [
                "text": .string(" \(sound.samples) samples at \(sound.rate) Hz\(language)\n"),
                "usage": [
                    "type": "tokens", "input_tokens": JSON(sound.samples / 1600), "output_tokens": 5,
                    "total_tokens": JSON(sound.samples / 1600 + 5),
                ],
            ]
        try await exchange.send(reply.encoded)
    }
}

/// The parts of a form by name.
private struct Form {
    var parts: [String: [UInt8]] = [:]
    var fileName: String?

    init(_ bytes: [UInt8], boundary: String) {
        let data = Data(bytes)
        let line = Data("--\(boundary)".utf8)
        var starts: [Range<Data.Index>] = []
        var from = data.startIndex
        while let next = data.range(of: line, in: from..<data.endIndex) {
            starts.append(next)
            from = next.upperBound
        }
        for (one, next) in zip(starts, starts.dropFirst()) {
            // Behind the boundary stands a line end, before the next one another.
            let part = data[min(one.upperBound + 2, next.lowerBound)..<max(one.upperBound + 2, next.lowerBound - 2)]
            guard let head = part.range(of: Data("\r\n\r\n".utf8)) else { continue }
            let headers = String(decoding: part[..<head.lowerBound], as: UTF8.self)
            guard let name = Self.value("name", headers) else { continue }
            parts[name] = Array(part[head.upperBound...])
            if let file = Self.value("filename", headers) { fileName = file }
        }
    }

    private static func value(_ name: String, _ headers: String) -> String? {
        guard let start = headers.range(of: "; \(name)=\"") else { return nil }
        return String(headers[start.upperBound...].prefix { $0 != "\"" })
    }
}

/// A WAV file of one channel and 16 bits.
private struct Sound {
    var rate = 0
    var samples = 0

    init?(_ bytes: [UInt8]) {
        func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
        guard bytes.count >= 44, bytes.starts(with: "RIFF".utf8), bytes[8..<16].elementsEqual("WAVEfmt ".utf8),
            number(4, 4) == bytes.count - 8, number(22, 2) == 1, number(34, 2) == 16,
            bytes[36..<40].elementsEqual("data".utf8), number(40, 4) == bytes.count - 44
        else { return nil }
        rate = number(24, 4)
        samples = number(40, 4) / 2
    }
}
