package import NIOCore

extension EventLoop {
    /// Runs an action on the loop: at once if the caller is on the loop's thread.
    package func hop(_ action: @escaping @Sendable () -> Void) {
        if inEventLoop { action() } else { execute(action) }
    }
}
