"""A loopback server that plays UCI for ucimlrepo, well or badly."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HANG_LIMIT = 30.0  # seconds after which a silent handler gives up, so that no test run can hang


class UciServer:
    """Serve ``table`` (bytes of a CSV file) as UCI does: JSON that points at the CSV.

    ``plan`` names the behaviour of each request for the JSON in turn, the last one for all others:
    ``good``, ``bad_gateway``, ``not_json``, ``hang``, ``truncated`` (the CSV ends before its
    Content-Length), ``hang_in_table`` (half of the CSV, then silence).

    Attributes: ``url`` for OPTIMIST_UCI_URL, ``asked`` (the ids requested), ``client_left`` (an
    event, set when a client closes the connection of a silent request).
    """

    def __init__(self, table: bytes, *plan: str):
        self.table, self.plan = table, plan or ("good",)
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
                    behaviour = uci.plan[min(len(uci.asked), len(uci.plan)) - 1]
                    uci.answer_api(self, behaviour)
                else:
                    uci.answer_table(self, self.path.strip("/"))

            def log_message(self, *arguments):
                pass

        return Handler

    def answer_api(self, handler, behaviour: str) -> None:
        if behaviour == "bad_gateway":
            handler.send_error(502)
        elif behaviour == "not_json":
            self._send(handler, b"<html>We are moving to a new site</html>")
        elif behaviour == "hang":
            self._wait(handler)
        else:
            self._send(handler, json.dumps(self._metadata(behaviour)).encode())

    def answer_table(self, handler, behaviour: str) -> None:
        half = self.table[: len(self.table) // 2]
        if behaviour == "truncated":
            self._send(handler, half, length=len(self.table))
        elif behaviour == "hang_in_table":
            self._send(handler, half, length=len(self.table))
            self._wait(handler)
        else:
            self._send(handler, self.table)

    def _metadata(self, behaviour: str) -> dict:
        names = self.table.partition(b"\n")[0].decode().split(",")
        roles = ["Feature"] * (len(names) - 1) + ["Target"]
        variables = [{"name": n, "role": r} for n, r in zip(names, roles, strict=True)]
        data = {"uci_id": 1, "name": "Any", "data_url": f"{self.base}/{behaviour}"}
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
        try:
            gone = handler.connection.recv(1) == b""
        except ConnectionError:
            gone = True
        except TimeoutError:
            gone = False
        if gone:
            self.client_left.set()
