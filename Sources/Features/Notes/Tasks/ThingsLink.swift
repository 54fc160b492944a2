import GatewayAPI

/// Links to Things, an app for tasks.
enum ThingsLink {
    /// A link that adds a task.
    static func adding(_ title: String, due: String?) -> String {
        let deadline = due.map { "&deadline=" + PercentEncoding.encoded($0) } ?? ""
        return "things:///add?title=" + PercentEncoding.encoded(title) + deadline
    }
}

extension TaskRecord {
    /// The task with its link to Things: to the task there, or to a form that adds it.
    var withThingsLink: TaskRecord {
        var task = self
        if let id = thingsTaskID, !id.isEmpty, !id.hasPrefix(Self.withoutThings) {
            task.thingsLink = "things:///show?id=" + PercentEncoding.encoded(id)
        } else if let title, !title.isEmpty {
            task.thingsLink = ThingsLink.adding(title, due: due)
        }
        return task
    }
}

extension TaskDraft {
    /// The draft with a link that adds it to Things.
    var withThingsLink: TaskDraft {
        var draft = self
        draft.thingsLink = ThingsLink.adding(title, due: due)
        return draft
    }
}
