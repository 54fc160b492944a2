import Foundation
import Logging
import Push
import PushChannels
import Schedules

// Sends pushes through the channel of APNs to a stand-in and prints figures as JSON:
// PushBench ORIGIN AUTHORITIES KEY COUNT IN_FLIGHT

let arguments = CommandLine.arguments
guard arguments.count == 6, let count = Int(arguments[4]), let inFlight = Int(arguments[5]), count > 0, inFlight > 0
else {
    FileHandle.standardError.write(Data("PushBench ORIGIN AUTHORITIES KEY COUNT IN_FLIGHT\n".utf8))
    exit(2)
}

/// A figure of /proc/self/status in KiB.
func memory(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    return line.flatMap { Int($0.split(whereSeparator: { $0 == " " || $0 == "\t" })[1]) } ?? 0
}

/// The processor time of this process in seconds.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func attempt(_ number: Int) throws -> PushAttempt {
    var message = PushMessage()
    message.title = "Tide"
    message.body = "High water at the gauge: \(number) cm above the mark"
    let digits = String(number, radix: 16)
    let token = String(repeating: "a", count: 64 - digits.count) + digits
    let now = Instant(seconds: Int64(Date().timeIntervalSince1970))
    return PushAttempt(
        id: "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits, message: message,
        topic: "bench",
        target: .apns(
            APNsDestination(try APNsTarget(token: token, bundle: "com.example.app"), environment: .production)),
        created: now, now: now)
}

var settings = APNsSettings(
    signer: try APNsSigner(
        keyID: "ABC123DEFG", teamID: "TEAM123456", key: try PrivateKeyFile.text(arguments[3], field: "key")))
settings.origins = [.production: arguments[1]]
settings.authorities = arguments[2]
let channel = APNsChannel(settings, logger: Logger(label: "bench"))
let idle = memory("VmRSS")
// The first push opens the connection.
guard await channel.send(try attempt(0)).verdict == .accepted else {
    FileHandle.standardError.write(Data("the stand-in did not accept a push\n".utf8))
    exit(1)
}
let clock = ContinuousClock()
let (begin, beginTime) = (clock.now, processorTime())
let results = await withTaskGroup(of: (Int, [Double]).self) { group in
    for lane in 0..<inFlight {
        group.addTask {
            var accepted = 0
            var times: [Double] = []
            for number in stride(from: lane + 1, through: count, by: inFlight) {
                let start = clock.now
                guard let attempt = try? attempt(number) else { continue }
                if await channel.send(attempt).verdict == .accepted { accepted += 1 }
                times.append((clock.now - start) / .milliseconds(1))
            }
            return (accepted, times)
        }
    }
    var sum = (0, [Double]())
    for await part in group {
        sum.0 += part.0
        sum.1 += part.1
    }
    return sum
}
let seconds = (clock.now - begin) / .seconds(1)
let times = results.1.sorted()
func quantile(_ share: Double) -> Double { times.isEmpty ? 0 : times[Int(Double(times.count - 1) * share)] }
print(
    """
    {"accepted": \(results.0), "seconds": \(seconds), "per_second": \(Double(results.0) / seconds), \
    "p50_ms": \(quantile(0.5)), "p99_ms": \(quantile(0.99)), "cpu_us": \((processorTime() - beginTime) / Double(count) * 1e6), \
    "idle_kib": \(idle), "peak_kib": \(memory("VmHWM"))}
    """)
await channel.shutdown(within: .seconds(1))
