"""Model-written code attacks its sandbox, one promise an attack; every kind of sandbox this machine has is attacked."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runner.tools import sandbox
from runner.tools.launch import Limits, SandboxKind
from runner.tools.sandbox import ProgramResult, Sandbox
from runner.tools.usable import trouble
from tests.runner.tools.ordinary import OrdinarySandbox

LIMITS = Limits(cpu_s=1, wall_s=3, memory_mib=256, disk_mib=4, processes=8, output_bytes=20_000)
Make = Callable[..., Sandbox | OrdinarySandbox]
Box = Sandbox | OrdinarySandbox


@pytest.fixture(scope="module", params=["bubblewrap", "namespaces", "bubblewrap, ordinary user"])
def make(request: pytest.FixtureRequest) -> Make:
    """Makes a sandbox of the kind that is attacked."""
    root = os.geteuid() == 0
    if request.param == "bubblewrap, ordinary user":
        if not root:
            pytest.skip("bubblewrap itself is tested as an ordinary user")
        return lambda limits=LIMITS: OrdinarySandbox(limits)
    kind = SandboxKind(request.param)
    if kind is SandboxKind.NAMESPACES and not root:
        pytest.skip("only root can make them")
    assert trouble(kind) is None
    return lambda limits=LIMITS: Sandbox(kind, limits)


@pytest.fixture(scope="module")
def shared(make: Make) -> Iterator[list[Box]]:
    held = [make()]
    yield held
    held[0].close()


@pytest.fixture
def box(make: Make, shared: list[Box]) -> Box:
    """A sandbox that is as good as new: an attack that spoiled it costs the next one a start."""
    if not shared[0].reusable:
        shared[0].close()
        shared[0] = make()
    return shared[0]


def attack(box: Box, source: str, stdin: str = "") -> ProgramResult:
    """Run an attack, and make sure that the sandbox still answers as if nothing had been."""
    result = box.run(source, stdin)
    after = box.run("print(6 * 7)")
    assert (after.status, after.stdout) == ("ok", "42\n")
    return result


# What it may see


def test_no_file_of_the_host(box: Box, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("classified")
    code = f"""
import os
for path in ("/etc/passwd", "/etc/shadow", "/etc/hostname", {str(secret)!r}, {str(Path.home())!r} + "/.bashrc"):
    print(os.path.exists(path))
"""
    assert attack(box, code).stdout.split() == ["False"] * 5


def test_no_place_of_the_host_but_those_that_are_shown(box: Box) -> None:
    mounts = attack(box, "print(open('/proc/self/mountinfo').read())").stdout
    assert "/usr/lib" in mounts
    assert str(Path(sandbox.__file__).parent) not in mounts
    assert "ordinary-" not in mounts  # the copy that another user runs


def test_no_program_but_python(box: Box) -> None:
    code = "import os\nfor p in ('/bin/sh', '/usr/bin/env', '/usr/bin/mount', '/usr/bin/gcc'): print(os.path.exists(p))"
    assert set(attack(box, code).stdout.split()) == {"False"}


def test_no_installed_package(box: Box) -> None:
    code = """
import glob, sys
print([p for folder in sys.path + ["/usr/lib/python3"] for p in glob.glob(folder + "/*-packages/*")])
try: import pydantic
except ImportError: print("none")
"""
    assert attack(box, code).stdout == "[]\nnone\n"


def test_no_variable_of_the_environment(box: Box, monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_classified")
    fresh = make()
    result = fresh.run("import os; print(dict(os.environ)); print(open('/proc/self/environ').read())")
    fresh.close()
    assert "HOME" in result.stdout
    assert "classified" not in result.stdout
    assert "HF_TOKEN" not in result.stdout


def test_no_process_of_the_host(box: Box) -> None:
    code = "import os; print(sorted(int(n) for n in os.listdir('/proc') if n.isdigit()), os.getpid())"
    pids, own = attack(box, code).stdout.rsplit(" ", 1)
    assert pids == f"[1, {own.strip()}]"


def test_nothing_of_process_1(box: Box) -> None:
    code = """
import os
for name in ("environ", "mem", "maps", "fd", "fd/3", "root", "cwd", "exe"):
    try:
        path = "/proc/1/" + name
        os.listdir(path) if name in ("fd", "root", "cwd") else open(path, "rb").read(1)
        print("read", name)
    except OSError: pass
