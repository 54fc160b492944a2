import GatewayAPI

extension TaskRecord {
    /// The task with its link to Things: to the task there, or to a form that adds it.
    var withThingsLink: TaskRecord {
        var task = self
        if let id = thingsTaskID, !id.isEmpty {
            task.thingsLink = "things:///show?id=" + PercentEncoding.encoded(id)
        } else if let title, !title.isEmpty {
            let deadline = due.map { "&deadline=" + PercentEncoding.encoded($0) } ?? ""
            task.thingsLink = "things:///add?title=" + PercentEncoding.encoded(title) + deadline
        }
        return task
    }
}
