/// What a digest shows of the messages that were merged into it.
package struct DigestContent: Sendable, Equatable {
    /// Messages to show, the most urgent first, of equal ones the oldest first.
    package let shown: [DeliveryMessage]
    /// Messages that the digest only counts, in the same order. With ``shown`` they are all that were merged.
    package let counted: [DeliveryMessage]

    /// Puts together a digest of messages in the order in which they came, the first `limit` (at least one) of them
    /// shown. Nil without a message. The digest is to be a ``DeliveryMessage`` of its own.
    package init?(_ messages: [DeliveryMessage], showing limit: Int) {
        guard !messages.isEmpty else { return nil }
        let sorted = messages.enumerated().sorted {
            ($1.element.priority, $0.offset) < ($0.element.priority, $1.offset)
        }.map(\.element)
        shown = Array(sorted.prefix(max(limit, 1)))
        counted = Array(sorted.dropFirst(max(limit, 1)))
    }
}
