# SPDX-License-Identifier: Apache-2.0
"""A client of the proxy's protocol that does next to nothing with what it gets, so that what a server costs is seen:
HTTP/2 frames by hand, with the largest windows.

    client = Client("unix:/path" or "127.0.0.1:9000")
    client.put(1, payload)          # f32[n] on the first device
    client.to_host(1, 2)            # as host buffer 2; seconds until all of it was here
"""

import base64
import socket
import struct
import time

SERVICE = "/xla.ifrt.proxy.GrpcIfrtService/"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 4, 6, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
LARGEST_WINDOW, LARGEST_FRAME = 2**31 - 1, 2**24 - 1
INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = 4, 5
F32 = 11


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def fixed(field: int, value: int) -> bytes:
    return varint(field << 3 | 1) + struct.pack("<Q", value)


def piece(field: int, value: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(value)) + value


def find(message: bytes, field: int) -> int | bytes | None:
    """The value of a field of a message."""
    at, found = 0, None

    def take() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = take()
        kind = key & 7
        if kind == 0:
            value = take()
        elif kind == 1:
            value, at = message[at:at + 8], at + 8
        elif kind == 2:
            size = take()
            value, at = message[at:at + size], at + size
        else:
            value, at = message[at:at + 4], at + 4
        if key >> 3 == field:
            found = value
    return found


def framed(message: bytes) -> bytes:
    return struct.pack(">BI", 0, len(message)) + message


