"""Where a round is played: network namespaces joined by bad_network, small disks, processes that are watched."""
import os
import signal
import subprocess
import time

UNAVAILABLE = 77


def quietly(*command):
    """Whether it succeeds; a program that is not installed does not."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


class Stage:
    """Namespaces for one round at a time; without them, addresses of the loopback. Used by one thread."""

    def __init__(self, build, slot, places):
        self.build = build
        self.slot = slot
        self.spaces = [f"sotto-{os.getpid()}-{slot}-{place}" for place in range(1, places + 1)]
        self.carrier = None
        self.why = ""  # there are no namespaces
        for space in self.spaces:
            if not quietly("ip", "netns", "add", space):
                self.why = "no network namespaces (ip netns add fails)"
                break
        if not self.why:
            self.join(places, 0, [])
            self.part()

    def close(self):
        self.part()
        for space in self.spaces:
            quietly("ip", "netns", "del", space)

    def join(self, places, seed, links):
        """Joins the first namespaces by a network with these faults, whose seconds begin now."""
        self.part()
        if self.why:
            return
        self.carrier = subprocess.Popen(
            [os.path.join(self.build, "tests", "bad_network"), str(seed), *self.spaces[:places], "--", *links],
            stdout=subprocess.PIPE, text=True)
        said = self.carrier.stdout.readline()
        if not said.startswith("up"):
            self.part()
            self.why = said.strip() or "bad_network did not begin"

    def part(self):
        if self.carrier is not None:
            self.carrier.terminate()
            self.carrier.communicate()
            self.carrier = None

    def address(self, place):
        if not self.why:
            return f"10.77.0.{place}:7001"
        pid = os.getpid()
        return f"127.{1 + pid // 62500 % 126}.{pid // 250 % 250}.{1 + pid % 250}:{7001 + 10 * self.slot + place}"

    def command(self, place, environment, words):
        """The words, run at a place; the environment is for the program alone."""
        into = [] if self.why else ["ip", "netns", "exec", self.spaces[place - 1]]
        return [*into, "env", *(f"{key}={value}" for key, value in environment.items()), *words]


class Disk:
    """A small disk at a folder, of which a file takes all but some room until it is freed."""

    def __init__(self, folder):
        self.folder = folder
        self.filler = os.path.join(folder, "filler")
        self.mounted = quietly("mount", "-t", "tmpfs", "-o", "size=8192k,mode=700", "sotto-world", folder)
        self.full = False

    def follow(self, fault, seconds):
        """As full as the fault has it, so many seconds after the act began."""
        full = seconds >= fault.begin and (fault.seconds == 0 or seconds < fault.seconds)
        if full and not self.full:
            self.fill(fault.kilobytes)
        if self.full and not full:
            self.free()

    def fill(self, kilobytes):
        room = os.statvfs(self.folder)
        blocks = room.f_bavail - kilobytes * 1024 // room.f_bsize
        self.full = True
        try:
            with open(self.filler, "wb") as out:
                out.write(bytes(max(0, blocks) * room.f_bsize))
        except OSError:  # a party wrote meanwhile: full is full
            pass

    def free(self):
        self.full = False
        if os.path.exists(self.filler):
            os.truncate(self.filler, 0)

    def close(self):
        if self.mounted:
            quietly("umount", "-l", self.folder)
            self.mounted = False


class Process:
    """One start of a party; what it says goes into a log."""

    def __init__(self, command, folder, log):
        self.log = log
        self.command, self.folder = command, folder
        self.start = os.path.getsize(log) if os.path.exists(log) else 0
        with open(log, "ab") as out:
            self.child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.stopped = None  # since when

    def ended(self):
        """The exit status, or None. Notices that it stopped."""
        if self.child.returncode is None and self.stopped is None:
            try:
                if os.waitid(os.P_PID, self.child.pid, os.WSTOPPED | os.WNOHANG) is not None:
                    self.stopped = time.monotonic()
            except ChildProcessError:
                pass
        return self.child.poll()

    def go_on(self):
        self.child.send_signal(signal.SIGCONT)
        self.stopped = None

    def end(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def said(self):
        """What this start said."""
        with open(self.log, "rb") as log:
            log.seek(self.start)
            return log.read().decode(errors="replace")