"""
    assert attack(box, code).stdout == ""


def test_not_the_name_of_the_host(box: Box) -> None:
    assert attack(box, "import socket; print(socket.gethostname())").stdout == "sandbox\n"
    assert socket.gethostname() != "sandbox"


def test_no_device_but_the_harmless_ones(box: Box) -> None:
    code = "import os; print([n for n in ('kmsg', 'mem', 'sda', 'vda', 'kvm', 'fuse') if os.path.exists('/dev/' + n)])"
    assert attack(box, code).stdout == "[]\n"


def test_a_symlink_leads_nowhere_outside(box: Box) -> None:
    code = """
import os
os.symlink("/etc/passwd", "link")
os.symlink("/proc/1/root/etc/passwd", "deep")
os.symlink("../../../etc/passwd", "up")
for name in ("link", "deep", "up"):
    try: print(open(name).read())
    except OSError as error: print(type(error).__name__)
"""
    assert set(attack(box, code).stdout.split()) <= {"FileNotFoundError", "PermissionError"}


def test_nothing_above_the_root(box: Box) -> None:
    code = """
import os
os.chdir("/"); os.chdir("../../..")
print("work" in os.listdir("."), "home" in os.listdir("."))
try: os.chroot("/tmp")
except PermissionError: print("refused")
"""
    assert attack(box, code).stdout == "False False\nrefused\n"


# Other calls and samples


def test_no_file_is_left_for_the_next_call(make: Make) -> None:
    """The pool throws a sandbox away that is not as good as new."""
    for code in (
        "open('note', 'w').write('x')",
        "open('/dev/shm/note', 'w').write('x')",
        "import os; open('n', 'w').close(); os.remove('n')",
        "import os; os.mkdir('a' * 200)",
    ):
        box = make()
        assert box.run("print(1)").ok
        assert box.reusable
        assert box.run(code).ok
        assert not box.reusable, code
        box.close()


def test_no_mode_or_attribute_of_a_folder_is_left(make: Make) -> None:
    box = make()
    code = """
import os
for change in (lambda: os.chmod("/tmp", 0o755), lambda: os.setxattr("/tmp", "user.note", b"x")):
    try: change(); print("changed")
    except OSError: print("refused")
"""
    changed = "changed" in box.run(code).stdout
    assert box.reusable is not changed
    box.close()


def test_no_process_is_left_for_the_next_call(box: Box) -> None:
    code = """
import os, time, signal
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0: time.sleep(60)
        os._exit(0)
"""
    assert attack(box, code).status == "ok"
    seen = box.run("import os; print([n for n in os.listdir('/proc') if n.isdigit()].__len__())")
    assert seen.stdout == "2\n"


def test_no_zombie_is_left(box: Box) -> None:
    attack(box, "import os\nfor _ in range(5):\n    if os.fork() == 0: os._exit(0)")
    assert box.run("import os; print(sum(n.isdigit() for n in os.listdir('/proc')))").stdout == "2\n"


def test_no_variable_or_patch_is_left(box: Box) -> None:
    attack(box, "import builtins, math, sys\nbuiltins.print = None\nmath.pi = 3\nsys.modules['json'] = None\nx = 1")
    assert box.run("import json, math; print(math.pi > 3.1, 'x' in globals())").stdout == "True False\n"


def test_sandboxes_do_not_see_each_other(make: Make) -> None:
    first, second = make(), make()
    server = (
        "import socket\ns = socket.socket(socket.AF_UNIX); s.bind('\\0meet'); s.listen()\nopen('/tmp/x', 'w').close()"
    )
    assert first.cell(server).ok
    client = """
import os, socket
print(os.listdir("/tmp"))
try: socket.socket(socket.AF_UNIX).connect("\\0meet"); print("met")
except OSError as error: print(type(error).__name__)
"""
    assert second.cell(client).stdout == "[]\nConnectionRefusedError\n"
    first.close()
    second.close()


# The network


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG"])
def test_no_socket_but_within_the_sandbox(box: Box, family: str) -> None:
    code = f"import socket\ntry: socket.socket(socket.{family}, socket.SOCK_DGRAM)\nexcept OSError as e: print(e.errno)"
    assert attack(box, code).stdout == "13\n"


def test_no_name_is_resolved(box: Box) -> None:
    code = "import socket\ntry: print(socket.getaddrinfo('example.com', 80))\nexcept OSError: print('no')"
    assert attack(box, code).stdout == "no\n"


def test_no_server_of_this_machine_is_reached(box: Box) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket\ntry: socket.create_connection(('127.0.0.1', {port}), 1)\nexcept OSError: print('no')"
        assert attack(box, code).stdout == "no\n"


def test_no_other_interface(box: Box) -> None:
    assert attack(box, "print(open('/proc/net/dev').read().count(':'))").stdout in ("0\n", "1\n")


# Rights


def test_no_right_and_none_to_be_had(box: Box) -> None:
    names = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs")
    code = f"print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith({names})))"
    assert attack(box, code).stdout.split() == ["0000000000000000"] * 5 + ["1"]


def test_no_other_user(box: Box) -> None:
    code = """
