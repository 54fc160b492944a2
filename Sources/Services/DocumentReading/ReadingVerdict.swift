internal import CChildProcess
internal import Documents

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Decides what the message and the end of a reading process mean.
enum ReadingVerdict {
    static func document(
        _ message: MessageIntake, _ end: ChildProcess.End, _ child: ChildProcess
    ) throws(DocumentError) -> Document {
        switch message.outcome {
        case .complete:
            guard let outcome = try? DocumentMessage.decode(message.body) else { throw stopped }
            return try outcome.get()
        case .tooLong: throw DocumentError(.tooLarge, "The document's text and layout are larger than the limit.")
        case .late: throw tooCostly
        case .garbage: throw stopped
        case .ended: break
        }
        // The system ends a process that has used its time with SIGXCPU or SIGKILL.
        if case .signalled(let signal) = end, signal == SIGXCPU || (signal == SIGKILL && !child.isKilled) {
            throw tooCostly
        }
        if child.isKilled || end == .exited(CInt(CHILD_EXHAUSTED)) { throw tooCostly }
        throw stopped
    }

    private static let tooCostly = DocumentError(
        .tooCostly, "The file takes more time or memory to read than the limits allow. Try a smaller or simpler one.")
    private static let stopped = DocumentError(
        .damaged, "The file made the reader stop. It is damaged; download or export it again.")
}
