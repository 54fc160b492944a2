import Text

/// Makes sets of words from texts with white space between the words.
package enum WordList {
    /// The words as they are written.
    package static func plain(_ list: String) -> Set<String> {
        Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// The words as ``TextFolding`` folds them: `dreißig` is `dreissig`.
    package static func folded(_ list: String) -> Set<String> {
        Set(list.split(whereSeparator: \.isWhitespace).map { TextFolding.folded(String($0)) })
    }
}