class Client:
    def __init__(self, address: str) -> None:
        if address.startswith("unix:"):
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(address.removeprefix("unix:"))
        else:
            host, port = address.rsplit(":", 1)
            self._socket = socket.create_connection((host, int(port)))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        settings = b"".join(struct.pack(">HI", *one) for one in (
            (INITIAL_WINDOW_SIZE, LARGEST_WINDOW), (MAX_FRAME_SIZE, LARGEST_FRAME)))
        self._socket.sendall(PREFACE + self._frame(SETTINGS, 0, 0, settings) +
                             self._frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", LARGEST_WINDOW - 65535)))
        self._buffer = memoryview(bytearray(1 << 20))
        self._next_stream, self._op = 1, 0
        self._answers: dict[int, bytearray] = {}
        self._ended: set[int] = set()
        self._owed = 0  # Bytes of the connection's window to give back.
        self._window = 65535  # Bytes that the server takes, of the connection.
        self._windows: dict[int, int] = {}  # The same, of streams.
        self._new_window, self._frame_limit = 65535, 16384
        self._session = self._open("IfrtSession", "ifrt-proxy-grpc-ifrt-session-metadata-bin",
                                   piece(1, number(1, 25) + number(2, 3)))
        answer = self._ask(piece(2, b""))
        self.session_id = find(find(answer, 2), 8)

    def close(self) -> None:
        self._socket.close()

    @staticmethod
    def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
        return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload

    def _open(self, method: str, name: str = "", value: bytes = b"") -> int:
        stream, self._next_stream = self._next_stream, self._next_stream + 2
        headers = [(":method", "POST"), (":scheme", "http"), (":path", SERVICE + method), (":authority", "localhost"),
                   ("te", "trailers"), ("content-type", "application/grpc")]
        if name:
            headers.append((name, base64.b64encode(value).decode().rstrip("=")))
        block = b"".join(b"\0" + bytes([len(n)]) + n.encode() + bytes([len(v)]) + v.encode() for n, v in headers)
        self._socket.sendall(self._frame(HEADERS, END_HEADERS, stream, block))
        self._answers[stream] = bytearray()
        self._windows[stream] = self._new_window
        return stream

    def _send(self, stream: int, parts: list[bytes | memoryview], is_end: bool = False) -> None:
        for part in parts:
            view = memoryview(part)
            while len(view):
                limit = min(self._frame_limit, self._window, self._windows[stream])
                if limit <= 0:
                    self._receive_frame()
                    continue
                now, view = view[:limit], view[limit:]
                self._window -= len(now)
                self._windows[stream] -= len(now)
                self._socket.sendall(struct.pack(">I", len(now))[1:] + struct.pack(">BBI", DATA, 0, stream))
                self._socket.sendall(now)
        if is_end:
            self._socket.sendall(self._frame(DATA, END_STREAM, stream, b""))

    def _receive(self, size: int) -> memoryview:
        """Exactly so many bytes, at most as many as the buffer has."""
        view = self._buffer[:size]
        done = 0
        while done < size:
            count = self._socket.recv_into(view[done:])
            if count == 0:
                raise ConnectionError("the server has closed the connection")
            done += count
        return view

    def _receive_frame(self, keep: bool = True) -> None:
        head = bytes(self._receive(9))
        size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        stream = int.from_bytes(head[5:], "big")
        if kind == DATA:
            self._owed += size
            while size:
                part = self._receive(min(size, len(self._buffer)))
                size -= len(part)
                if keep:
                    self._answers[stream] += part
        else:
            payload = bytes(self._receive(size))
            if kind == SETTINGS and not flags & ACK:
                for at in range(0, size, 6):
                    name, value = struct.unpack_from(">HI", payload, at)
                    if name == INITIAL_WINDOW_SIZE:
                        for one in self._windows:
                            self._windows[one] += value - self._new_window
                        self._new_window = value
                    elif name == MAX_FRAME_SIZE:
                        self._frame_limit = value
                self._socket.sendall(self._frame(SETTINGS, ACK, 0, b""))
            elif kind == PING and not flags & ACK:
                self._socket.sendall(self._frame(PING, ACK, 0, payload))
            elif kind == WINDOW_UPDATE:
                more = struct.unpack(">I", payload)[0]
                if stream == 0:
                    self._window += more
                elif stream in self._windows:
                    self._windows[stream] += more
        if flags & END_STREAM and kind in (DATA, HEADERS):
            self._ended.add(stream)
        if self._owed > LARGEST_WINDOW // 4:
            self._socket.sendall(self._frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", self._owed)))
            self._owed = 0

    def _ask(self, request: bytes) -> bytes:
        """Sends a request of the session; its answer."""
        self._op += 1
        self._send(self._session, [framed(piece(1, fixed(1, self._op)) + request)])
        answers = self._answers[self._session]
        while True:
            while len(answers) >= 5:
                size = struct.unpack_from(">I", answers, 1)[0]
                if len(answers) < 5 + size:
                    break
                answer = bytes(answers[5:5 + size])
                del answers[:5 + size]
                told = find(answer, 1)
                if struct.unpack("<Q", find(told, 1))[0] != self._op:
                    continue
                if find(told, 2) is not None:
                    raise RuntimeError(find(told, 2).decode(errors="replace"))
                return answer
            self._receive_frame()

    def _finish(self, stream: int, keep: bool = True) -> None:
        while stream not in self._ended:
            self._receive_frame(keep)

    def put(self, handle: int, payload: bytes | memoryview) -> float:
        """Makes array `handle`, f32[n] on device 0, of these bytes; the seconds until it is there."""
        begin = time.perf_counter()
        stored = self._open("HostBufferStore", "ifrt-proxy-grpc-host-buffer-store-metadata-bin",
                            fixed(1, self.session_id) + fixed(2, handle) + number(3, len(payload)))
        view = memoryview(payload).cast("B")
        parts = []
        for at in range(0, len(view), 1 << 20):
            part = view[at:at + (1 << 20)]
            head = piece(1, b"")[:-1] + varint(len(part))
            parts += [struct.pack(">BI", 0, len(head) + len(part)) + head, part]
        self._send(stored, parts, is_end=True)
        self._finish(stored)
        sharding = piece(1, b"xla::ifrt::SingleDeviceSharding") + piece(2, number(1, 0))
        self._ask(piece(4, piece(1, number(1, F32)) + piece(2, piece(1, varint(len(view) // 4))) +
                        piece(3, piece(1, sharding)) + fixed(4, handle) + fixed(6, handle)))
        self._ask(piece(8, piece(1, struct.pack("<Q", handle))))
        return time.perf_counter() - begin

    def to_host(self, handle: int, buffer: int) -> float:
        """Lets the server send an array as a host buffer, and drops the bytes; the seconds."""
        begin = time.perf_counter()
        self._ask(piece(6, fixed(1, buffer) + fixed(2, handle)))
        lookup = self._open("HostBufferLookup")
        self._send(lookup, [framed(fixed(1, self.session_id) + fixed(2, buffer))], is_end=True)
        self._finish(lookup, keep=False)
        taken = time.perf_counter() - begin
        gone = self._open("HostBufferDelete")
        self._send(gone, [framed(fixed(1, self.session_id) + fixed(2, buffer))], is_end=True)
        self._finish(gone)
        return taken