import os
for call in (lambda: os.setuid(0), lambda: os.seteuid(0), lambda: os.setgid(0), lambda: os.setgroups([0])):
    try: call(); print("done", os.getuid(), os.geteuid())
    except OSError: print("refused")
print(0 in (os.getuid(), os.geteuid()))
"""
    assert attack(box, code).stdout == "refused\n" * 4 + "False\n"


# Numbers for x86-64 and arm64: the filter is asked, not the C library.
CALLS = {
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "keyctl": (250, 219),
    "bpf": (321, 280), "perf_event_open": (298, 241), "io_uring_setup": (425, 425), "memfd_create": (319, 279),
    "shmget": (29, 194), "userfaultfd": (323, 282), "open_by_handle_at": (304, 265), "init_module": (175, 105),
    "reboot": (169, 142), "kexec_load": (246, 104), "pidfd_getfd": (438, 438),
}  # fmt: skip


def test_no_call_that_reaches_out(box: Box) -> None:
    code = f"""
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
column = 0 if platform.machine() == "x86_64" else 1
for name, numbers in {CALLS!r}.items():
    result = libc.syscall(numbers[column], 0, 0, 0, 0, 0)
    if (result, ctypes.get_errno()) != (-1, errno.EPERM): print(name, result, ctypes.get_errno())
"""
    assert attack(box, code).stdout == ""


def test_no_namespace_by_clone(box: Box) -> None:
    code = """
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
number = 56 if platform.machine() == "x86_64" else 220
for flag in (0x20000, 0x10000000, 0x20000000, 0x40000000):
    print(libc.syscall(number, flag | 17, 0, 0, 0, 0), ctypes.get_errno())
print(libc.syscall(435, 0, 0), ctypes.get_errno())
"""
    assert attack(box, code).stdout == "-1 1\n" * 4 + "-1 38\n"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="only this processor has a second set of calls")
def test_no_call_by_its_other_number(box: Box) -> None:
    code = "import ctypes; l = ctypes.CDLL(None, use_errno=True); print(l.syscall(0x40000000 + 39), ctypes.get_errno())"
    assert attack(box, code).stdout == "-1 1\n"


def test_no_signal_to_process_1(box: Box) -> None:
    code = """
import os, signal
for number in range(1, 65):
    try: os.kill(1, number)
    except OSError: pass
os.kill(os.getppid(), signal.SIGSTOP)
print("still there")
"""
    assert attack(box, code).stdout == "still there\n"


def test_a_signal_to_everyone_ends_only_the_call(box: Box) -> None:
    result = attack(box, "import os\nif os.fork() == 0: os.kill(-1, 9)\nos.wait()")
    assert (result.status, result.exit_code) == ("signal", -9)


@pytest.mark.parametrize("path", ["/", "/dev", "/usr/lib", "/code/inside", "/proc/sys/kernel", "/proc/self"])
def test_nothing_can_be_written_outside_its_folders(box: Box, path: str) -> None:
    code = f"try: open({path + '/new'!r}, 'w')\nexcept OSError as error: print('refused')"
    assert attack(box, code).stdout == "refused\n"


def test_the_code_of_process_1_can_not_be_changed(box: Box) -> None:
    code = "try: open('/code/inside/serve.py', 'a').write('print(1)')\nexcept OSError: print('refused')"
    assert attack(box, code).stdout == "refused\n"


def test_no_setting_of_the_kernel_can_be_changed(box: Box) -> None:
    code = """
for name in ("sys/kernel/core_pattern", "sysrq-trigger", "self/oom_score_adj", "1/oom_score_adj"):
    path = "/proc/" + name
    try: open(path, "w").write("-1"); print("wrote", path)
    except OSError: pass
