import DocumentReading
import Foundation

// A reading process for tests: reads a document, or misbehaves in the way that its argument names, behind the same limits.
let way = CommandLine.arguments.dropFirst().first ?? "read"
if way == "read" { exit(DocumentChild.run()) }
guard DocumentChild.limitProcess() else { exit(64) }

/// Writes to standard output until the reader is gone.
func put(_ bytes: [UInt8], times: Int = 1) {
    let output = FileHandle.standardOutput
    for _ in 0..<times {
        do { try output.write(contentsOf: Data(bytes)) } catch { exit(74) }
    }
}

switch way {
case "abort": abort()
case "segv": kill(getpid(), SIGSEGV)
case "exit": exit(7)
case "loop":
    var count: UInt64 = 0
    while getpid() > 0 { count &+= 1 }
    print(count)
case "wait": sleep(1000)
case "allocate":
    var kept: [[UInt8]] = []
    while getpid() > 0 { kept.append([UInt8](repeating: UInt8(kept.count & 0xFF), count: 1 << 20)) }
    print(kept.count)
case "flood": put([UInt8](repeating: 0x41, count: 1 << 16), times: 100_000)
case "long": put(Array("SDM1".utf8) + [0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 0, count: 1 << 16), times: 100)
case "short": put(Array("SDM1".utf8) + [100, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3])
case "garbage": put(Array("SDM1".utf8) + [4, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9])
case "more": put(Array("SDM1".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 9, 9])
case "deaf":
    // The output ends, the process does not.
    close(1)
    sleep(1000)
case "descriptors":
    // The open descriptors as an error's message.
    let open = (0..<256).filter { fcntl(CInt($0), F_GETFD) >= 0 }
    exit(open == [0, 1, 2, 3] ? 0 : 1)
case "write":
    // Writing files is forbidden.
    let path = NSTemporaryDirectory() + "/selene-child-\(getpid())"
    signal(SIGXFSZ, SIG_IGN)
    let file = open(path, O_CREAT | O_WRONLY, 0o600)
    let count = write(file, path, 1)
    unlink(path)
    exit(count == 1 ? 1 : 0)
default: exit(64)
}
exit(1)
