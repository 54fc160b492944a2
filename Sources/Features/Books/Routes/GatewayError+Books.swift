import HTTPTypes
import Server

extension GatewayError {
    /// Maps a refusal of the library to HTTP; nil for any other error.
    package init?(books error: any Error) {
        guard let refusal = error as? BookRefusal else { return nil }
        switch refusal {
        case .tooLarge(let limit):
            self.init(
                .contentTooLarge, .tooLarge, "the file is larger than \(limit) bytes (SELENE_BOOKS_MAX_FILE)",
                headers: [.connection: "close"])
        case .unknownFormat:
            self.init(
                .unsupportedMediaType, Code(rawValue: "unknown_format"),
                "the file is none of PDF, EPUB, DOCX, HTML, Markdown and text", headers: [.connection: "close"])
        case .noText: self.init(.unprocessableContent, Code(rawValue: "no_text"), refusal.description)
        case .noSpace:
            self.init(
                HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), Code(rawValue: "no_space"),
                "there is no space for this file: the disk is full, or the books reach SELENE_BOOKS_SPACE",
                headers: [.connection: "close"])
        case .notRead(let id):
            self.init(.conflict, Code(rawValue: "not_read"), "book \(id) has no text yet; see its state")
        case .notFailed(let id):
            self.init(
                .conflict, Code(rawValue: "not_failed"), "the import of book \(id) did not fail, so it is not repeated")
        case .noLabel(let label): self.init(.notFound, .notFound, "the book has no page \"\(label)\"")
        case .noCover(let id): self.init(.notFound, .notFound, "book \(id) has no cover")
        case .noPicture:
            self.init(.unsupportedMediaType, Code(rawValue: "no_picture"), refusal.description)
        case .noPageProgram:
            self.init(.serviceUnavailable, Code(rawValue: "no_page_program"), refusal.description)
        case .noResources:
            self.init(
                .serviceUnavailable, Code(rawValue: "no_resources"), refusal.description, headers: [.retryAfter: "1"])
        case .undrawable:
            self.init(.unprocessableContent, Code(rawValue: "undrawable"), refusal.description)
        case .url(let reason):
            self.init(.unprocessableContent, Code(rawValue: "url_failed"), "the URL cannot be read: \(reason)")
        case .privateAddress(let host):
            self.init(
                .unprocessableContent, Code(rawValue: "private_address"),
                "\(host) is in a private network or on this machine; SELENE_BOOKS_PRIVATE_URLS=true allows it")
        case .unreadable(let reason):
            self.init(.unprocessableContent, Code(rawValue: "unreadable"), reason)
        case .upload(let reason): self.init(.internalServerError, .internal, reason)
        }
    }
}