"""
    assert attack(box, code).stdout == ""


# What it may use


def test_endless_computing_is_stopped(box: Box) -> None:
    result = attack(box, "while True: pass")
    assert result.status in ("cpu", "time")
    assert result.seconds < LIMITS.wall_s + 3


def test_endless_waiting_is_stopped(make: Make) -> None:
    box = make(Limits(wall_s=0.5))
    assert box.run("import time; time.sleep(60)").status == "time"
    assert box.run("import signal, os; os.kill(os.getpid(), signal.SIGSTOP)").status == "time"
    assert box.run("print(1)").ok
    box.close()


def test_computing_spread_over_processes_counts_together(box: Box) -> None:
    code = "import os\nfor _ in range(6):\n    if os.fork() == 0: break\nwhile True: pass"
    result = attack(box, code)
    assert result.status in ("cpu", "time")


def test_ten_gigabytes_are_not_to_be_had(box: Box) -> None:
    result = attack(box, "x = bytearray(10 << 30)")
    assert result.status == "raised"
    assert "MemoryError" in result.stdout


def test_memory_spread_over_processes_counts_together(box: Box) -> None:
    code = """
import os, time
for _ in range(5):
    if os.fork() == 0: break
kept = bytearray(b"x") * (100 << 20)
time.sleep(30)
"""
    assert attack(box, code).status == "memory"


def test_shared_memory_counts(box: Box) -> None:
    code = """
import mmap, os, time
for _ in range(5):
    if os.fork() == 0: break
kept = mmap.mmap(-1, 100 << 20)
for place in range(0, len(kept), 4096): kept[place] = 1
time.sleep(30)
"""
    assert attack(box, code).status == "memory"


def test_a_fork_bomb_starves(box: Box) -> None:
    code = """
import os
while True:
    try: os.fork()
    except OSError: pass
"""
    assert attack(box, code).status in ("cpu", "time", "processes")


def test_processes_are_counted(box: Box) -> None:
    code = """
import os, time
made = 0
try:
    while made < 100:
        if os.fork() == 0: time.sleep(30)
        made += 1
except OSError: pass
print(made)
"""
    assert int(attack(box, code).stdout) < LIMITS.processes


def test_threads_are_counted(box: Box) -> None:
    code = """
import threading, time
made = 0
try:
    while made < 100: threading.Thread(target=time.sleep, args=(30,), daemon=True).start(); made += 1
except RuntimeError: pass
print(made)
"""
    assert int(attack(box, code).stdout) < LIMITS.processes


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_the_disk_can_not_be_filled(box: Box, folder: str) -> None:
    code = f"""
import os
written = 0
try:
    for number in range(20):
        with open(f"{folder}/{{number}}", "wb", buffering=0) as file: written += file.write(bytes(1 << 20))
except OSError: pass
print(written >> 20)
"""
    assert int(attack_spoiling(box, code).stdout) <= LIMITS.disk_mib


def test_one_file_can_not_be_huge(box: Box) -> None:
    code = "f = open('sparse', 'wb')\ntry: f.truncate(1 << 40)\nexcept OSError: print('refused')"
    assert attack_spoiling(box, code).stdout == "refused\n"


def test_empty_files_are_counted(box: Box) -> None:
    result = attack_spoiling(box, "n = 0\nwhile True:\n    open(str(n), 'w').close(); n += 1")
    assert result.status in ("files", "cpu", "time")


def test_descriptors_are_counted(box: Box) -> None:
    code = "import os\nn = 0\ntry:\n    while True: os.pipe(); n += 2\nexcept OSError: print(n)"
    assert int(attack(box, code).stdout) < 64


def test_no_limit_can_be_raised(box: Box) -> None:
    code = """
import resource as r
for name in (r.RLIMIT_AS, r.RLIMIT_NPROC, r.RLIMIT_NOFILE, r.RLIMIT_FSIZE, r.RLIMIT_CPU, r.RLIMIT_CORE):
    try: r.setrlimit(name, (1 << 40, 1 << 40)); print("raised", name)
    except (OSError, ValueError): pass
"""
    assert attack(box, code).stdout == ""


def attack_spoiling(box: Box, source: str) -> ProgramResult:
    """Run an attack that leaves files, so that the sandbox is not used again."""
    result = box.run(source)
    assert result.status != "sandbox"
    assert not box.reusable
    return result


# What it says


def test_endless_printing_is_cut_and_stopped(box: Box) -> None:
    result = attack(box, "while True: print('x' * 10000)")
    assert result.status in ("output", "cpu", "time")
    assert len(result.stdout) < LIMITS.output_bytes + 100
    assert "left out" in result.stdout


def test_a_huge_line_keeps_its_beginning_and_end(box: Box) -> None:
    result = attack(box, "print('a' + 'x' * 10_000_000 + 'b')")
    assert result.stdout.startswith("ax")
    assert result.stdout.endswith("xb\n")
    assert len(result.stdout) < LIMITS.output_bytes + 100


def test_odd_characters_arrive(box: Box) -> None:
    result = attack(
        box, "import os\nprint('\\x00', '\\ud800', '\\U0001f600', flush=True)\nos.write(1, b'\\xff\\xfe\\n')"
    )
    assert result.stdout == "\x00 \\ud800 \U0001f600\n\ufffd\ufffd\n"


def test_lone_surrogates_in_the_code_and_input_do_no_harm(box: Box) -> None:
    assert attack(box, "print(ascii(input()))", "a\ud800b\n").status in ("ok", "raised")
    assert attack(box, "x = '\ud800'").status in ("ok", "raised")


def test_an_answer_can_not_be_forged(box: Box) -> None:
    code = """
