"""Writes Fixtures/web-push.jsonl: messages that PyPI's http-ece 1.2.1 encrypted with keys and salts from a seed.

    pip install http-ece==1.2.1
    python3 web_push_vectors.py > ../Fixtures/web-push.jsonl
"""
import base64
import json
import random

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def main() -> None:
    rng = random.Random(8291)
    for size in [1, 2, 15, 16, 17, 31, 100, 255, 256] + [rng.randrange(300) for _ in range(20)] + [3993]:
        numbers = [rng.randrange(1, ORDER) for _ in range(2)]
        sender, receiver = (ec.derive_private_key(number, ec.SECP256R1()) for number in numbers)
        salt, secret, message = rng.randbytes(16), rng.randbytes(16), rng.randbytes(size)
        public = receiver.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        body = http_ece.encrypt(
            message, salt=salt, private_key=sender, dh=public, auth_secret=secret, version="aes128gcm", rs=4096)
        print(json.dumps({
            "sender": text(numbers[0].to_bytes(32, "big")), "receiver": text(numbers[1].to_bytes(32, "big")),
            "salt": text(salt), "secret": text(secret), "message": text(message), "body": text(body)}))


main()
