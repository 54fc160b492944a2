/// What a ``ProxyStateMachine`` has its caller do.
extension ProxyStateMachine {
    /// What is next, where the event brought nothing to work on.
    enum Action: Sendable, Hashable {
        case none
        /// Tell the client to send the body.
        case sendContinue
        /// Stop reading from the client.
        case holdBack
        /// Read from the client again.
        case resume
        /// Find out the model, from the body as far as it came.
        case settleModel
        /// Let the rest of the body go to disk, and read on.
        case openSpool
        /// Ask for a place at the upstream.
        case acquirePlace
        /// Make the list.
        case makeList
        /// Prepare the request for the upstream, and take an endpoint.
        case chooseEndpoint
        /// End the body that goes out while it comes.
        case finishUpload
        /// Send the request to the endpoint.
        case send
        /// Pass on what the upstream sent.
        case pump
    }

    /// Where a part of the body goes.
    enum BodyAction: Sendable, Hashable {
        case collect, spool, upload, drop
    }

    /// What is done with an endpoint that was taken.
    enum EndpointAction: Sendable, Hashable {
        /// Have it load the model. With `replacing`, the endpoint of the attempt before is let go of.
        case load(replacing: Bool)
        /// Send the request there.
        case send(replacing: Bool)
        /// Let go of it: the request is over.
        case giveBack
    }

    /// How a request ends, and what is let go of then.
    struct Ending: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            /// The response is whole; end it.
            case complete
            /// No head was sent: answer with the error.
            case respond
            /// The head was sent: end the response so that it does not look whole.
            case breakOff
            /// The client is gone.
            case abandon
        }

        /// What the request costs its key.
        enum Charge: Sendable, Hashable {
            case nothing
            /// The prompt, which an endpoint worked on.
            case prompt
            /// What the answer counted, as far as it came.
            case answer
        }

        var kind: Kind
        var charge: Charge
        /// Whether the place is given back.
        var releasesPlace: Bool
        /// Whether the endpoint is let go of.
        var releasesEndpoint: Bool
    }
}
