import NIOCore

extension Task where Success == Void, Failure == Never {
    /// Runs an operation that mostly needs not wait, on this thread up to the point where it does.
    ///
    /// Keys are mostly fresh and places mostly free. Then an event loop comes through here without another thread.
    static func atOnce(_ operation: sending @escaping @isolated(any) () async -> Void) -> Task {
        if #available(macOS 26, iOS 26, *) { Task.immediate(operation: operation) } else { Task(operation: operation) }
    }
}

extension EventLoop {
    /// Runs an action on the loop: now when this is its thread.
    func hop(_ action: @escaping @Sendable () -> Void) {
        if inEventLoop { action() } else { execute(action) }
    }
}
