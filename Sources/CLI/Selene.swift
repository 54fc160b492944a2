@main struct Selene { static func main() {} }
