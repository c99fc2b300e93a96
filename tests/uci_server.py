"""A loopback server that plays UCI for ucimlrepo, well or badly."""

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HANG_LIMIT = 30.0  # seconds after which a silent handler gives up, so that no test run can hang


class UciServer:
    """Serve ``table`` (bytes of a CSV file) as UCI does: JSON that points at the CSV.

    ``behaviour`` is ``good``, ``bad_gateway``, ``not_json``, ``hang``, ``truncated`` (the CSV ends
    before its Content-Length) or ``hang_in_table`` (half of the CSV, then silence).

    Attributes: ``url`` for OPTIMIST_UCI_URL, ``asked`` (the ids requested), ``client_left`` (an
    event, set when a client closes the connection of a silent request).
    """

    def __init__(self, table: bytes, behaviour: str = "good"):
        self.table, self.behaviour = table, behaviour
        self.asked: list[str] = []
        self.client_left = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.base}/api/dataset"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exception):
        self._server.shutdown()
        self._server.socket.close()

    def _handler(self):
        uci = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/api/dataset?id="):
                    uci.asked.append(self.path.partition("=")[2])
                    uci.answer_api(self)
                else:
                    uci.answer_table(self)

            def log_message(self, *arguments):
                pass

        return Handler

    def answer_api(self, handler) -> None:
        if self.behaviour == "bad_gateway":
            handler.send_error(502)
        elif self.behaviour == "not_json":
            self._send(handler, b"<html>We are moving to a new site</html>")
        elif self.behaviour == "hang":
            self._wait(handler)
        else:
            self._send(handler, json.dumps(self._metadata()).encode())

    def answer_table(self, handler) -> None:
        broken = self.behaviour in ("truncated", "hang_in_table")
        sent = self.table[: len(self.table) // 2] if broken else self.table
        self._send(handler, sent, length=len(self.table))
        if self.behaviour == "hang_in_table":
            self._wait(handler)

    def _metadata(self) -> dict:
        names = self.table.partition(b"\n")[0].decode().split(",")
        roles = ["Feature"] * (len(names) - 1) + ["Target"]
        variables = [{"name": n, "role": r} for n, r in zip(names, roles, strict=True)]
        data = {"uci_id": 1, "name": "Any", "data_url": f"{self.base}/table"}
        data |= {"variables": variables, "additional_info": None, "intro_paper": None}
        return {"status": 200, "data": data}

    def _send(self, handler, body: bytes, length: int | None = None) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        handler.end_headers()
        handler.wfile.write(body)
        handler.wfile.flush()

    def _wait(self, handler) -> None:
        handler.connection.settimeout(HANG_LIMIT)
        with suppress(TimeoutError):
            try:
                gone = handler.connection.recv(1) == b""
            except ConnectionError:
                gone = True
            if gone:
                self.client_left.set()
