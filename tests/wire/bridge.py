"""bridge.py - `mcpluad bridge` under test, and remote servers that misbehave

    remote = Remote(lambda request: request.json({"ok": True}))
    bridge = Bridge(remote.url)

A Remote answers each HTTP request by its function, on a thread of its own. It
speaks just enough HTTP that every byte it sends is the test's.
"""

import json
import os
import queue
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading

import wire


class Bridge(wire.Stdio):
    """`mcpluad bridge URL`: one JSON message a line, both ways."""

    def __init__(self, url, options=(), env=None):
        self.folder = tempfile.mkdtemp(prefix="mcpluad-bridge-")
        where = [url] if url else []
        self.arguments = [wire.BIN, "bridge", *options, *where]
        self.process = subprocess.Popen(
            self.arguments, cwd=self.folder, env=wire.sanitizer_env(env),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.pid = self.process.pid
        self._stderr = []
        self._new_line = threading.Condition()
        self._stopped = False
        self._lines = queue.Queue()
        self._readers = [self._read(self.process.stderr, self._keep_line),
                         self._read(self.process.stdout, self._lines.put)]

    def send(self, message):
        self.process.stdin.write(wire.encode(message) + b"\n")
        self.process.stdin.flush()

    def line(self, seconds=wire.ANSWER_SECONDS):
        """As Stdio.line(); remotes here say things that no schema allows."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError("no line on stdout in %g s; stderr:\n%s"
                                 % (seconds, self.stderr)) from None
        if line is None:
            self._lines.put(None)
        return line

    def answers(self, count, seconds=wire.ANSWER_SECONDS):
        """The next `count` responses, by id."""
        found = {}
        while len(found) < count:
            message = self.receive(seconds)
            if "method" not in message:
                found[message.get("id")] = message
        return found


class Incoming:
    """One request that a Remote has read, and the ways to answer it."""

    def __init__(self, sock, method, path, headers, body):
        self.sock, self.method, self.path = sock, method, path
        self.headers, self.body = headers, body
        self.closed = False

    @property
    def message(self):
        return json.loads(self.body) if self.body else None

    @property
    def rpc(self):
        """The JSON-RPC method, "" when there is none."""
        message = self.message
        return message.get("method", "") if isinstance(message, dict) else ""

    def send(self, data):
        self.sock.sendall(wire.encode(data))

    def head(self, status=200, headers=None, length=None):
        lines = ["HTTP/1.1 %d X" % status]
        for name, value in (headers or {}).items():
            lines.append("%s: %s" % (name, value))
        if length is None:
            lines.append("Connection: close")
            self.closed = True
        else:
            lines.append("Content-Length: %d" % length)
        self.send("\r\n".join(lines) + "\r\n\r\n")

    def raw(self, body, status=200, type="application/json", headers=None):
        body = wire.encode(body)
        self.head(status, {"Content-Type": type, **(headers or {})},
                  len(body))
        self.send(body)

    def empty(self, status=202, headers=None):
        self.head(status, headers, 0)

    def result(self, result, headers=None):
        """The JSON answer to this request."""
        self.raw({"jsonrpc": "2.0", "id": self.message["id"],
                  "result": result}, headers=headers)

    def error(self, code, message, status=400, headers=None):
        self.raw({"jsonrpc": "2.0", "id": self.message["id"],
                  "error": {"code": code, "message": message}},
                 status, headers=headers)

    def sse(self, headers=None):
        self.head(200, {"Content-Type": "text/event-stream",
                        **(headers or {})})

    def event(self, message, id=None, retry=None):
        if retry is not None:
            self.send("retry: %d\n" % retry)
        if id is not None:
            self.send("id: %s\n" % id)
        text = message if isinstance(message, str) else json.dumps(message)
        self.send("data: %s\n\n" % text)

    def event_result(self, result, **how):
        self.event({"jsonrpc": "2.0", "id": self.message["id"],
                    "result": result}, **how)

    def gone(self, seconds=wire.ANSWER_SECONDS):
        """Waits until the bridge closes the connection; True when it did."""
        self.sock.settimeout(seconds)
        try:
            return self.sock.recv(1) == b""
        except ConnectionResetError:
            return True
        except socket.timeout:
            return False


class Remote:
    """A server on a free port; `answer(request)` is called for each request.
    `requests` keeps them all, in the order of arrival."""

    def __init__(self, answer, port=0, tls=None):
        self.answer, self.tls = answer, tls
        self.requests = []
        self.failures = []
        self.lock = threading.Lock()
        self.sockets = set()
        self.listener = socket.create_server(("127.0.0.1", port), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.url = "%s://127.0.0.1:%d/mcp" % (
            "https" if tls else "http", self.port)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.sockets.add(sock)
            threading.Thread(target=self._serve, args=(sock,),
                             daemon=True).start()

    def _serve(self, sock):
        try:
            if self.tls:
                sock = self.tls.wrap_socket(sock, server_side=True)
            file = sock.makefile("rb")
            while True:
                request = self._read(sock, file)
                if request is None:
                    break
                with self.lock:
                    self.requests.append(request)
                self.answer(request)
                if request.closed:
                    break
        except (OSError, ValueError, ssl.SSLError):
            pass  # the bridge has closed it
        except Exception as why:  # pylint: disable=broad-except
            self.failures.append(why)
        finally:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            sock.close()

    @staticmethod
    def _read(sock, file):
        first = file.readline().decode("latin-1").split()
        if len(first) < 2:
            return None
        headers = {}
        while True:
            line = file.readline().decode("latin-1").rstrip("\r\n")
            if not line:
                break
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        body = file.read(int(headers.get("content-length", 0)))
        return Incoming(sock, first[0], first[1], headers, body)

    def of(self, rpc):
        """The requests of a JSON-RPC method, or of an HTTP method."""
        with self.lock:
            return [r for r in self.requests if rpc in (r.rpc, r.method)]

    def close(self):
        """Stops listening and breaks every connection."""
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        with self.lock:
            for sock in self.sockets:
                try:
                    sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


def certificate():
    """A self-made certificate for 127.0.0.1: (folder, certificate, key)."""
    folder = tempfile.mkdtemp(prefix="mcpluad-tls-")
    cert, key = (os.path.join(folder, n) for n in ("cert.pem", "key.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
         "2", "-keyout", key, "-out", cert, "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True)
    return folder, cert, key


class TestCase(wire.TestCase):
    def remote(self, answer, **how):
        remote = Remote(answer, **how)
        self.addCleanup(self._judge, remote)
        return remote

    def _judge(self, remote):
        remote.close()
        self.assertEqual(remote.failures, [])

    def bridge(self, url, *options, **how):
        bridge = Bridge(url, options, **how)
        self.addCleanup(bridge.kill)
        return bridge

    def folder(self):
        folder = tempfile.mkdtemp(prefix="mcpluad-bridge-test-")
        self.addCleanup(shutil.rmtree, folder)
        return folder
