import Foundation
import Synchronization

extension FakeOllama {
    /// Answers that the test chooses, each given once, in order. Thread-safe.
    package final class Script: Sendable {
        /// An answer.
        package enum Line: Sendable {
            case text(String)
            /// A call of a tool, with its arguments as a JSON object.
            case call(String, String)
            /// A text, then a call.
            case textAndCall(String, String, String)
        }

        private let lines: Mutex<[Line]>

        package init(_ lines: [Line]) { self.lines = Mutex(lines) }

        /// The number of answers that were not given yet.
        package var left: Int { lines.withLock(\.count) }

        /// Adds answers.
        package func append(_ more: [Line]) { lines.withLock { $0 += more } }

        func next() -> Line? { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }
}
