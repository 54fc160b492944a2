/// The way through a tree of messages to the one that a conversation ends with.
struct ChatBranch {
    /// The ids from the first message to the last.
    var ids: [String]
    /// Whether a message names a parent that is not there, or one behind itself.
    var isBroken = false

    /// - Parameters:
    ///   - last: The last message; nil or an unknown id when the export does not say it.
    ///   - parents: The parent of each message; an empty text for the first message.
    ///   - order: The ids in the order of the messages, of which the last one stands in for an unknown `last`.
    init(to last: String?, parents: [String: String], order: [String]) {
        var next = last
        if last.flatMap({ parents[$0] }) == nil { (next, isBroken) = (order.last, true) }
        ids = []
        var seen: Set<String> = []
        while let id = next, !id.isEmpty {
            guard let parent = parents[id], seen.insert(id).inserted else {
                isBroken = true
                break
            }
            ids.append(id)
            next = parent
        }
        ids.reverse()
    }

    /// What a person should know about a broken branch; nil for a whole one.
    var warning: String? {
        isBroken ? "does not say in whole which message follows which; what leads to the last one is read" : nil
    }
}
