import Text

/// Texts for the model about calls that were not carried out.
enum Remark {
    static let noMoreRounds = "No tool is available any more. Answer the question now with what you have."

    static func unknown(_ name: String, tools: [String]) -> String {
        let nearest = NearestName.of(name, among: tools).map { " Did you mean \"\($0)\"?" } ?? ""
        return "There is no tool \"\(Excerpt.of(name))\".\(nearest) Tools: \(tools.joined(separator: ", "))."
    }

    static func invalid(_ error: ArgumentError, tool: String) -> String {
        "The arguments of \(tool) are not valid. Correct them and call it again.\n" + error.text
    }

    static func tooLong(limit: Int) -> String {
        "The arguments are longer than \(limit) bytes. Send shorter ones."
    }

    static func tooMany(limit: Int) -> String {
        "Not carried out: a round has at most \(limit) calls. Read the other results first."
    }

    /// - Parameters:
    ///   - id: The id of the earlier call.
    ///   - result: The result of the earlier call; nil when that call is of the same round.
    static func repeated(_ id: String, result: String?) -> String {
        guard let result else { return "The same call as \(Excerpt.of(id)); its result counts for both." }
        return "You made this call before. Its result has not changed; answer the question now.\n\n" + result
    }
}
