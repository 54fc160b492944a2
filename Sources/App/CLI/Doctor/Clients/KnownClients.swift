/// The apps that the gateway knows.
extension KnownClient {
    static let all = [
        openWebUI, enchanted, reins, obsidianCopilot, smartConnections, continueDev, zed, cline, homeAssistant, n8n,
        ollama,
        ollamaPython, llm, claudeCode, codex, pageAssist, chatbox,
    ]

    private static let openWebUI = KnownClient(
        id: "open-webui", name: "Open WebUI",
        entries: [
            ("Admin Settings, Connections, Ollama API, Add Connection: URL", "ADDRESS"), ("the same form: Key", "KEY"),
        ], keyPlace: .bearer, requests: [.get("/api/version"), .tags, .get("/api/ps"), .chat()],
        remark: "Its server sends the requests, so its container must reach the address.")

    private static let enchanted = KnownClient(
        id: "enchanted", name: "Enchanted (iPhone, iPad, Mac)",
        entries: [("Settings, Ollama server URI", "ADDRESS"), ("Settings, Bearer Token", "KEY")], keyPlace: .bearer,
        requests: [.headOfRoot, .tags, .chat(#""stream":true,"options":{"temperature":0}"#)],
        remark: "It asks every five seconds whether the server is there; Ping Interval changes that.")

    private static let reins = KnownClient(
        id: "reins", name: "Reins", entries: [("Settings, Ollama Server Address", "ADDRESS/k/KEY")], keyPlace: .path,
        requests: [.root, .tags, .show, .chat(#""stream":true,"options":{}"#)],
        remark: "It has no field for a key, and saves an address only when the address itself answers.")

    private static let obsidianCopilot = KnownClient(
        id: "obsidian-copilot", name: "Copilot for Obsidian",
        entries: [
            ("Copilot settings, a provider of the kind OpenAI-compatible: Base URL", "ADDRESS/v1"),
            ("the same form: API key", "KEY"),
        ], keyPlace: .bearer,
        requests: [.models, .completion, .work("/v1/embeddings", #"{"model":"MODEL","input":["Hi"]}"#)],
        remark: "The address ends in /v1.", origin: "app://obsidian.md")

    private static let smartConnections = KnownClient(
        id: "smart-connections", name: "Smart Connections for Obsidian",
        entries: [("Settings, a model of the provider Ollama: Ollama host", "ADDRESS/k/KEY")], keyPlace: .path,
        requests: [.tags, .show, .embed, .chat(#""options":{},"stream":false"#)],
        remark: "It has no field for a key, and the address must not end in a slash.")

    private static let continueDev = KnownClient(
        id: "continue", name: "Continue (VS Code, JetBrains)",
        entries: [
            ("~/.continue/config.yaml, a model with provider: ollama: apiBase", "ADDRESS"),
            ("the same model: apiKey", "KEY"),
        ], keyPlace: .bearer,
        requests: [
            Request(method: "POST", path: "/api/show", body: #"{"name":"MODEL"}"#), .tags, .chat(),
            .work("/api/generate", #"{"model":"MODEL","prompt":"Hi","suffix":"","stream":true}"#), .embed,
        ], remark: "")

    private static let zed = KnownClient(
        id: "zed", name: "Zed",
        entries: [
            ("settings.json, language_models.ollama.api_url", "ADDRESS"),
            ("Agent Panel, settings, LLM Providers, Ollama: API key; or OLLAMA_API_KEY", "KEY"),
        ], keyPlace: .bearer,
        requests: [.tags, .show, .chat(#""stream":true,"keep_alive":-1,"options":{"num_ctx":4096},"tools":[]"#)],
        remark: "It asks for each listed model and shows none when one of these requests fails.")

    private static let cline = KnownClient(
        id: "cline", name: "Cline", entries: [("Settings, API Provider Ollama, Use custom base URL", "ADDRESS/k/KEY")],
        keyPlace: .path, requests: [.tags, .chat(#""stream":true,"options":{"num_ctx":32768}"#)],
        remark: "Its field for a key does not count for the list of models.")

    private static let homeAssistant = KnownClient(
        id: "home-assistant", name: "Home Assistant",
        entries: [
            ("Settings, Devices & services, Add integration, Ollama: URL", "ADDRESS"),
            ("the same form: API key", "KEY"),
        ], keyPlace: .bearer,
        requests: [
            .tags, .get("/api/ps"), .chat(#""stream":true,"keep_alive":-1,"options":{"num_ctx":8192},"tools":[]"#),
        ], remark: "Choose a model that is in the list: it downloads others, which needs a key with the scope admin.")

    private static let n8n = KnownClient(
        id: "n8n", name: "n8n",
        entries: [("Credentials, Ollama: Base URL", "ADDRESS"), ("Credentials, Ollama: API Key", "KEY")],
        keyPlace: .bearer,
        requests: [.root, .tags, .chat(#""stream":true,"options":{}"#)],
        remark: "Versions without that field take the key in the address, ADDRESS/k/KEY.")

    private static let ollama = KnownClient(
        id: "ollama", name: "ollama on the command line",
        entries: [("environment, OLLAMA_HOST", "ADDRESS"), ("environment, OLLAMA_AUTH", "1")], keyPlace: .signature,
        requests: [
            .headOfRoot, .tags, .show, .work("/api/generate", #"{"model":"MODEL","prompt":""}"#), .chat(),
        ],
        remark:
            "It signs its requests with its own key, so the clocks of both machines must agree. Without OLLAMA_AUTH it takes a key "
            + "in the address, ADDRESS/k/KEY.")

    private static let ollamaPython = KnownClient(
        id: "ollama-python", name: "ollama for Python",
        entries: [("environment, OLLAMA_HOST", "ADDRESS"), ("environment, OLLAMA_API_KEY", "KEY")], keyPlace: .bearer,
        requests: [.tags, .show, .chat(#""tools":[],"stream":false"#), .embed],
        remark: "LangChain's ChatOllama takes the same two.")

    private static let llm = KnownClient(
        id: "llm", name: "llm with llm-ollama", entries: [("environment, OLLAMA_HOST", "http://user:KEY@HOST:PORT")],
        keyPlace: .password, requests: [.tags, .show, .chat(#""options":{},"tools":[],"stream":true"#), .embed],
        remark: "The name of the user is not read, and must be there.")

    private static let claudeCode = KnownClient(
        id: "claude-code", name: "Claude Code",
        entries: [
            ("environment, ANTHROPIC_BASE_URL", "ADDRESS"), ("environment, ANTHROPIC_AUTH_TOKEN", "KEY"),
            ("environment, ANTHROPIC_MODEL", "the name of a model"),
        ], keyPlace: .bearer,
        requests: [
            .models,
            .work(
                "/v1/messages?beta=true",
                #"{"model":"MODEL","max_tokens":1024,"messages":[{"role":"user","content":"Hi"}],"stream":true}"#),
        ], remark: "The address has no /v1.")

    private static let codex = KnownClient(
        id: "codex", name: "Codex",
        entries: [
            ("~/.codex/config.toml, model_provider", "\"selene\""),
            ("[model_providers.selene] base_url", "\"ADDRESS/v1\""),
            ("[model_providers.selene] env_key", "\"SELENE_KEY\""),
            ("[model_providers.selene] wire_api", "\"responses\""), ("environment, SELENE_KEY", "KEY"),
        ], keyPlace: .bearer,
        requests: [
            .get("/v1/models?client_version=0.155.1"),
            .work(
                "/v1/responses",
                #"{"model":"MODEL","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}],"#
                    + #""stream":true}"#),
        ], remark: "The names openai, ollama and lmstudio are taken by Codex itself.")

    private static let pageAssist = KnownClient(
        id: "page-assist", name: "Page Assist (browser extension)",
        entries: [
            ("Ollama Settings, Ollama URL", "ADDRESS"),
            ("Ollama Settings, Advanced, Custom Headers: Authorization", "Bearer KEY"),
        ], keyPlace: .bearer,
        requests: [.root, .tags, .get("/api/version"), .chat(#""stream":true,"options":{}"#)], remark: "")

    private static let chatbox = KnownClient(
        id: "chatbox", name: "Chatbox", entries: [("Settings, Model Provider, Ollama: API Host", "ADDRESS/k/KEY")],
        keyPlace: .path, requests: [.models, .completion],
        remark: "It always sends an invented key, which does not count beside one in the address.")
}
