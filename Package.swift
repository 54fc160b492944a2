// swift-tools-version: 6.2
import PackageDescription

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
        .executable(name: "fake-apns", targets: ["FakeAPNsServer"]),
        .executable(name: "fake-ollama", targets: ["FakeOllamaServer"]),
        .executable(name: "fake-providers", targets: ["FakeProvidersServer"]),
        .library(name: "Retrieval", targets: ["Retrieval"]),
        .library(name: "GatewayClient", targets: ["GatewayClient", "GatewayAPI"]),
    ],
    // Exact versions, so that two clones build the same: Package.resolved would pin commits, too, and a mirror's commits are
    // others than those of the source it copies. To update, raise the numbers and run `make check`.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
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
            name: "CCrypto", path: "Sources/C/CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CBLAS", path: "Sources/C/CBLAS", providers: [.apt(["libblas-dev", "libopenblas0-pthread"])]),
        .systemLibrary(name: "CMemory", path: "Sources/C/CMemory"),
        .target(name: "CKernels", path: "Sources/C/CKernels"),
        .target(name: "CMappedFile", path: "Sources/C/CMappedFile"),
        .target(name: "CChildProcess", path: "Sources/C/CChildProcess"),
        .target(name: "CSamples", path: "Sources/C/CSamples"),
        .target(name: "CSite", path: "Sources/C/CSite"),
        .systemLibrary(
            name: "CPostgres", path: "Sources/C/CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/C/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CQPDF", path: "Sources/C/CQPDF", pkgConfig: "libqpdf",
            providers: [.apt(["libqpdf-dev"]), .brew(["qpdf"])]),
        .systemLibrary(
            name: "CZip", path: "Sources/C/CZip", pkgConfig: "libzip",
            providers: [.apt(["libzip-dev"]), .brew(["libzip"])]),
        .systemLibrary(
            name: "CXML", path: "Sources/C/CXML", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(
            name: "CMarkdown", path: "Sources/C/CMarkdown", pkgConfig: "libcmark-gfm",
            providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"]), .brew(["cmark-gfm"])]),
        .systemLibrary(
            name: "CICU", path: "Sources/C/CICU", pkgConfig: "icu-uc",
            providers: [.apt(["libicu-dev"]), .brew(["icu4c"])]),
        .target(
            name: "CCharset", dependencies: ["CICU"], path: "Sources/C/CCharset",
            linkerSettings: [.linkedLibrary("icuuc"), .linkedLibrary("icui18n")]),

        .target(name: "GatewayAPI", path: "Sources/API/GatewayAPI"),
        .target(name: "GatewayClient", dependencies: ["GatewayAPI"], path: "Sources/API/GatewayClient"),

        .target(name: "Concurrency", path: "Sources/Engines/Concurrency"),
        // Apple's systems have CryptoKit.
        .target(
            name: "Cryptography", dependencies: [.target(name: "CCrypto", condition: .when(platforms: [.linux]))],
            path: "Sources/Engines/Cryptography"),
        .target(name: "Machine", dependencies: ["CMemory"], path: "Sources/Engines/Machine"),
        .target(name: "Text", dependencies: ["CMemory"], path: "Sources/Engines/Text"),
        .target(name: "Language", dependencies: ["Text"], path: "Sources/Engines/Language"),
        .target(name: "Citations", dependencies: ["Language", "Text"], path: "Sources/Engines/Citations"),
        .target(
            name: "Documents", dependencies: ["Text", "CCharset", "CMarkdown", "CQPDF", "CXML", "CZip", "CZlib"],
            path: "Sources/Engines/Documents"),
        .target(name: "Transport", dependencies: ["CCurl", "Machine", nioCore], path: "Sources/Engines/Transport"),
        .target(
            name: "Retrieval", dependencies: ["CBLAS", "CMemory", "CKernels", "CMappedFile", "Text"],
            path: "Sources/Engines/Retrieval"
        ),
        .target(name: "QRCode", path: "Sources/Engines/QRCode"),
        .target(name: "Schedules", path: "Sources/Engines/Schedules"),
        .target(name: "Delivery", dependencies: ["Schedules"], path: "Sources/Engines/Delivery"),
        .target(
            name: "Push", dependencies: ["Delivery", "GatewayAPI", "Machine", "Prompts", "Schedules", "Cryptography"],
            path: "Sources/Engines/Push"),
        .target(name: "Goals", dependencies: ["Language", "Schedules", "Text"], path: "Sources/Engines/Goals"),
        .target(name: "Questions", dependencies: ["Goals", "Language"], path: "Sources/Engines/Questions"),
        .target(name: "Communities", dependencies: ["Text"], path: "Sources/Engines/Communities"),
        .target(
            name: "ActionItems", dependencies: ["Citations", "Goals", "Language"],
            path: "Sources/Engines/ActionItems"),
        .target(name: "Facts", dependencies: ["Citations", "Language", "Text"], path: "Sources/Engines/Facts"),
        .target(name: "Evaluation", path: "Sources/Engines/Evaluation"),
        .target(name: "ChatRun", dependencies: ["GatewayAPI", "Text"], path: "Sources/Engines/ChatRun"),
        .target(name: "Folders", dependencies: ["Text"], path: "Sources/Engines/Folders"),
        .target(
            name: "Ingest",
            dependencies: ["Cryptography", "Documents", "Text", .product(name: "Yams", package: "Yams")],
            path: "Sources/Engines/Ingest"),
        .target(
            name: "Prompts",
            dependencies: [.product(name: "Mustache", package: "swift-mustache")],
            path: "Prompts",
            resources: [.embedInCode("Templates"), .embedInCode("Library")]),

        .target(name: "Database", dependencies: ["GatewayAPI", "Machine"], path: "Sources/Database"),
        .target(
            name: "JobRoom", dependencies: ["Database", "GatewayAPI", "Machine"], path: "Sources/Rooms/JobRoom"),
        .target(
            name: "ChatRoom", dependencies: ["Database", "GatewayAPI", "Machine", "Text"],
            path: "Sources/Rooms/ChatRoom"),
        .target(
            name: "BookRoom", dependencies: ["Database", "GatewayAPI", "Machine", "Text"],
            path: "Sources/Rooms/BookRoom"),
        .target(
            name: "GoalRoom", dependencies: ["Database", "GatewayAPI", "Goals", "Schedules", "Text", "Cryptography"],
            path: "Sources/Rooms/GoalRoom"),
        .target(
            name: "KeyRoom", dependencies: ["Cryptography", "Database", "GatewayAPI"], path: "Sources/Rooms/KeyRoom"),
        .target(
            name: "AssociationRoom", dependencies: ["Database", "GatewayAPI"], path: "Sources/Rooms/AssociationRoom"),
        .target(name: "BriefingRoom", dependencies: ["Database"], path: "Sources/Rooms/BriefingRoom"),
        .target(name: "ThreadRoom", dependencies: ["Database", "GatewayAPI"], path: "Sources/Rooms/ThreadRoom"),
        .target(
            name: "TaskRoom", dependencies: ["Database", "GatewayAPI", "Cryptography"], path: "Sources/Rooms/TaskRoom"),
        .target(name: "PromptRoom", dependencies: ["Database", "GatewayAPI"], path: "Sources/Rooms/PromptRoom"),
        .target(
            name: "EvaluationRoom", dependencies: ["Database", "GatewayAPI"], path: "Sources/Rooms/EvaluationRoom"),
        .target(
            name: "SourceRoom", dependencies: ["Database", "GatewayAPI", "Machine"], path: "Sources/Rooms/SourceRoom"),
        .target(name: "AuditRoom", dependencies: ["Database", "GatewayAPI"], path: "Sources/Rooms/AuditRoom"),
        .target(
            name: "PushRoom", dependencies: ["Database", "GatewayAPI", "Machine", "Text"],
            path: "Sources/Rooms/PushRoom"),

        .target(name: "Traffic", path: "Sources/Services/Traffic"),
        .target(
            name: "Storage",
            dependencies: [
                "Database", "EvaluationRoom", "JobRoom", "PromptRoom", "ChatRoom", "BookRoom", "GatewayAPI", "Machine",
                "Text", "Goals", "Traffic", "Cryptography", "GoalRoom", "PushRoom", "Schedules", "KeyRoom",
                "AssociationRoom", "BriefingRoom", "ThreadRoom", "TaskRoom", "AuditRoom", "SourceRoom",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Sources/Services/Storage"),
        .target(
            name: "PostgresStorage",
            dependencies: [
                "KeyRoom", "Database", "ChatRoom", "JobRoom", "PromptRoom", "BookRoom",
                "CPostgres", "Concurrency", "GatewayAPI", "Machine", "Retrieval", "Storage", "Text", "Cryptography",
                logging,
            ],
            path: "Sources/Services/PostgresStorage"),
        .target(
            name: "Inference",
            dependencies: ["Transport", "GatewayAPI", "Cryptography", nioCore, logging],
            path: "Sources/Services/Inference"),
        .target(
            name: "Access",
            dependencies: [
                "Database", "GatewayAPI", "KeyRoom", "Inference", "Transport", "Cryptography", logging,
            ],
            path: "Sources/Services/Access"),
        .target(name: "Audit", dependencies: ["AuditRoom", "GatewayAPI", logging], path: "Sources/Services/Audit"),
        .target(
            name: "Telemetry", dependencies: ["GatewayAPI", "Inference", "Transport", logging, nioCore, lifecycle],
            path: "Sources/Services/Telemetry"),
        .target(name: "Tools", dependencies: ["GatewayAPI", "Text"], path: "Sources/Services/Tools"),
        .target(
            name: "Finding", dependencies: ["Access", "GatewayAPI", "Goals", "Questions", "Schedules", "Text"],
            path: "Sources/Services/Finding"),
        .target(
            name: "DocumentReading", dependencies: ["Documents", "CChildProcess"],
            path: "Sources/Services/DocumentReading"),
        .target(
            name: "PushChannels",
            dependencies: [
                "Machine", "Push", "PushRoom", "Delivery", "GatewayAPI", "Schedules", "Transport", "Cryptography",
                nioCore,
                logging,
            ],
            path: "Sources/Services/PushChannels"),
        .target(
            name: "Certificates",
            dependencies: [
                "GatewayAPI", "Machine", "Cryptography", logging, lifecycle,
            ],
            path: "Sources/Services/Certificates"),
        .target(
            name: "Server",
            dependencies: [
                "Access", "Audit", "GatewayAPI", "Machine", "Telemetry", "Text", "Traffic", "Cryptography", httpTypes,
                hummingbird,
                logging,
                nioCore,
                lifecycle,
                .product(name: "Yams", package: "Yams"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            path: "Sources/Services/Server"),

        .target(
            name: "LLM",
            dependencies: [
                "Audit", "KeyRoom",
                "Machine", "Inference", "Transport", "Access", "Server", "Telemetry", "GatewayAPI", httpTypes,
                hummingbird, logging,
                nioCore,
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Features/LLM",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Search",
            dependencies: [
                "ChatRoom",
                "Database",
                "BookRoom",
                "JobRoom",
                "AssociationRoom", "ThreadRoom",
                "Storage", "PostgresStorage", "Retrieval", "Inference", "Transport", "Text", "Machine", "Goals",
                "Questions", "Schedules", "Concurrency", "Finding",
                "Access", "Tools", "Server", "GatewayAPI", httpTypes, hummingbird, logging, lifecycle,
            ],
            path: "Sources/Features/Search",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Notes",
            dependencies: [
                "BookRoom", "JobRoom", "PushRoom", "KeyRoom",
                "AssociationRoom", "BriefingRoom", "ThreadRoom", "TaskRoom",
                "ActionItems", "Concurrency", "Storage", "Machine", "Communities", "Citations", "Goals", "Ingest",
                "Language", "Schedules", "Access", "Text",
                "Tools", "Inference", "Prompts", "Transport", "Server", "GatewayAPI", httpTypes, hummingbird, logging,
                "Cryptography", nioCore, lifecycle,
            ],
            path: "Sources/Features/Notes",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Conversations",
            dependencies: [
                "ChatRoom", "Storage", "Access", "Server", "GatewayAPI", httpTypes, hummingbird,
            ],
            path: "Sources/Features/Conversations",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Chat",
            dependencies: [
                "KeyRoom", "ChatRoom", "JobRoom", "Database", "BookRoom",
                "TaskRoom",
                "ChatRun", "Concurrency", "Citations", "Facts", "Machine", "Retrieval", "Prompts", "Transport",
                "Storage",
                "Inference", "Access", "Tools", "Text", "Search", "Server", "GatewayAPI", httpTypes, hummingbird,
                logging, nioCore, lifecycle,
                "Cryptography",
            ],
            path: "Sources/Features/Chat",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "PromptLibrary",
            dependencies: [
                "KeyRoom",
                "Database", "PromptRoom",
                "Prompts", "Text", "Storage", "Access", "Tools", "Server", "GatewayAPI", httpTypes, hummingbird,
                "Cryptography",
            ],
            path: "Sources/Features/PromptLibrary",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Web",
            dependencies: [
                "Audit", "Database", "KeyRoom",
                "CSite", "CZlib", "Machine", "QRCode", "Access", "Certificates", "Server", "GatewayAPI",
                httpTypes,
                hummingbird,
                logging, lifecycle, nioCore, "Cryptography",
            ],
            path: "Sources/Features/Web",
            exclude: ["Site"],
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Jobs",
            dependencies: [
                "Database", "JobRoom",
                "Machine", "Storage", "Access", "Server", "GatewayAPI", httpTypes, hummingbird, logging, nioCore,
                lifecycle,
            ],
            path: "Sources/Features/Jobs",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "NoteSources",
            dependencies: [
                "Database", "SourceRoom", "Folders", "Ingest", "Concurrency", "Machine", "Storage", "Text", "Access",
                "Server", "GatewayAPI", httpTypes, hummingbird, logging, lifecycle,
            ],
            path: "Sources/Features/NoteSources",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "WebSearch",
            dependencies: [
                "Documents", "DocumentReading", "Inference", "Transport", "Text", "Access", "Server", "GatewayAPI",
                httpTypes, hummingbird, nioCore,
            ],
            path: "Sources/Features/WebSearch",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Books",
            dependencies: [
                "Database",
                "BookRoom",
                "JobRoom",
                "Storage", "Documents", "DocumentReading", "Machine", "Retrieval", "Inference", "Transport", "Text",
                "Access", "Search", "Tools", "Server", "GatewayAPI", httpTypes, hummingbird, logging, nioCore,
                lifecycle,
                "Cryptography", "Finding", "Questions",
            ],
            path: "Sources/Features/Books",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "GoalTracking",
            dependencies: [
                "Database", "GoalRoom", "PushRoom",
                "Storage", "Goals", "Schedules", "Inference", "Transport", "Access", "Tools", "Server", "GatewayAPI",
                httpTypes, hummingbird,
                nioCore, "Cryptography", "Text", logging, lifecycle, "Finding", "Questions",
            ],
            path: "Sources/Features/Goals",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Find",
            dependencies: [
                "ChatRoom", "Database", "Finding", "Storage", "Concurrency", "Goals", "Questions", "Retrieval",
                "Schedules", "Text", "Access", "Server", "GatewayAPI", httpTypes, hummingbird,
            ],
            path: "Sources/Features/Find",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Notifications",
            dependencies: [
                "Database", "PushRoom", "KeyRoom",
                "AssociationRoom", "BriefingRoom", "ChatRoom", "JobRoom", "ThreadRoom",
                "Push", "PushChannels", "Delivery", "Machine", "Schedules", "Transport", "Storage", "Access", "Server",
                "GatewayAPI",
                httpTypes, hummingbird, logging, nioCore, lifecycle, "Cryptography",
            ],
            path: "Sources/Features/Notifications",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "MCP",
            dependencies: [
                "KeyRoom", "Database",
                "BookRoom",
                "Storage", "Access", "Text", "Tools", "Server", "GatewayAPI", httpTypes, hummingbird, nioCore,
                lifecycle,
            ],
            path: "Sources/Features/MCP",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Console",
            dependencies: [
                "AuditRoom", "KeyRoom", "Database", "EvaluationRoom", "JobRoom",
                "Machine", "Storage", "Access", "Server", "GatewayAPI", "Evaluation", "Retrieval", "Inference", "Text",
                "Traffic", "Transport", httpTypes, hummingbird, logging, nioCore, lifecycle,
            ],
            path: "Sources/Features/Console",
            resources: [.embedInCode("openapi.yaml")]),
        .target(
            name: "Backfill",
            dependencies: [
                "JobRoom",
                "Concurrency", "Machine", "Storage", "PostgresStorage", "Inference", "Transport", "Text", "Server",
                "GatewayAPI",
                logging, lifecycle,
            ],
            path: "Sources/Features/Backfill"),

        .target(
            name: "StoreMigration", dependencies: ["Database", "KeyRoom", "Storage"],
            path: "Sources/Features/StoreMigration"),

        .target(
            name: "Gateway",
            dependencies: [
                "Audit", "AuditRoom", "Database", "ChatRoom", "JobRoom", "PromptRoom", "BookRoom", "GoalRoom",
                "KeyRoom",
                "GatewayAPI", "Retrieval", "Machine", "Traffic", "Transport", "Storage", "PostgresStorage", "Inference",
                "Access", "Telemetry",
                "Certificates", "Server", "LLM", "Search", "Notes", "Conversations", "Chat", "Tools", "Prompts",
                "PromptLibrary",
                "Jobs", "Web", "WebSearch", "NoteSources", "Backfill", "Books", "Console", "GoalTracking",
                "Notifications", "MCP",
                "Documents", "Find", "Finding",
                httpTypes,
                hummingbird,
                logging, nioCore, lifecycle,
                .product(name: "HummingbirdCore", package: "hummingbird"),
            ],
            path: "Sources/App/Gateway",
            resources: [.embedInCode("openapi.yaml")]),
        .executableTarget(
            name: "CLI",
            dependencies: [
                "Audit", "AuditRoom", "KeyRoom", "Database", "BookRoom", "PushRoom",
                "CSamples", "GatewayAPI", "GatewayClient", "Gateway", "Retrieval", "Evaluation", "Storage",
                "PostgresStorage", "Inference", "Transport", "Certificates", "Server", "Search", "LLM", "Notes", "Web",
                "QRCode",
                "Backfill", "Books", "WebSearch", "NoteSources", "Find", "Finding",
                "Documents", "DocumentReading", "Text", "Chat", "Tools", "Ingest", "MCP", "Notifications",
                "PushChannels", "Facts", "Machine", "Console", "Prompts", "StoreMigration", logging, nioCore, lifecycle,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Sources/App/CLI", exclude: ["SampleNotes", "SampleBook"]),

        .target(
            name: "FakeOllama",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Support/FakeOllama"),
        .executableTarget(
            name: "FakeOllamaServer",
            dependencies: [
                "FakeOllama",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Support/FakeOllamaServer"),
        .target(
            name: "FakeProviders",
            dependencies: [
                "FakeOllama",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Support/FakeProviders"),
        .target(
            name: "FakeAPNs",
            dependencies: [
                "Certificates", "Cryptography", nioCore,
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/Support/FakeAPNs"),
        .executableTarget(
            name: "FakeAPNsServer",
            dependencies: ["FakeAPNs", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/Support/FakeAPNsServer"),
        .executableTarget(
            name: "DocumentReaderChild", dependencies: ["DocumentReading"], path: "Tests/Support/DocumentReaderChild"),
        .executableTarget(
            name: "FakeProvidersServer",
            dependencies: [
                "FakeProviders", "FakeOllama",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Support/FakeProvidersServer"),
        // What all tests share needs none of our modules; what runs a whole gateway is a target of its own.
        .target(
            name: "TestSupport", dependencies: [.target(name: "CCrypto", condition: .when(platforms: [.linux]))],
            path: "Tests/Support/TestSupport"),
        .target(
            name: "StoreTestSupport",
            dependencies: [
                "Database", "GatewayAPI", "Machine", "PostgresStorage", "Storage", "TestSupport", logging,
            ],
            path: "Tests/Support/StoreTestSupport"),
        .target(
            name: "GatewayTestSupport",
            dependencies: [
                "KeyRoom", "PushRoom",
                "Database",
                "TestSupport", "StoreTestSupport", "FakeOllama", "GatewayAPI", "GatewayClient", "Gateway",
                "PostgresStorage", "Search", "Storage",
                "Inference",
                "Transport", "Access", "Backfill", "Certificates", logging, nioCore, lifecycle,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Support/GatewayTestSupport"),

        .executableTarget(
            name: "BareEcho", dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
            path: "Benchmarks/Proxy/BareEcho"),
        .executableTarget(
            name: "RetrievalBench", dependencies: ["Retrieval"], path: "Benchmarks/Retrieval/RetrievalBench"),
        .executableTarget(
            name: "KeywordBench", dependencies: ["Retrieval"], path: "Benchmarks/Retrieval/KeywordBench"),
        .executableTarget(
            name: "ScaleBench", dependencies: ["Retrieval"], path: "Benchmarks/Retrieval/ScaleBench"),
        .executableTarget(
            name: "DocumentsBench", dependencies: ["Documents"], path: "Benchmarks/Documents/DocumentsBench"),
        .executableTarget(
            name: "PushBench",
            dependencies: ["PushChannels", "Push", "Schedules", logging], path: "Benchmarks/Push/PushBench"),
        .executableTarget(
            name: "AssociationsBench", dependencies: ["Retrieval"], path: "Benchmarks/Retrieval/AssociationsBench"),
        .executableTarget(
            name: "ThreadsBench",
            dependencies: [
                "AssociationRoom", "ThreadRoom", "JobRoom",
                "GatewayAPI", "Goals", "Machine", "Notes", "Retrieval", "Schedules", "Storage",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], path: "Benchmarks/Retrieval/ThreadsBench"),
        .executableTarget(
            name: "MindBench",
            dependencies: [
                "ChatRoom", "JobRoom",
                "Facts", "GatewayAPI", "Goals", "Machine", "Notes", "Schedules", "Storage",
                .product(name: "GRDB", package: "GRDB.swift"),
            ], path: "Benchmarks/Operation/MindBench"),

        .testTarget(
            name: "GatewayAPITests", dependencies: ["GatewayAPI", "TestSupport"], path: "Tests/API/GatewayAPITests"),
        .testTarget(
            name: "GatewayClientTests",
            dependencies: [
                "GatewayClient", "GatewayAPI", "ChatRun", "Storage", "FakeOllama", "TestSupport", "GatewayTestSupport",
            ],
            path: "Tests/API/GatewayClientTests"),

        .testTarget(
            name: "EvaluationTests", dependencies: ["Evaluation", "TestSupport"],
            path: "Tests/Engines/EvaluationTests", resources: [.copy("Fixtures")]),
        .testTarget(name: "IngestTests", dependencies: ["Ingest", "TestSupport"], path: "Tests/Engines/IngestTests"),
        .testTarget(
            name: "PromptsTests", dependencies: ["Prompts", "TestSupport"], path: "Tests/Engines/PromptsTests"),
        .testTarget(
            name: "RetrievalTests", dependencies: ["Retrieval", "Text", "CKernels", "CMappedFile", "TestSupport"],
            path: "Tests/Engines/RetrievalTests"),
        .testTarget(
            name: "DocumentsTests", dependencies: ["Documents", "TestSupport"], path: "Tests/Engines/DocumentsTests"),
        .testTarget(
            name: "CitationsTests", dependencies: ["Citations", "Language", "TestSupport"],
            path: "Tests/Engines/CitationsTests", resources: [.copy("Fixtures")]),
        .testTarget(
            name: "ChatRunTests", dependencies: ["ChatRun", "GatewayAPI", "TestSupport"],
            path: "Tests/Engines/ChatRunTests"),
        .testTarget(
            name: "QRCodeTests", dependencies: ["QRCode", "TestSupport"], path: "Tests/Engines/QRCodeTests"),
        .testTarget(
            name: "SchedulesTests", dependencies: ["Schedules", "TestSupport"], path: "Tests/Engines/SchedulesTests",
            exclude: ["Oracle"], resources: [.copy("Fixtures")]),
        .testTarget(
            name: "DeliveryTests", dependencies: ["Delivery", "Schedules", "TestSupport"],
            path: "Tests/Engines/DeliveryTests"),
        .testTarget(
            name: "PushTests",
            dependencies: ["Push", "Delivery", "GatewayAPI", "Schedules", "TestSupport", "Cryptography"],
            path: "Tests/Engines/PushTests", exclude: ["Oracle"], resources: [.copy("Fixtures")]),
        .testTarget(
            name: "CryptographyTests", dependencies: ["Cryptography", "TestSupport"],
            path: "Tests/Engines/CryptographyTests"),
        .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency"], path: "Tests/Engines/ConcurrencyTests"),
        .testTarget(
            name: "MachineTests", dependencies: ["Machine", "TestSupport"], path: "Tests/Engines/MachineTests"),
        .testTarget(
            name: "GoalsTests", dependencies: ["Goals", "Language", "Schedules", "TestSupport"],
            path: "Tests/Engines/GoalsTests", exclude: ["Oracle"], resources: [.copy("Fixtures")]),
        .testTarget(
            name: "QuestionsTests", dependencies: ["Questions", "Goals", "Language", "TestSupport"],
            path: "Tests/Engines/QuestionsTests", resources: [.copy("Fixtures")]),
        .testTarget(
            name: "CommunitiesTests", dependencies: ["Communities", "TestSupport"],
            path: "Tests/Engines/CommunitiesTests"),
        .testTarget(
            name: "ActionItemsTests", dependencies: ["ActionItems", "Goals"],
            path: "Tests/Engines/ActionItemsTests", resources: [.copy("Fixtures")]),
        .testTarget(
            name: "FactsTests", dependencies: ["Facts"], path: "Tests/Engines/FactsTests",
            resources: [.copy("Fixtures")]),
        .testTarget(name: "LanguageTests", dependencies: ["Language"], path: "Tests/Engines/LanguageTests"),
        .testTarget(name: "TextTests", dependencies: ["Text", "TestSupport"], path: "Tests/Engines/TextTests"),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "Transport", "Certificates", "FakeAPNs", "FakeOllama", "Push", "Schedules", "TestSupport", nioCore,
            ],
            path: "Tests/Engines/TransportTests", exclude: ["Oracle"]),

        .testTarget(
            name: "AccessTests",
            dependencies: [
                "Database",
                "KeyRoom",
                "Access", "GatewayAPI", "Server", "Storage", "TestSupport", nioCore,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Services/AccessTests"),
        .testTarget(
            name: "CertificatesTests", dependencies: ["Certificates", "GatewayAPI", "Machine", "TestSupport"],
            path: "Tests/Services/CertificatesTests"),
        .testTarget(
            name: "DocumentReadingTests",
            dependencies: ["DocumentReading", "DocumentReaderChild", "Documents", "TestSupport"],
            path: "Tests/Services/DocumentReadingTests"),
        .testTarget(
            name: "InferenceTests",
            dependencies: [
                "Inference", "Transport", "GatewayAPI", "FakeOllama", "FakeProviders", "TestSupport", nioCore, logging,
            ],
            path: "Tests/Services/InferenceTests"),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "Access", "Server", "TestSupport", httpTypes, logging, nioCore,
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            path: "Tests/Services/ServerTests"),
        .testTarget(
            name: "PostgresStorageTests",
            dependencies: [
                "Database", "ChatRoom", "Text", "PostgresStorage", "GatewayAPI", "Machine", "Retrieval", "Storage",
                "StoreTestSupport", "TestSupport",
                logging, .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Services/PostgresStorageTests"),
        .testTarget(
            name: "StoreMigrationTests",
            dependencies: [
                "KeyRoom", "ChatRoom", "StoreMigration", "CLI", "PostgresStorage", "Storage", "GatewayAPI", "Machine",
                "Retrieval",
                "Database",
                "PromptRoom", "GoalRoom", "TaskRoom", "AssociationRoom", "Goals", "Schedules", "TestSupport",
                "GatewayTestSupport", logging,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Features/StoreMigrationTests"),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Database", "ChatRoom", "JobRoom", "PromptRoom", "BookRoom", "GoalRoom", "PushRoom", "KeyRoom",
                "AssociationRoom", "TaskRoom",
                "Storage", "Text", "GatewayAPI", "Goals", "Machine", "Schedules", "StoreTestSupport", "Traffic",
                "TestSupport",
                "Cryptography",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Services/StorageTests", resources: [.copy("Fixtures")]),
        .testTarget(
            name: "DatabaseTests", dependencies: ["Database", "Machine"], path: "Tests/DatabaseTests"),
        .testTarget(
            name: "RoomTests",
            dependencies: [
                "AssociationRoom", "Audit", "AuditRoom", "BookRoom", "BriefingRoom", "ChatRoom", "EvaluationRoom",
                "GoalRoom", "JobRoom", "KeyRoom",
                "PromptRoom", "PushRoom", "TaskRoom", "ThreadRoom", "Database", "GatewayAPI", "Goals", "Machine",
                "PostgresStorage", "Schedules", "Storage", "StoreTestSupport", "TestSupport", "Text", logging,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Rooms"),
        .testTarget(
            name: "TelemetryTests", dependencies: ["Telemetry", "Inference", "Transport", "TestSupport", logging],
            path: "Tests/Services/TelemetryTests"),
        .testTarget(name: "TrafficTests", dependencies: ["Traffic"], path: "Tests/Services/TrafficTests"),
        .testTarget(
            name: "ToolsTests", dependencies: ["Tools", "GatewayAPI", "TestSupport"], path: "Tests/Services/ToolsTests"),

        .testTarget(
            name: "BackfillTests",
            dependencies: [
                "Backfill", "Storage", "Inference", "Transport", "Text", "FakeOllama", "TestSupport", logging,
            ],
            path: "Tests/Features/BackfillTests"),
        .testTarget(
            name: "NotificationsTests",
            dependencies: [
                "JobRoom", "PushRoom", "KeyRoom",
                "AssociationRoom", "ThreadRoom",
                "Notifications", "Push", "PushChannels", "Delivery", "Machine", "Schedules", "Server", "Storage",
                "GatewayAPI", "TestSupport", logging, lifecycle, .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Features/NotificationsTests"),
        .testTarget(
            name: "FoldersTests", dependencies: ["Folders", "TestSupport"], path: "Tests/Engines/FoldersTests"),
        .testTarget(
            name: "NoteSourcesTests",
            dependencies: [
                "NoteSources", "SourceRoom", "Folders", "Ingest", "Notes", "Machine", "Storage", "GatewayAPI",
                "StoreTestSupport", "TestSupport", logging,
            ],
            path: "Tests/Features/NoteSourcesTests"),
        .testTarget(
            name: "WebSearchTests",
            dependencies: [
                "WebSearch", "Documents", "DocumentReaderChild", "Transport", "TestSupport",
            ],
            path: "Tests/Features/WebSearchTests"),
        .testTarget(
            name: "BooksTests",
            dependencies: [
                "Database", "BookRoom",
                "Books", "Documents", "DocumentReading", "DocumentReaderChild", "Storage", "Retrieval", "Inference",
                "Transport", "Search", "Access", "Text", "GatewayAPI", "FakeOllama", "TestSupport", logging,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Features/BooksTests"),
        .testTarget(
            name: "GoalTrackingTests",
            dependencies: [
                "Database", "GoalRoom",
                "GoalTracking", "Goals", "PushRoom", "Schedules", "Storage", "Tools", "Inference", "Transport",
                "GatewayAPI",
                "TestSupport", logging,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Features/GoalTrackingTests"),
        .testTarget(
            name: "NotesTests",
            dependencies: [
                "AssociationRoom", "ThreadRoom", "JobRoom", "TaskRoom",
                "Notes", "Communities", "Goals", "Inference", "Machine", "Schedules", "Server", "Storage", "Tools",
                "Transport", "GatewayAPI", "TestSupport", logging, .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Features/NotesTests"),
        .testTarget(
            name: "ChatTests", dependencies: ["Chat", "GatewayAPI", "Tools", "TestSupport"],
            path: "Tests/Features/ChatTests"),
        .testTarget(
            name: "PushChannelsTests",
            dependencies: [
                "PushChannels", "Push", "Delivery", "FakeAPNs", "GatewayAPI", "Schedules", "Transport", "TestSupport",
                "Cryptography", logging,
            ],
            path: "Tests/Services/PushChannelsTests", exclude: ["Oracle"]),

        .testTarget(
            name: "LLMTests",
            dependencies: ["LLM", "Inference", "Transport", "GatewayAPI", "TestSupport", httpTypes, nioCore],
            path: "Tests/Features/LLMTests"),
        .testTarget(
            name: "MCPTests",
            dependencies: ["BookRoom", "MCP", "Notes", "Storage", "Tools", "GatewayAPI", "TestSupport"],
            path: "Tests/Features/MCPTests"),
        .testTarget(
            name: "WebTests", dependencies: ["Web", "TestSupport"], path: "Tests/Features/WebTests"),
        .testTarget(
            name: "FindTests",
            dependencies: ["Access", "Concurrency", "Find", "Finding", "GatewayAPI", "Goals", "Schedules"],
            path: "Tests/Features/FindTests"),
        .testTarget(
            name: "SearchTests",
            dependencies: [
                "ChatRoom",
                "Search", "Storage", "Retrieval", "Access", "GatewayAPI", "Inference", "Server", "Text", "Transport",
                "TestSupport", logging, .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Features/SearchTests"),

        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Database", "EvaluationRoom", "JobRoom", "PromptRoom", "ChatRoom", "BookRoom", "PushRoom", "KeyRoom",
                "AssociationRoom", "ThreadRoom",
                "CLI", "Gateway", "GatewayAPI", "GatewayClient", "Storage", "PostgresStorage", "Inference", "Transport",
                "Access", "Server",
                "LLM", "Search", "Jobs", "Machine", "Text", "Web", "Certificates", "Backfill", "Books", "Notifications",
                "Chat", "ChatRun", "Prompts", "Tools",
                "FakeAPNs", "FakeOllama", "FakeProviders", "TestSupport",
                "GatewayTestSupport", "StoreTestSupport",
                httpTypes, logging, nioCore,
                "Cryptography",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Tests/App/GatewayTests", exclude: ["Server/HTTP2/h2_client.py"]),
        .testTarget(
            name: "CLITests",
            dependencies: [
                "ChatRoom", "CLI", "GatewayAPI", "GatewayClient", "Evaluation", "Machine", "Storage", "FakeOllama",
                "FakeProviders", "BookRoom", "PushRoom", "KeyRoom",
                "Database", "PostgresStorage", "ThreadRoom",
                "FakeAPNs", "Server", "TestSupport", "GatewayTestSupport", logging,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/App/CLITests"),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "KeyRoom", "ChatRoom", "CLI", "FakeOllamaServer", "GatewayAPI", "Machine", "Storage", "FakeOllama",
                "FakeAPNs",
                "TestSupport", "BookRoom",
                "AssociationRoom", "TaskRoom", "ThreadRoom",
                "GatewayTestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "FakeOllamaTests", dependencies: ["FakeOllama", "TestSupport"], path: "Tests/Support/FakeOllamaTests"),
    ],
    swiftLanguageModes: [.v6]
)

/// `make fuzz` sets this to the path of clang's libFuzzer without a main function. The parsers are then instrumented, with
/// the address sanitizer, and driven by Tests/Fuzz. Without it, the suite runs a sample of the same targets.
let fuzzed: Set<String> = [
    "Access", "Citations", "DocumentReading", "Documents", "Evaluation", "Gateway", "GatewayAPI", "GatewayClient",
    "Goals", "Inference", "Ingest", "Language", "LLM", "MCP", "Push", "Retrieval", "Schedules", "Search", "Server",
    "Storage", "Text", "Tools", "Transport",
]
let fuzzedProducts: [Target.Dependency] = [
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOEmbedded", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
]
let fuzzer = Context.environment["SELENE_FUZZER"]
let fuzzing: [Target.Dependency] = fuzzed.sorted().map { .byName(name: $0) } + fuzzedProducts
if let fuzzer {
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: fuzzing,
            path: "Tests/Fuzz", exclude: ["Seeds", "Sample.swift", "SampleTests.swift"],
            linkerSettings: [.unsafeFlags(["-sanitize=address", fuzzer, "-lstdc++"])]))
} else {
    package.targets.append(
        .testTarget(
            name: "FuzzTests", dependencies: fuzzing + ["TestSupport"],
            path: "Tests/Fuzz", exclude: ["Seeds", "main.swift"]))
}

#if os(Linux)
// The program of a package (`make dist`): no symbols for other libraries, few bytes for the loader, and of ICU's data what is used.
if Context.environment["SELENE_DIST"] != nil {
    package.targets.first { $0.name == "CLI" }?.linkerSettings = [
        .unsafeFlags([
            "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
            Context.packageDirectory + "/.build/icu-data.o",
        ])
    ]
}
#endif

/// Modules that touch C pointers also mark every unsafe expression.
let memorySafe: Set<String> = [
    "Cryptography", "Machine", "Text", "Documents", "DocumentReading", "Transport", "Retrieval", "Storage",
    "PostgresStorage",
    "Inference",
    "Server", "Notes", "Web", "Certificates", "Books", "Push", "PushChannels", "Notifications",
]
/// Modules in C have no Swift settings.
let inC: Set<String> = ["CCharset", "CChildProcess", "CKernels", "CMappedFile", "CSamples", "CSite"]
for target in package.targets where target.type != .system && !inC.contains(target.name) {
    var settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]
    // With Swift's libraries linked statically, the compiler takes fields of C's own types for those of NIO's C modules.
    if Context.environment["SELENE_DIST"] == nil {
        settings.append(.enableUpcomingFeature("MemberImportVisibility"))
    }
    settings += [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
    if memorySafe.contains(target.name) { settings.append(.strictMemorySafety()) }
    if fuzzer != nil, fuzzed.contains(target.name) { settings.append(.unsafeFlags(["-sanitize=fuzzer,address"])) }
    target.swiftSettings = settings
}
