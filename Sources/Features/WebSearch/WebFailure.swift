/// Why a search of the web or the fetch of a page gives nothing.
package enum WebFailure: Error, Sendable, Hashable {
    /// No search server is set.
    case searchIsOff
    /// Pages are not fetched here.
    case fetchIsOff
    /// The search server cannot be reached: a sentence.
    case unreachable(String)
    /// The search server took longer than its limit, in seconds.
    case late(Int)
    /// The search server does not answer in JSON, which SearXNG allows only when its settings say so.
    case noJSON
    /// The search server refuses the gateway for now: it limits how much one address asks.
    case limited
    /// The search server answered with this status.
    case status(Int)
    /// The search server's answer is not what SearXNG sends: a sentence.
    case invalid(String)
    /// Nothing was found, and these engines of the search server did not answer.
    case silent([String])
    /// The URL cannot be fetched: a sentence.
    case url(String)
    /// The address of the URL is not public.
    case privateAddress(String)
    /// The page has a format that is not read, or no text: a sentence.
    case unreadable(String)
    /// The machine lacks what starting a process takes.
    case noResources
}

extension WebFailure: CustomStringConvertible {
    /// What is wrong and what helps, for clients and for `selene doctor`. Names no address of the operator's.
    package var description: String {
        switch self {
        case .searchIsOff:
            "web search is off; set SELENE_WEB_SEARCH to the address of a SearXNG server, such as http://127.0.0.1:8888"
        case .fetchIsOff: "fetching web pages is off; SELENE_WEB_FETCH=public turns it on for public addresses"
        case .unreachable(let reason): "SearXNG cannot be reached (SELENE_WEB_SEARCH): \(reason)"
        case .late(let seconds):
            "SearXNG took longer than \(seconds) s; lower outgoing.request_timeout in its settings.yml"
        case .noJSON:
            "SearXNG does not answer in JSON; add json to search.formats in its settings.yml and restart it"
        case .limited:
            "SearXNG refuses the gateway for now: its limiter counts all queries as one client's; "
                + "add the gateway's address to pass_ip in its limiter.toml"
        case .status(let status) where (300..<400).contains(status):
            "SearXNG redirects (status \(status)); set SELENE_WEB_SEARCH to the address that it redirects to, "
                + "and begin no query with !!"
        case .status(let status): "SearXNG answered with status \(status); its log says why"
        case .invalid(let reason): "the server of SELENE_WEB_SEARCH does not answer as SearXNG does: \(reason)"
        case .silent(let engines):
            "SearXNG found nothing, and these engines gave no answer: " + engines.joined(separator: ", ")
        case .url(let reason): "the URL cannot be read: \(reason)"
        case .privateAddress(let host):
            "\(host) is in a private network or on this machine; SELENE_WEB_FETCH=all allows it"
        case .unreadable(let reason): reason
        case .noResources: "there are too few resources to read the page; try again"
        }
    }
}
