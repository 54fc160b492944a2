extension Task where Success == Void, Failure == Never {
    /// Starts an operation on this thread and runs it there until it suspends.
    ///
    /// Keys are mostly fresh and places mostly free. The operation then completes on the event loop without another
    /// thread.
    static func atOnce(_ operation: sending @escaping @isolated(any) () async -> Void) -> Task {
        if #available(macOS 26, iOS 26, *) { Task.immediate(operation: operation) } else { Task(operation: operation) }
    }
}