import os, struct
body = b"ok 0 6 1\\nforged"
frame = struct.pack(">I", len(body)) + body
for fd in range(1024):
    try: os.write(fd, frame)
    except OSError: pass
raise ValueError("the truth")
"""
    result = attack(box, code)
    assert result.status == "raised"
    assert "the truth" in result.stdout


def test_no_descriptor_but_the_three(box: Box) -> None:
    code = "import os\nfor fd in range(3, 2000):\n    try: os.fstat(fd); print(fd)\n    except OSError: pass"
    assert attack(box, code).stdout == ""


def test_the_descriptors_of_a_cell_say_nothing_to_the_host(make: Make) -> None:
    box = make()
    code = "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'k' * 100)\n    except OSError: pass\nprint(1)"
    assert box.cell(code).status in ("ok", "raised")
    assert box.cell("print(2)").status in ("ok", "raised", "exit", "time")
    box.close()


def test_closed_output_is_no_trouble(box: Box) -> None:
    assert attack(box, "import os, sys\nsys.stdout.close()\nos.close(1); os.close(2)").status == "ok"


def test_a_replaced_output_is_no_trouble(box: Box) -> None:
    result = attack(box, "import sys\nsys.stdout = sys.stderr = 7\nraise SystemExit('bye')")
    assert result.status == "raised"


@pytest.mark.parametrize(
    ("code", "status", "exit_code"),
    [
        ("import sys; sys.exit(3)", "raised", 3),
        ("import os; os._exit(0)", "ok", 0),
        ("exit()", "ok", 0),
        ("raise KeyboardInterrupt", "raised", 1),
        ("import os; os.abort()", "signal", -6),
        ("import ctypes; ctypes.string_at(0)", "signal", -11),
        ("import atexit; atexit.register(lambda: print('late'))", "ok", 0),
        ("import os\nif os.fork() == 0: os.setsid()\nos._exit(5)", "raised", 5),
    ],
)
def test_every_way_to_end_is_told(box: Box, code: str, status: str, exit_code: int) -> None:
    result = attack(box, code)
    assert (result.status, result.exit_code) == (status, exit_code)


def test_a_hook_at_the_end_that_hangs_is_stopped(make: Make) -> None:
    box = make(Limits(wall_s=0.5))
    assert box.run("import atexit, time; atexit.register(time.sleep, 60)").status == "time"
    assert box.run("import threading, time; threading.Thread(target=time.sleep, args=(60,)).start()").status == "time"
    box.close()


def test_endless_recursion_is_an_error(box: Box) -> None:
    result = attack(box, "def f(): return f()\nf()")
    assert result.status == "raised"
    assert "RecursionError" in result.stdout


def test_recursion_beyond_the_stack_is_told(box: Box) -> None:
    code = "import sys\nsys.setrecursionlimit(10**9)\nx = []\nfor _ in range(10**6): x = [x]\nrepr(x)"
    assert attack(box, code).status in ("signal", "raised", "cpu", "time")


def test_an_error_that_can_not_be_printed_is_told(box: Box) -> None:
    code = "class E(Exception):\n    def __str__(self): raise self\nraise E"
    result = attack(box, code)
    assert result.status == "raised"
    assert "E" in result.stdout


def test_code_that_does_not_compile_is_told(box: Box) -> None:
    assert "SyntaxError" in attack(box, "1 +").stdout
    assert attack(box, "(" * 10_000).status in ("raised", "signal")
    assert attack(box, "x = '\0'").status == "raised"


def test_the_frames_of_process_1_hold_nothing(box: Box) -> None:
    code = """
import gc, os, socket, sys
links = [o for o in gc.get_objects() if isinstance(o, socket.socket)]
for link in links:
    try: link.send(b"x"); print("sent")
    except OSError: pass
frame = sys._getframe()
while frame: frame = frame.f_back
"""
    assert attack(box, code).stdout == ""
