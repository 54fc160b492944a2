import Text

/// Makes lists of words from texts with white space between the words.
package enum WordList {
    /// The words as they are written.
    package static func plain(_ list: String) -> Set<String> {
        Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// The words as ``TextFolding`` folds them: `dreißig` is `dreissig`.
    package static func folded(_ list: String) -> Set<String> {
        Set(list.split(whereSeparator: \.isWhitespace).map { TextFolding.folded(String($0)) })
    }

    /// The words of phrases, which semicolons divide: `how often; again and again`.
    package static func phrases(_ list: String) -> [[String]] {
        list.split(separator: ";").map { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
    }
}
