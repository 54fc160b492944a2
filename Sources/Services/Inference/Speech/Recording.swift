package import NIOCore

/// A recording to be turned into text.
package struct Recording: Sendable {
    /// The formats that servers of `/v1/audio/transcriptions` read, with the names of files that tell them the format.
    private static let fileNames = [
        "audio/wav": "speech.wav", "audio/x-wav": "speech.wav", "audio/wave": "speech.wav",
        "audio/vnd.wave": "speech.wav",
        "audio/webm": "speech.webm", "audio/ogg": "speech.ogg", "audio/mpeg": "speech.mp3", "audio/mp3": "speech.mp3",
        "audio/mp4": "speech.m4a", "audio/m4a": "speech.m4a", "audio/x-m4a": "speech.m4a", "audio/flac": "speech.flac",
        "audio/x-flac": "speech.flac",
    ]

    /// The content types of ``init(_:contentType:language:)``.
    package static var contentTypes: [String] { fileNames.keys.sorted() }

    let bytes: ByteBuffer
    let contentType: String
    let language: String?

    /// Creates a recording; nil when its content type is none of ``contentTypes``. Bytes without a type of their own count
    /// as WAV; the server says when they are none.
    ///
    /// - Parameter language: The language as ISO 639-1, such as `de`; nil lets the model find out.
    package init?(_ bytes: ByteBuffer, contentType: String, language: String?) {
        var essence = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
        if essence == "application/octet-stream" { essence = "audio/wav" }
        guard Self.fileNames[essence] != nil else { return nil }
        self.bytes = bytes
        self.contentType = essence
        self.language = language
    }

    /// The form of `/v1/audio/transcriptions` with this recording, and its content type.
    ///
    /// - Parameters:
    ///   - model: The model's name at the server. Control characters and quotes do not leave the field.
    ///   - boundary: What divides the parts; must not occur in the recording.
    func form(model: String, boundary: String) -> (body: ByteBuffer, contentType: String) {
        var form = ByteBuffer()
        form.reserveCapacity(bytes.readableBytes + 1024)
        func field(_ name: String, _ value: String) {
            let plain = String(
                String.UnicodeScalarView(value.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
            form.writeString("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(plain)\r\n")
        }
        field("model", model)
        field("response_format", "json")
        if let language { field("language", language) }
        let name = Self.fileNames[contentType] ?? "speech.wav"
        form.writeString(
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n"
                + "Content-Type: \(contentType)\r\n\r\n")
        form.writeImmutableBuffer(bytes)
        form.writeString("\r\n--\(boundary)--\r\n")
        return (form, "multipart/form-data; boundary=\(boundary)")
    }

    /// A boundary that no recording has by chance: 128 random bits.
    static func boundary() -> String {
        "selene-" + (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined()
    }
}
