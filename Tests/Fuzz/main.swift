import Foundation

// libFuzzer's driver, from clang's runtime library.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
guard let target = Target.all[name] else {
    print(Target.all.keys.sorted().joined(separator: "\n"))
    exit(name.isEmpty ? 0 : 64)
}
Target.current.set(target)
var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
    runDriver(&count, &arguments) { bytes, count in
        Target.current.run([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    })
