"""Clients that take what they can: ten thousand that say nothing, writers of
one byte a second, floods of headers and of requests in one go. Memory and time
are bounded, and others are served meanwhile."""

import os
import resource
import socket
import threading
import time
import unittest

import wire

IDLE = int(os.environ.get("MCPLUAD_TEST_IDLE", "10000"))
APP = """
local mcp = require "mcp"
mcp.server { name = "floods", version = "1.0.0" }
mcp.tool("echo", function(text) return text end)
"""


def raise_limit(wanted):
    """Descriptors for this process; how many there may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        soft = min(wanted, hard) if hard >= 0 else wanted
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft


def request_bytes(server, text, fill=""):
    """A whole modern call of echo as it goes over the wire."""
    request = wire.modern("tools/call", {
        "name": "echo", "arguments": {"text": text}}, id=1)
    body = wire.encode(request.body)
    headers = {"Host": "localhost", "Content-Type": "application/json",
               "Content-Length": str(len(body)), **request.headers}
    return ("POST %s HTTP/1.1\r\n%s%s\r\n" % (
        server.path, "".join("%s: %s\r\n" % h for h in headers.items()),
        fill)).encode() + body


class Floods(wire.TestCase):
    APP = APP
    # freed memory that ASan keeps would look like a leak
    ENV = {"ASAN_OPTIONS":
           "quarantine_size_mb=1:detect_stack_use_after_return=0"}

    def served(self, within=5.0):
        begun = time.monotonic()
        answer = self.server.call("echo", {"text": "still here"})
        self.assertEqual(answer.result["content"][0]["text"], "still here")
        self.assertLess(time.monotonic() - begun, within)


class Idle(Floods):
    def test_ten_thousand_say_nothing(self):
        room = min(raise_limit(IDLE + 200) - 200, IDLE)
        before = self.server.rss_kib()
        idle = []
        try:
            for _ in range(room):
                idle.append(self.server.socket())
            time.sleep(0.5)
            self.served()
            each = (self.server.rss_kib() - before) / room
            self.assertLess(each, 48, "KiB for each idle connection")
            for sock in idle[::500]:    # none was thrown out to make room
                sock.sendall(request_bytes(self.server, "woken"))
                self.assertIn(b"200 OK", sock.recv(4096))
        finally:
            for sock in idle:
                sock.close()
        self.served()
        if room < IDLE:
            self.skipTest("only %d descriptors" % room)


class Writers(Floods):
    OPTIONS = ("--max-connections", "400")

    def test_one_byte_a_second(self):
        """Two hundred of them hold no worker and no room that others need."""
        data = request_bytes(self.server, "slow")
        before, slow = self.server.rss_kib(), []
        self.addCleanup(lambda: [sock.close() for sock in slow])
        for i in range(200):
            slow.append(self.server.socket())
            slow[i].sendall(data[:i % (len(data) - 10)])   # at every place
        begun, sent = time.monotonic(), 0
        while time.monotonic() - begun < 5:
            for i, sock in enumerate(slow):
                at = i % (len(data) - 10) + sent
                sock.sendall(data[at:at + 1])
            sent += 1
            self.served()
            time.sleep(1)
        self.assertLess(self.server.rss_kib() - before, 32 * 1024)
        slow[0].sendall(data[sent:])       # what came slowly is still a whole
        got = b""
        while b"slow" not in got:
            piece = slow[0].recv(4096)
            self.assertTrue(piece, got)
            got += piece

    def test_those_who_leave_at_once_leave_nothing(self):
        """Their last bytes and their end come together: within seconds it is
        noticed, not after the minute that a request may take."""
        def descriptors():
            return len(os.listdir("/proc/%d/fd" % self.server.pid))

        self.served()
        before = descriptors()
        whole = request_bytes(self.server, "x")
        for part in (whole[:20], whole[:-1], whole[:whole.index(b"{")],
                     whole.partition(b"\r\n\r\n")[0]):
            for _ in range(20):
                with self.server.socket() as sock:
                    sock.sendall(part[:10])
                    time.sleep(0.01)
                    sock.sendall(part[10:])
        end = time.monotonic() + 10
        while descriptors() > before + 1 and time.monotonic() < end:
            time.sleep(0.1)
        self.assertLessEqual(descriptors(), before + 1)

    def test_half_open_connections(self):
        """Ends that were closed for writing before the request was whole."""
        for part in (b"", b"POST", b"POST /mcp HTTP/1.1\r\n",
                     request_bytes(self.server, "x")[:-1]):
            for _ in range(100):
                with self.server.socket() as sock:
                    sock.sendall(part)
                    sock.shutdown(socket.SHUT_WR)
        self.served()


class Headers(Floods):
    def test_too_many_and_too_long(self):
        before = self.server.rss_kib()
        for fill in ("".join("X-%d: y\r\n" % i for i in range(5000)),
                     "X: " + "y" * (1 << 20) + "\r\n",
                     "y" * (1 << 18) + ": x\r\n",
                     "Cookie: a=b\r\n" * 20000):
            with self.server.socket() as sock:
                try:
                    sock.sendall(request_bytes(self.server, "x", fill))
                    data = sock.recv(4096)
                except OSError:
                    data = b""
                self.assertNotIn(b"200 OK", data)
            self.served()
        self.assertLess(self.server.rss_kib() - before, 16 * 1024)

    def test_from_many_at_once_without_end(self):
        stop, before = threading.Event(), self.server.rss_kib()

        def flood():
            while not stop.is_set():
                try:
                    with self.server.socket(5) as sock:
                        sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
                        for _ in range(1000):
                            sock.sendall(b"X-Flood: " + b"z" * 1000 + b"\r\n")
                except OSError:
                    pass

        threads = [threading.Thread(target=flood) for _ in range(8)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                self.served(10)
                time.sleep(0.2)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertLess(self.server.rss_kib() - before, 32 * 1024)


class Pipelines(Floods):
    def test_five_hundred_requests_in_one_go(self):
        data = b"".join(request_bytes(self.server, "n%d." % i)
                        for i in range(500))
        with self.server.socket() as sock:
            threading.Thread(target=sock.sendall, args=(data,),
                             daemon=True).start()
            got = b""
            while b"n499." not in got:
                piece = sock.recv(1 << 16)
                self.assertTrue(piece)
                got += piece
        places = [got.index(b"n%d." % i) for i in range(500)]
        self.assertEqual(places, sorted(places))

    def test_a_pipeline_whose_answers_nobody_reads(self):
        before = self.server.rss_kib()
        one = request_bytes(self.server, "x" * 50000)
        with self.server.socket() as sock:
            sock.setblocking(False)
            at, end = 0, time.monotonic() + 3
            while time.monotonic() < end:
                try:
                    at = (at + sock.send(one[at:])) % len(one)
                except BlockingIOError:
                    time.sleep(0.05)
            self.served()
            self.assertLess(self.server.rss_kib() - before, 64 * 1024)
        self.served()


if __name__ == "__main__":
    unittest.main()
