import Foundation
import Synchronization

extension FakeOllama {
    /// Answers that the test chooses, each given once, in order. Thread-safe.
    public final class Script: Sendable {
        /// An answer.
        public enum Line: Sendable {
            /// A text.
            case text(String)
            /// A call of a tool, with its arguments as a JSON object.
            case call(String, String)
            /// A text, then a call.
            case textAndCall(String, String, String)
        }

        private let lines: Mutex<[Line]>

        /// Creates a script.
        public init(_ lines: [Line]) { self.lines = Mutex(lines) }

        /// The number of answers that were not given yet.
        public var left: Int { lines.withLock(\.count) }

        /// Adds answers.
        public func append(_ more: [Line]) { lines.withLock { $0 += more } }

        func next() -> Line? { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }
}
