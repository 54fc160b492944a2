/// What a ``ProxyStateMachine`` tells its caller to do.
extension ProxyStateMachine {
    /// The next step after an event without a part of the body or a response.
    enum Action: Sendable, Hashable {
        case none
        /// Send `100 Continue` to the client.
        case sendContinue
        /// Stop reading from the client.
        case holdBack
        /// Read from the client again.
        case resume
        /// Find the model in the body received so far.
        case resolveModel
        /// Spool the rest of the body to disk, and read on.
        case openSpool
        /// Request a place at the upstream.
        case acquirePlace
        /// Make the merged list.
        case makeList
        /// Prepare the request for the upstream, and take an endpoint.
        case chooseEndpoint
        /// End the body that is sent as it arrives.
        case finishUpload
        /// Send the request to the endpoint.
        case send
        /// Forward bytes of the upstream.
        case pump
    }

    /// Where to put a part of the body.
    enum BodyAction: Sendable, Hashable {
        case collect, spool, upload, drop
    }

    /// What to do with a leased endpoint.
    enum EndpointAction: Sendable, Hashable {
        /// Load the model there. With `replacing`, release the previous attempt's endpoint.
        case load(replacing: Bool)
        /// Send the request there. `replacing` as above.
        case send(replacing: Bool)
        /// Release the endpoint: the request is over.
        case giveBack
    }

    /// How a request ends, and what to release.
    struct Ending: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            /// The response is complete; end it.
            case complete
            /// No head was sent: answer with the error.
            case respond
            /// The head was sent: end the response so that it looks incomplete.
            case breakOff
            /// The client is gone.
            case abandon
        }

        /// What the request charges to its key.
        enum Charge: Sendable, Hashable {
            case nothing
            /// The prompt, because an endpoint worked on it.
            case prompt
            /// The counts of the answer so far.
            case answer
        }

        var kind: Kind
        var charge: Charge
        var releasesPlace: Bool
        var releasesEndpoint: Bool
    }
}
