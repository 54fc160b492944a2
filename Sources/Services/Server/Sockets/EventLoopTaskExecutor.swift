package import NIOCore

/// Runs the parts of a task on the thread of an event loop, so that a task that reads from or writes to a channel does not
/// change threads for it.
///
/// For short work only: while a part runs, the loop serves no other connection.
package final class EventLoopTaskExecutor: TaskExecutor {
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
