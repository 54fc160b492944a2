"""Opens a request of Web Push as a browser and its push service do, and prints what it says.

    open_web_push.py BODY KEY SECRET AUTHORIZATION      all but the last in base64url

Decrypts with http-ece and verifies the VAPID token with py-vapid.
"""
import base64
import json
import sys

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02


def octets(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def main():
    body, key, secret = (octets(text) for text in sys.argv[1:4])
    private = ec.derive_private_key(int.from_bytes(key, "big"), ec.SECP256R1())
    print(http_ece.decrypt(body, private_key=private, auth_secret=secret, version="aes128gcm").decode())
    if not Vapid02.verify(sys.argv[4]):
        sys.exit("the signature is wrong")
    claims = json.loads(octets(sys.argv[4].split("t=")[1].split(".")[1]))
    print(f"aud={claims['aud']} sub={claims['sub']}")


main()
