/// What `selene tls init --name home.example.org --name 8.8.4.4` wrote when swift-certificates made the certificates.
enum Earlier {
    static let fingerprint =
        "D3:92:EC:CF:D3:24:D6:AE:09:57:24:20:9B:1F:19:41:42:5B:F7:44:BC:BD:55:1D:BE:FE:3E:A5:3E:49:5A:F2"
    static let names = [
        "home.example.org", "8.8.4.4", "vm.local", "vm.lan", "localhost", "127.0.0.1", "::1", "fd00::2",
    ]
    static let files = [
        "ca.crt": """
        -----BEGIN CERTIFICATE-----
        MIICwzCCAmqgAwIBAgIVALcXdySTh9J0yhjTWpI7Tiin5PzDMAoGCCqGSM49BAMC
        MEUxKjAoBgNVBAMMIVNlbGVuZSBsb2NhbCBhdXRob3JpdHkgMjAyNi0xMS0yNzEX
        MBUGA1UECgwOU2VsZW5lIEdhdGV3YXkwHhcNMjYxMTI3MjAwNjQ3WhcNMzYxMTI0
        MjEwNjQ3WjBFMSowKAYDVQQDDCFTZWxlbmUgbG9jYWwgYXV0aG9yaXR5IDIwMjYt
        MTEtMjcxFzAVBgNVBAoMDlNlbGVuZSBHYXRld2F5MFkwEwYHKoZIzj0CAQYIKoZI
        zj0DAQcDQgAETxf4mth47dbHCjTbM+Df/EayX0VPePZmPJQ2YzRcAORVmPJO2PrH
        881WqumwjL/niApAPykUcHtyhddWHv0ABqOCATUwggExMBIGA1UdEwEB/wQIMAYB
        Af8CAQAwDgYDVR0PAQH/BAQDAgEGMIHrBgNVHR4BAf8EgeAwgd2ggdowC4IJbG9j
        YWxob3N0MAeCBWxvY2FsMAWCA2xhbjAKgghpbnRlcm5hbDALgglob21lLmFycGEw
        EoIQaG9tZS5leGFtcGxlLm9yZzAKhwgKAAAA/wAAADAKhwisEAAA//AAADAKhwjA
        qAAA//8AADAKhwhkQAAA/8AAADAKhwh/AAAA/wAAADAihyD8AAAAAAAAAAAAAAAA
        AAAA/gAAAAAAAAAAAAAAAAAAADAihyAAAAAAAAAAAAAAAAAAAAAB////////////
        /////////zAKhwgICAQE/////zAdBgNVHQ4EFgQUdaDVSqrmEWnd1lxrsDMFzI8b
        dWowCgYIKoZIzj0EAwIDRwAwRAIgDg6xsLENq0P5HhcqaYqR9MkWEE1t3hgapXX9
        pwc3gxkCIDHAia0xc51GFDn2yHbr8pBea2QzkVusGUp6114TypRU
        -----END CERTIFICATE-----
        """,
        "ca.key": """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrJefn55z8MqPZYby
        WOE03M0C/T8ptt7GIgyzQFPsUZ6hRANCAARPF/ia2Hjt1scKNNsz4N/8RrJfRU94
        9mY8lDZjNFwA5FWY8k7Y+sfzzVaq6bCMv+eICkA/KRRwe3KF11Ye/QAG
        -----END PRIVATE KEY-----
        """,
        "server.crt": """
        -----BEGIN CERTIFICATE-----
        MIICRDCCAeqgAwIBAgIVANWQAEn+jGbTKS1e11qkqxGEAHR+MAoGCCqGSM49BAMC
        MEUxKjAoBgNVBAMMIVNlbGVuZSBsb2NhbCBhdXRob3JpdHkgMjAyNi0xMS0yNzEX
        MBUGA1UECgwOU2VsZW5lIEdhdGV3YXkwHhcNMjYxMTI3MjAwNjQ3WhcNMjcwMjI1
        MjEwNjQ3WjAbMRkwFwYDVQQDDBBob21lLmV4YW1wbGUub3JnMFkwEwYHKoZIzj0C
        AQYIKoZIzj0DAQcDQgAE6MEOqPSxGsmx1EQb8UVReP+LHleRRJtMjIYFYN2JIF1J
        vvef0yQNV+kgE/Pp9v0hWrLhgHZAGQPJghnFrm3z4aOB4DCB3TAMBgNVHRMBAf8E
        AjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggrBgEFBQcDATBoBgNVHREE
        YTBfghBob21lLmV4YW1wbGUub3JnhwQICAQEggh2bS5sb2NhbIIGdm0ubGFuggls
        b2NhbGhvc3SHBH8AAAGHEAAAAAAAAAAAAAAAAAAAAAGHEP0AAAAAAAAAAAAAAAAA
        AAIwHQYDVR0OBBYEFDROQx6lo7wUKLmv3y6EEWf2+EYFMB8GA1UdIwQYMBaAFHWg
        1Uqq5hFp3dZca7AzBcyPG3VqMAoGCCqGSM49BAMCA0gAMEUCIHkYuuVkqdjUXf6x
        AP/OZJB87guy12KDyDqQG3aiDXNkAiEAiXV3B3Zxgqhf4TocJp+aFh5U2pr9vWqw
        5BEu4v26adQ=
        -----END CERTIFICATE-----
        """,
        "server.key": """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg/+yj0WQOGRTyqTOI
        nhxszF4wVTkWlGSHhNJi2gw/5Z6hRANCAATowQ6o9LEaybHURBvxRVF4/4seV5FE
        m0yMhgVg3YkgXUm+95/TJA1X6SAT8+n2/SFasuGAdkAZA8mCGcWubfPh
        -----END PRIVATE KEY-----
        """,
    ]
}
