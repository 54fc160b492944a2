import Access
import Concurrency
import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage
import Text

/// The routes that capture, create, change and delete notes.
struct NoteChangeRoutes: Sendable {
    let store: any NoteBook
    let bodyLimit: Int

    /// `POST /webhook/api/drafts`; a duplicate note is not an error.
    func capture(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let new = try await JSONRequest.decode(NewNote.self, from: request, limit: bodyLimit, in: context)
        let mark = try FieldCheck.text(new.testRun, "test_run", maxBytes: NotesLimits.maxWordBytes)
        let draft = try await Self.draft(new, source: "drafts", in: context)
        switch try await store.create(draft, testRun: mark, request: nil) {
        case .created(let id): return JSONReply.response(CaptureResponse(status: "created", id: id))
        case .duplicate(let id): return JSONReply.response(CaptureResponse(status: "duplicate", id: id))
        }
    }

    /// `POST /api/notes`
    func create(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let new = try await JSONRequest.decode(NewNote.self, from: request, limit: bodyLimit, in: context)
        guard new.testRun == nil else {
            throw GatewayError.field("test_run", "is allowed only in POST /webhook/api/drafts")
        }
        let name = try Self.requestName(request.headers[values: .idempotencyKey])
        let repeatable = name.map { NoteRequest(caller: context.identity.keyID, key: $0) }
        let draft = try await Self.draft(new, source: "api", in: context)
        switch try await store.create(draft, testRun: nil, request: repeatable) {
        case .created(let id): return JSONReply.response(try await note(id), status: .created)
        case .duplicate(let id):
            throw GatewayError(
                .conflict, GatewayError.Code(rawValue: "duplicate"),
                "note \(id) already has this title and content")
        }
    }

    /// `PUT` and `PATCH /api/notes/:id`; with a revision, only when the note still has it.
    func update(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let update = try await JSONRequest.decode(NoteUpdate.self, from: request, limit: bodyLimit, in: context)
        let revision = try FieldCheck.text(update.revision, "revision", maxBytes: NotesLimits.maxWordBytes)
        let change = try await LargeWork.shared.run(
            over: update.content?.utf8.count ?? 0, for: context.identity.admissionName
        ) { try Self.change(update) }
        guard try await store.update(id, change, revision: revision) else { throw missing(id) }
        return JSONReply.response(try await note(id))
    }

    /// `DELETE /api/notes/:id`; with a revision, only when the note still has it.
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let revision = try FieldCheck.text(
            request.parameter("revision"), "revision", maxBytes: NotesLimits.maxWordBytes)
        guard try await store.delete(id, revision: revision) else { throw missing(id) }
        return JSONReply.response(DeletedResponse(id: id))
    }

    private func note(_ id: Int64) async throws -> Note {
        guard let note = try await store.find(ids: [id]).first else { throw missing(id) }
        return note.withRevision
    }

    /// The value of the header `Idempotency-Key`; nil when it is absent.
    private static func requestName(_ values: [String]) throws -> String? {
        guard let name = values.first else { return nil }
        let isVisible = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard values.count == 1, isVisible, (1...NotesLimits.maxRequestNameBytes).contains(name.utf8.count) else {
            throw GatewayError(
                .badRequest, .invalidField,
                "header \"Idempotency-Key\": expected one value of 1 to \(NotesLimits.maxRequestNameBytes) visible ASCII "
                    + "characters, such as a UUID")
        }
        return name
    }

    private func missing(_ id: Int64) -> GatewayError {
        GatewayError(.notFound, .notFound, "there is no note \(id)")
    }

    /// Checks a note. A large text is read off the cooperative pool.
    private static func draft(
        _ new: NewNote, source: String, in context: GatewayRequestContext
    ) async throws -> NoteDraft {
        try await LargeWork.shared.run(over: new.content.utf8.count, for: context.identity.admissionName) {
            try draft(new, source: source)
        }
    }

    private static func draft(_ new: NewNote, source: String) throws -> NoteDraft {
        let title = try FieldCheck.text(new.title, "title", maxBytes: NotesLimits.maxTitleBytes) as String
        let content = try FieldCheck.text(new.content, "content", maxBytes: .max) as String
        return NoteDraft(
            title: title, content: content, createdAt: try FieldCheck.date(new.createdAt, "created_at"),
            noteType: try word(new.noteType, "note_type"), actionability: try word(new.actionability, "actionability"),
            threads: try words(new.threads, "threads") ?? [],
            tags: try words(new.tags, "tags") ?? Hashtags.find(in: content), source: source)
    }

    private static func change(_ update: NoteUpdate) throws -> NoteChange {
        var change = NoteChange()
        change.title = try FieldCheck.text(update.title, "title", maxBytes: NotesLimits.maxTitleBytes)
        change.content = try FieldCheck.text(update.content, "content", maxBytes: .max)
        change.createdAt = try FieldCheck.date(update.createdAt, "created_at")
        change.noteType = try update.noteType.map { try word($0, "note_type") ?? "" }
        change.actionability = try update.actionability.map { try word($0, "actionability") ?? "" }
        change.tags = try words(update.tags, "tags")
        change.threads = try words(update.threads, "threads")
        guard change != NoteChange() else {
            throw GatewayError(.badRequest, .invalidField, "the body changes nothing; set a field of the note")
        }
        return change
    }

    private static func word(_ value: String?, _ name: String) throws -> String? {
        try FieldCheck.text(value, name, maxBytes: NotesLimits.maxWordBytes)
    }

    private static func words(_ values: [String]?, _ name: String) throws -> [String]? {
        try FieldCheck.texts(values, name, maxCount: NotesLimits.maxWords, maxBytes: NotesLimits.maxWordBytes)
    }
}
