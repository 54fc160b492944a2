import NIOCore

extension Task where Success == Void, Failure == Never {
    /// Starts an operation on this thread and runs it there until it suspends.
    ///
    /// Keys are mostly fresh and places mostly free. The operation then completes on the event loop without another
    /// thread.
    static func atOnce(_ operation: sending @escaping @isolated(any) () async -> Void) -> Task {
        if #available(macOS 26, iOS 26, *) { Task.immediate(operation: operation) } else { Task(operation: operation) }
    }
}

extension EventLoop {
    /// Runs an action on the loop: at once if the caller is on the loop's thread.
    func hop(_ action: @escaping @Sendable () -> Void) {
        if inEventLoop { action() } else { execute(action) }
    }
}
