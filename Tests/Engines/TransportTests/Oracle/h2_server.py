"""A server of HTTP/2 over TLS with PyPI's h2, another implementation than those that the product uses.

    h2_server.py CERTIFICATE KEY MODE

MODE is "ramp" (one stream until the first answer), "goaway" (GOAWAY on the first connection after 20 requests; those that
came later are not answered there) or "silence" (the first connection says nothing after 20 requests). Prints the port,
and at the end of its input the account as JSON.
"""
import asyncio
import json
import ssl
import sys

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, PriorityUpdated, RequestReceived, StreamEnded, StreamReset
from h2.settings import SettingCodes

MODE = sys.argv[3]
account = {"connections": 0, "requests": 0, "answered": 0, "most": 0, "cold": 0, "priorities": 0, "paths": []}


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        account["connections"] += 1
        self.number, self.transport = account["connections"], transport
        self.open, self.paths, self.warm, self.silent, self.last = set(), {}, False, False, None
        self.h2 = H2Connection(H2Configuration(client_side=False))
        self.h2.local_settings.update({SettingCodes.MAX_CONCURRENT_STREAMS: 1})
        self.h2.initiate_connection()
        self.flush()

    def flush(self):
        data = self.h2.data_to_send()
        if data and not self.silent:
            self.transport.write(data)

    def data_received(self, data):
        # h2 takes nothing after a GOAWAY.
        if self.silent or self.last is not None:
            return
        for event in self.h2.receive_data(data):
            if isinstance(event, RequestReceived):
                self.paths[event.stream_id] = dict(event.headers)[b":path"].decode()
                self.open.add(event.stream_id)
                account["requests"] += 1
                account["most"] = max(account["most"], len(self.open))
                if not self.warm:
                    account["cold"] = max(account["cold"], len(self.open))
                account["priorities"] += event.priority_updated is not None
            elif isinstance(event, PriorityUpdated):
                account["priorities"] += 1
            elif isinstance(event, DataReceived):
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamReset):
                self.open.discard(event.stream_id)
            elif isinstance(event, StreamEnded):
                self.ended(event.stream_id)
        self.flush()

    def ended(self, stream):
        if self.number == 1 and account["requests"] > 20 and MODE == "silence":
            self.silent = True
            return
        if self.number == 1 and account["requests"] > 20 and MODE == "goaway":
            if self.last is None:
                self.last = max(self.open)
                self.h2.close_connection(last_stream_id=self.last, additional_data=b'{"reason":"Shutdown"}')
                asyncio.get_running_loop().call_later(0.2, self.transport.abort)
            return
        asyncio.get_running_loop().call_later(0.005, self.reply, stream)

    def reply(self, stream):
        if self.silent or self.last is not None or stream not in self.open:
            return
        self.open.discard(stream)
        account["answered"] += 1
        account["paths"].append(self.paths[stream])
        self.h2.send_headers(stream, [(":status", "200"), ("apns-id", "x")], end_stream=True)
        if not self.warm:
            self.warm = True
            self.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 1000})
        self.flush()


async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    context.set_alpn_protocols(["h2"])
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    account["distinct"] = len(set(account.pop("paths")))
    print(json.dumps(account), flush=True)


asyncio.run(main())
