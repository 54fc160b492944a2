// swift-tools-version: 6.2
import PackageDescription

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")

let package = Package(
    name: "selene-gateway",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "selene", targets: ["CLI"]),
        .executable(name: "fake-ollama", targets: ["FakeOllamaServer"]),
        .library(name: "Retrieval", targets: ["Retrieval"]),
        .library(name: "GatewayClient", targets: ["GatewayClient", "GatewayAPI"]),
    ],
    // Exact versions, so that two clones build the same: Package.resolved would pin commits, too, and a mirror's commits are
    // others than those of the source it copies. To update, raise the numbers and run `make check`.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CCurl", path: "Sources/C/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CBLAS", path: "Sources/C/CBLAS", providers: [.apt(["libblas-dev", "libopenblas0-pthread"])]),
        .systemLibrary(name: "CMemory", path: "Sources/C/CMemory"),
        .target(name: "CKernels", path: "Sources/C/CKernels"),
        .target(name: "CMappedFile", path: "Sources/C/CMappedFile"),

        .target(name: "GatewayAPI", path: "Sources/API/GatewayAPI"),
        .target(name: "GatewayClient", dependencies: ["GatewayAPI"], path: "Sources/API/GatewayClient"),

        .target(name: "Machine", path: "Sources/Engines/Machine"),
        .target(name: "Text", dependencies: ["CMemory"], path: "Sources/Engines/Text"),
        .target(name: "Citations", dependencies: ["Text"], path: "Sources/Engines/Citations"),
        .target(name: "Transport", dependencies: ["CCurl", nioCore], path: "Sources/Engines/Transport"),
        .target(
            name: "Retrieval", dependencies: ["CBLAS", "CMemory", "CKernels", "CMappedFile", "Text"],
            path: "Sources/Engines/Retrieval"
        ),
        .target(name: "Evaluation", path: "Sources/Engines/Evaluation"),
        .target(
            name: "Ingest", dependencies: [.product(name: "Yams", package: "Yams")], path: "Sources/Engines/Ingest"),
        .target(
            name: "Prompts",
            dependencies: [.product(name: "Mustache", package: "swift-mustache")],
            path: "Prompts",
            resources: [.embedInCode("Templates")]),

        .target(
            name: "Storage",
            dependencies: ["GatewayAPI", "Text", .product(name: "GRDB", package: "GRDB.swift"), crypto],
            path: "Sources/Services/Storage"),
        .target(
            name: "Inference",
            dependencies: ["Transport", "GatewayAPI", crypto, nioCore, logging],
            path: "Sources/Services/Inference"),
        .target(
            name: "Access", dependencies: ["Storage", "Inference", "Transport", logging],
            path: "Sources/Services/Access"),
        .target(
            name: "Server",
            dependencies: [
                "Access", "Storage", "GatewayAPI", "Machine", httpTypes, hummingbird, logging, nioCore, lifecycle,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            path: "Sources/Services/Server"),

        .target(
            name: "LLM",
            dependencies: [
                "Inference", "Transport", "Access", "Storage", "Server", "GatewayAPI", httpTypes, hummingbird, logging,
                nioCore,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Features/LLM"),
        .target(
            name: "Search",
            dependencies: [
                "Storage", "Retrieval", "Inference", "Transport", "Text", "Machine", "Access", "Server", "GatewayAPI",
                httpTypes, hummingbird, logging, lifecycle,
            ],
            path: "Sources/Features/Search"),
        .target(
            name: "Notes",
            dependencies: ["Storage", "Access", "Server", "GatewayAPI", httpTypes, hummingbird, crypto],
            path: "Sources/Features/Notes"),
        .target(
            name: "Conversations",
            dependencies: ["Storage", "Access", "Server", "GatewayAPI", httpTypes, hummingbird],
            path: "Sources/Features/Conversations"),
        .target(
            name: "Jobs",
            dependencies: [
                "Storage", "Access", "Server", "GatewayAPI", httpTypes, hummingbird, logging, nioCore, lifecycle,
            ],
            path: "Sources/Features/Jobs"),
        .target(
            name: "Backfill",
            dependencies: ["Storage", "Inference", "Transport", "Text", "GatewayAPI", logging, lifecycle],
            path: "Sources/Features/Backfill"),

        .target(
            name: "Gateway",
            dependencies: [
                "GatewayAPI", "Retrieval", "Machine", "Transport", "Storage", "Inference", "Access", "Server", "LLM",
                "Search", "Notes", "Conversations", "Jobs", "Backfill", httpTypes, hummingbird, logging, nioCore,
                lifecycle,
                .product(name: "HummingbirdCore", package: "hummingbird"),
            ],
            path: "Sources/App/Gateway",
            resources: [.embedInCode("Resources/openapi.yaml")]),
        .executableTarget(
            name: "CLI",
            dependencies: [
                "GatewayAPI", "GatewayClient", "Gateway", "Retrieval", "Evaluation", "Storage", "Inference",
                "Transport", "Server", "Search", "LLM", "Backfill", "Text", "Ingest", "Prompts", logging, nioCore,
                lifecycle,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/App/CLI",
            resources: [.copy("SampleNotes")]),

        .target(
            name: "FakeOllama",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/FakeOllama"),
        .executableTarget(
            name: "FakeOllamaServer",
            dependencies: [
                "FakeOllama",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/FakeOllamaServer"),

        .executableTarget(
            name: "BareEcho", dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
            path: "Benchmarks/Proxy/BareEcho"),
        .executableTarget(
            name: "RetrievalBench", dependencies: ["Retrieval"], path: "Benchmarks/Retrieval/RetrievalBench"),
        .executableTarget(
            name: "KeywordBench", dependencies: ["Retrieval"], path: "Benchmarks/Retrieval/KeywordBench"),
        .executableTarget(
            name: "AssociationsBench", dependencies: ["Retrieval"], path: "Benchmarks/Retrieval/AssociationsBench"),

        .testTarget(name: "GatewayAPITests", dependencies: ["GatewayAPI"]),
        .testTarget(
            name: "GatewayClientTests",
            dependencies: [
                "GatewayClient", "GatewayAPI", "CLI", "Gateway", "Storage", "FakeOllama",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "EvaluationTests", dependencies: ["Evaluation"], resources: [.copy("Fixtures")]),
        .testTarget(name: "CitationsTests", dependencies: ["Citations"], resources: [.copy("Fixtures")]),
        .testTarget(name: "PromptsTests", dependencies: ["Prompts"]),
        .testTarget(name: "RetrievalTests", dependencies: ["Retrieval", "Text", "CKernels", "CMappedFile"]),
        .testTarget(
            name: "UpstreamTests",
            dependencies: [
                "Inference", "Transport", "GatewayAPI", "FakeOllama",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "StorageTests",
            dependencies: ["Storage", "Text", .product(name: "GRDB", package: "GRDB.swift")],
            resources: [.copy("Fixtures")]),
        .testTarget(name: "FakeOllamaTests", dependencies: ["FakeOllama"]),
        .testTarget(name: "IngestTests", dependencies: ["Ingest"]),
        .testTarget(
            name: "BackfillTests",
            dependencies: [
                "Backfill", "Storage", "Inference", "Transport", "Text", "FakeOllama",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "CLI", "FakeOllamaServer", "Backfill", "Gateway", "GatewayAPI", "Storage", "Inference", "Transport",
                "Access", "Server", "LLM", "Search", "Notes", "Conversations", "Jobs", "Machine", "Text", "FakeOllama",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Yams", package: "Yams"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

/// `make fuzz` sets this to the path of clang's libFuzzer without a main function. The parsers are then instrumented, with
/// the address sanitizer, and driven by Tests/Fuzz.
let fuzzed: Set<String> = [
    "Access", "Evaluation", "Gateway", "GatewayAPI", "GatewayClient", "Inference", "Ingest", "LLM", "Retrieval",
    "Search", "Server", "Storage", "Text", "Transport",
]
let fuzzer = Context.environment["SELENE_FUZZER"]
if let fuzzer {
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: fuzzed.sorted().map { .byName(name: $0) } + [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ],
            path: "Tests/Fuzz", exclude: ["Seeds"],
            linkerSettings: [.unsafeFlags(["-sanitize=address", fuzzer, "-lstdc++"])]))
}

/// Modules that touch C pointers also mark every unsafe expression.
let memorySafe: Set<String> = [
    "Machine", "Text", "Transport", "Retrieval", "Storage", "Inference", "Server", "Notes",
]
/// Modules in C have no Swift settings.
let inC: Set<String> = ["CKernels", "CMappedFile"]
for target in package.targets where target.type != .system && !inC.contains(target.name) {
    var settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
    if memorySafe.contains(target.name) { settings.append(.strictMemorySafety()) }
    if fuzzer != nil, fuzzed.contains(target.name) { settings.append(.unsafeFlags(["-sanitize=fuzzer,address"])) }
    target.swiftSettings = settings
}
