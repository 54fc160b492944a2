/// What was done, as an entry of the audit names it. The words are stable: a filter may rely on them.
public enum AuditAction: String, Codable, Sendable, CaseIterable {
    case keyCreate = "key.create"
    case keyChange = "key.change"
    case keyRevoke = "key.revoke"
    case deviceOffer = "device.offer"
    case deviceApprove = "device.approve"
    case devicePair = "device.pair"
    case sessionEnd = "session.end"
    case modelPull = "model.pull"
    case modelPush = "model.push"
    case modelCreate = "model.create"
    case modelCopy = "model.copy"
    case modelDelete = "model.delete"
    case modelUpload = "model.upload"
    case modelSignOut = "model.sign_out"
    case settingChange = "setting.change"
    case settingReload = "setting.reload"
    case spaceSwitch = "space.switch"
    case spaceRollback = "space.rollback"
    case spaceDrop = "space.drop"
    case jobStart = "job.start"
    case jobCancel = "job.cancel"
    case jobResume = "job.resume"
    case requestStop = "request.stop"
    case evaluationDelete = "evaluation.delete"
    case failedNoteRetry = "failed_note.retry"
    case failedNoteDiscard = "failed_note.discard"
    case pushDeviceRemove = "push_device.remove"
    case pushAPNs = "push_apns.change"
    case pushTriggers = "push_triggers.change"
    case sourceAdd = "source.add"
    case sourceChange = "source.change"
    case sourceRemove = "source.remove"
}

/// An administrative change: who did what, and what came of it. It has no keys, prompts or texts of notes.
public struct AuditEntry: Codable, Sendable, Hashable {
    /// The row's id; ids only grow. The store sets it.
    public var id: Int64
    /// When the entry was written, in UTC with milliseconds, by the clock of the store.
    public var at: String
    /// Who: the name of a key, or `token`, `this machine`, `command line`, `no key`, `new device`, `configuration file`, `signal`.
    public var by: String
    /// The row of the caller's key; nil when there was none.
    public var keyID: Int64?
    /// What was done: an ``AuditAction``, or one of a later version.
    public var action: String
    /// The name of what was changed.
    public var object: String?
    /// The id of what was changed.
    public var objectID: String?
    /// What else is worth knowing, such as the scopes of a key.
    public var detail: String?
    /// `done`, `refused`, `failed`, or `cancelled` when the client left before the end.
    public var outcome: String
    /// The status of the response; nil where there was no request.
    public var status: Int?
    /// The id of the request in logs and replies.
    public var requestID: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id
        case at
        case by
        case keyID = "key_id"
        case action
        case object
        case objectID = "object_id"
        case detail
        case outcome
        case status
        case requestID = "request_id"
    }

    /// Creates it from its fields.
    public init(
        id: Int64 = 0, at: String = "", by: String, keyID: Int64? = nil, action: String, object: String? = nil,
        objectID: String? = nil, detail: String? = nil, outcome: String = "done", status: Int? = nil,
        requestID: String? = nil
    ) {
        self.id = id
        self.at = at
        self.by = by
        self.keyID = keyID
        self.action = action
        self.object = object
        self.objectID = objectID
        self.detail = detail
        self.outcome = outcome
        self.status = status
        self.requestID = requestID
    }
}

/// The reply of `GET /api/audit`.
public struct AuditPage: Codable, Sendable, Hashable {
    /// The entries, the latest first.
    public var entries: [AuditEntry]
    /// The start of the next page; nil on the last one.
    public var nextCursor: String?
    /// How many of the latest entries are kept.
    public var kept: Int

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case entries
        case nextCursor = "next_cursor"
        case kept
    }

    /// Creates it from its fields.
    public init(entries: [AuditEntry], nextCursor: String? = nil, kept: Int) {
        self.entries = entries
        self.nextCursor = nextCursor
        self.kept = kept
    }
}
