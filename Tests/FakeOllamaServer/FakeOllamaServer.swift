@main struct FakeOllamaServer { static func main() {} }
