import Foundation
import Synchronization

/// A job for a ``ScanPool``.
final class ScanJob: Sendable {
    /// The largest number of threads that may participate at once.
    let maxWorkers: Int
    /// Called at most once on each participating thread; returns when no work is left.
    let participate: @Sendable () -> Void
    /// Called once, after the last participant returned.
    let finish: @Sendable () -> Void

    init(
        maxWorkers: Int, participate: @escaping @Sendable () -> Void, finish: @escaping @Sendable () -> Void
    ) {
        self.maxWorkers = maxWorkers
        self.participate = participate
        self.finish = finish
    }
}

/// Runs scans on as many threads as there are cores. Scans are too long for the cooperative pool, and more threads than
/// cores would only share the memory's bandwidth.
///
/// Jobs are served in order. A thread joins the first job that has room. When that job has no work left, the thread
/// goes on to the next, so the end of one job and the start of another overlap.
final class ScanPool: Sendable {
    /// The pool of the process.
    static let shared = ScanPool(threads: ProcessInfo.processInfo.activeProcessorCount)

    private struct Entry {
        let job: ScanJob
        var joined = 0
        var active = 0
        var isExhausted = false
    }

    /// The number of threads.
    let threads: Int
    private let queue: Queue

    /// SAFETY: `@unchecked Sendable` because `entries` is only touched while `condition` is locked.
    private final class Queue: @unchecked Sendable {
        let condition = NSCondition()
        var entries: [Entry] = []
    }

    init(threads: Int) {
        self.threads = max(1, threads)
        queue = Queue()
        for number in 0..<self.threads {
            let thread = Thread { [queue] in Self.work(queue) }
            thread.name = "selene-scan-\(number)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Appends a job. The submitter limits how many wait; see ``HybridIndex/maxWaitingSearches``.
    func submit(_ job: ScanJob) {
        queue.condition.lock()
        queue.entries.append(Entry(job: job))
        if job.maxWorkers > 1 { queue.condition.broadcast() } else { queue.condition.signal() }
        queue.condition.unlock()
    }

    private static func work(_ queue: Queue) {
        queue.condition.lock()
        while true {
            guard
                let index = queue.entries.firstIndex(where: { !$0.isExhausted && $0.joined < $0.job.maxWorkers })
            else {
                queue.condition.wait()
                continue
            }
            queue.entries[index].joined += 1
            queue.entries[index].active += 1
            let job = queue.entries[index].job
            queue.condition.unlock()
            job.participate()
            queue.condition.lock()
            guard let now = queue.entries.firstIndex(where: { $0.job === job }) else { continue }
            queue.entries[now].active -= 1
            queue.entries[now].isExhausted = true
            if queue.entries[now].active == 0 {
                queue.entries.remove(at: now)
                queue.condition.unlock()
                job.finish()
                queue.condition.lock()
            }
        }
    }
}
