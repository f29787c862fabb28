# SPDX-License-Identifier: LGPL-2.1-or-later
"""The door's protocol by hand, for what its own client would never send.

door.py METHOD JSON [FD-EXPRESSION...]: one call, its replies on stdout, a line each. An expression makes
a descriptor that is passed: see MAKERS.
"""
import array, ctypes, json, os, pty, select, socket, sys

PATH = "/run/pam-sandbox/entry"
INTERFACE = "org.pam-sandbox.Entry."


def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.connect(PATH)
    return s


def send(s, method, parameters, fds=(), more=True):
    call = {"method": method if "." in method else INTERFACE + method, "parameters": parameters}
    if more:
        call["more"] = True
    data = json.dumps(call).encode() + b"\0"
    s.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else [])


def replies(s):
    """Until the last one, or the connection's end."""
    rest = b""
    while True:
        while b"\0" in rest:
            message, rest = rest.split(b"\0", 1)
            reply = json.loads(message)
            yield reply
            if not reply.get("continues"):
                return
        try:
            piece = s.recv(1 << 16)
        except ConnectionResetError:
            return
        if not piece:
            return
        rest += piece


kept = []  # what would be closed with the object that it belongs to


def keep(thing):
    kept.append(thing)
    return thing.fileno()


def pipe_end(n):
    return os.pipe()[n]


def terminal():
    near, far = pty.openpty()
    os.set_inheritable(near, True)  # stays open as long as this process
    return far


def connected():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.connect("/run/dbus/system_bus_socket")
    return keep(s)


def io_uring():
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(425, 1, ctypes.create_string_buffer(120))
    return fd if fd >= 0 else os.eventfd(0)  # where it is turned off


MAKERS = {
    "null": lambda: os.open("/dev/null", os.O_RDWR),
    "zero": lambda: os.open("/dev/zero", os.O_RDWR),
    "in": lambda: pipe_end(0),
    "out": lambda: pipe_end(1),
    "stdin": lambda: 0,
    "stdout": lambda: 1,
    "socket": connected,
    "socketpair": lambda: keep(socket.socketpair()[0]),
    "inet": lambda: keep(socket.socket(socket.AF_INET)),
    "directory": lambda: os.open("/", os.O_RDONLY | os.O_DIRECTORY),
    "path": lambda: os.open("/", os.O_PATH),
    "shadow": lambda: os.open("/etc/shadow", os.O_PATH),
    "passwd": lambda: os.open("/etc/passwd", os.O_RDONLY),
    "epoll": lambda: keep(select.epoll()),
    "uring": io_uring,
    "pidfd": lambda: os.pidfd_open(os.getpid()),
    "memory": lambda: os.open("/proc/self/mem", os.O_RDWR),
    "terminal": terminal,
    "near": lambda: os.posix_openpt(os.O_RDWR | os.O_NOCTTY),
}


def main():
    method, parameters = sys.argv[1], json.loads(sys.argv[2])
    fds = [MAKERS[name]() for name in sys.argv[3:]]
    s = connect()
    send(s, method, parameters, fds)
    for reply in replies(s):
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
