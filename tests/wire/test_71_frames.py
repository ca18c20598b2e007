"""Requests whose end two servers might see in different places, and heads
that cost more than they look."""

import socket
import threading
import time
import unittest

import wire

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
HEAD = ("POST /mcp HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: application/json\r\n")
LENGTH = "Content-Length: %d\r\n" % len(PING)
CHUNKED = "\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)
TE = "Transfer-Encoding: "

# Headers and body that end the connection with a 400 and nothing else.
REFUSED = {
    "two lengths": LENGTH + "Content-Length: 5\r\n\r\n" + PING,
    "the same length twice": LENGTH + LENGTH + "\r\n" + PING,
    "length and coding": LENGTH + TE + "chunked\r\n" + CHUNKED,
    "coding twice": TE + "chunked\r\n" + TE + "chunked\r\n" + CHUNKED,
    "another coding after it": TE + "chunked\r\n" + TE + "identity\r\n"
    + CHUNKED,
    "another coding before it": TE + "identity\r\n" + TE + "chunked\r\n"
    + CHUNKED,
    "a list of codings": TE + "gzip, chunked\r\n" + CHUNKED,
    "no coding": TE + "identity\r\n" + CHUNKED,
    "nearly chunked": TE + "xchunked\r\n" + CHUNKED,
    "a control before it": TE + "\x0bchunked\r\n" + CHUNKED,
    "space before the colon": "Content-Length : 40\r\n\r\n" + PING,
    "space before the colon of the coding": "Transfer-Encoding : chunked\r\n"
    + CHUNKED,
    "space before the name": " Content-Length: 40\r\n\r\n" + PING,
    "a letter beyond ASCII in a name": "X-\xff: x\r\n" + LENGTH + "\r\n" + PING,
    "a carriage return in a value": "X: a\rContent-Length: 3\r\n" + LENGTH
    + "\r\n" + PING,
}
SERVED = {
    "length": LENGTH + "\r\n" + PING,
    "chunks": TE + "chunked\r\n" + CHUNKED,
    "chunks, in capitals": TE + "CHUNKED\r\n" + CHUNKED,
    "bytes beyond ASCII in a value": "X: \xff\xfe\r\n" + LENGTH + "\r\n" + PING,
    "all that a name may be": "a!#$%&'*+-.^_`|~0Z: x\r\n" + LENGTH + "\r\n"
    + PING,
    "a long Accept": "Accept: " + "a," * 5500 + "*/*\r\n" + LENGTH + "\r\n"
    + PING,
}

APP = 'require("mcp").server { name = "frames", version = "1.0.0" }'


class Frames(wire.TestCase):
    APP = APP

    def all_of(self, rest):
        """What comes until the server hangs up, or for a third of a second;
        and whether it hung up."""
        with self.server.socket(0.3) as sock:
            sock.sendall((HEAD + rest).encode("latin-1"))
            out = b""
            while True:
                try:
                    data = sock.recv(65536)
                except socket.timeout:
                    return out, False
                if not data:
                    return out, True
                out += data

    def test_what_others_may_read_differently_is_refused(self):
        for name, rest in REFUSED.items():
            with self.subTest(name):
                out, ended = self.all_of(rest)
                self.assertTrue(out.startswith(b"HTTP/1.1 400 "), out)
                self.assertEqual(out.count(b"HTTP/1.1"), 1, out)
                self.assertTrue(ended)

    def test_the_rest_is_served(self):
        for name, rest in SERVED.items():
            with self.subTest(name):
                out, ended = self.all_of(rest)
                self.assertTrue(out.startswith(b"HTTP/1.1 200 "), out)
                self.assertFalse(ended)

    def cpu_seconds(self):
        with open("/proc/%d/stat" % self.server.pid) as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def test_the_size_of_a_chunk_that_fills_the_buffer_costs_nothing(self):
        socks = [self.server.socket() for _ in range(4)]
        for i, sock in enumerate(socks):
            self.addCleanup(sock.close)
            line = "0" * 20000 if i % 2 else "28;" + "a" * 20000
            sock.sendall((HEAD + TE + "chunked\r\n\r\n" + line).encode())
        time.sleep(0.3)
        begun = self.cpu_seconds()
        time.sleep(1)
        self.assertLess(self.cpu_seconds() - begun, 0.25)
        big = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"%s"}}' \
            % ("a" * 4000000)
        begun = time.monotonic()
        self.assertEqual(self.server.post(big).status, 200)
        self.assertLess(time.monotonic() - begun, 10)


class Unread(wire.Server):
    """Its pipes are read up to the banner, and on after `go_on`."""

    go_on = threading.Event()

    @staticmethod
    def _read(pipe, keep):
        def loop():
            for line in pipe:
                keep(line)
                if b"http://" in line:
                    Unread.go_on.wait()
            keep(None)
        thread = threading.Thread(target=loop, daemon=True)
        thread.start()
        return thread


class FullPipe(wire.TestCase):
    def test_a_log_that_nobody_reads_stops_nothing(self):
        server = Unread("""
local mcp = require "mcp"
mcp.server { name = "frames", version = "1.0.0" }
mcp.tool("fail", function() error(("x"):rep(3000)) end)
""")
        self.addCleanup(server.stop)
        self.addCleanup(Unread.go_on.set)
        for _ in range(100):  # one that waits for the pipe waits for ever
            self.assertTrue(server.call("fail").result["isError"])
        self.assertEqual(server.get("/healthz").status, 200)


if __name__ == "__main__":
    unittest.main()
