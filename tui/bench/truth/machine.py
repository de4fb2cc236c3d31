"""What forces processes into a state, and what says how they fare; nothing of it asks pipetop."""
import bisect, contextlib, ctypes, glob, os, re, shutil, signal, struct, subprocess, sys, tempfile, threading, time

def read(path):
    try:
        with open(path) as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ''

def write(path, text):
    with open(path, 'w') as file:
        file.write(str(text))

def comm(pid):
    return read(f'/proc/{pid}/comm').strip()

# ---- what limits a process ----

def run_first():
    """Before all that the others do; what this thread starts does not."""
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))

class Machine:
    """Groups of processes that are frozen, limited, and seen to the end of."""

    def __init__(self):
        mounts = [line.split() for line in read('/proc/mounts').splitlines()]
        unified = next((m[1] for m in mounts if m[2] == 'cgroup2'), '')
        legacy = next((m[1] for m in mounts if m[2] == 'cgroup' and 'cpu' in m[3].split(',')), '')
        if os.getuid() or not unified or not (legacy or 'cpu' in read(unified + '/cgroup.controllers').split()):
            print('truth: needs root, cgroup2 and a CPU controller, to freeze and to limit processes', file=sys.stderr)
            sys.exit(3)
        self.freezing = f'{unified}/pipetop-truth.{os.getpid()}'
        self.limiting = f'{legacy or unified}/pipetop-truth.{os.getpid()}'
        self.trees = list(dict.fromkeys([self.freezing, self.limiting]))
        self.groups = [tree + group for tree in self.trees for group in ('', '/run', '/slow', '-tool')]
        self.started, self.hogs = [], []
        run_first()

    def __enter__(self):
        self.hogs.clear()
        self.over, self.scratch = threading.Event(), tempfile.mkdtemp(prefix='pipetop-truth.', dir='/var/tmp')
        for group in self.groups:  # with 4 times the usual weight: the rest of the machine may be busy, and RCU has to go on
            os.mkdir(group)
            for file, value in (('cpu.weight', 400), ('cpu.shares', 4096)):
                if os.path.exists(f'{group}/{file}'):
                    write(f'{group}/{file}', value)
            if group in self.trees and os.path.exists(f'{group}/cpu.max'):
                write(f'{group}/cgroup.subtree_control', '+cpu')
        self.began = time.monotonic(), self.busy()
        return self

    def __exit__(self, *_):
        self.over.set()
        end = time.monotonic() + 10
        while any(map(os.path.isdir, self.groups)) and time.monotonic() < end:
            self.freeze(False)
            for group in reversed(self.groups):
                self.end(read(f'{group}/cgroup.procs').split())
                with contextlib.suppress(OSError):
                    os.rmdir(group)
            time.sleep(0.02)
        while self.started:
            self.started.pop().wait()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def busy(self):
        """CPU seconds of all processes but ours, and those that the host took."""
        ticks = [int(x) / 100 for x in read('/proc/stat').split('\n')[0].split()[1:]]
        usage = [re.search(r'usage_usec (\d+)', read(self.freezing + g + '/cpu.stat')) for g in ('', '-tool')]
        return sum(ticks[:3] + ticks[5:7]) - sum(int(u[1]) / 1e6 for u in usage if u), ticks[7]

    def others(self):
        """How many CPUs other processes used in this cell, and which share of one the host took."""
        return [(now - then) / (time.monotonic() - self.began[0]) for now, then in zip(self.busy(), self.began[1])]

    def enter(self, group, pid=0):
        for tree in self.trees:
            write(tree + group + '/cgroup.procs', pid or os.getpid())

    def start(self, group, command, **more):
        self.started.append(subprocess.Popen(command, preexec_fn=lambda: self.enter(group), cwd=self.scratch, **{
            'start_new_session': True, 'stdin': subprocess.DEVNULL, 'stdout': subprocess.DEVNULL,
            'stderr': subprocess.DEVNULL, **more}))
        return self.started[-1]

    def processes(self):
        return sorted(map(int, read(self.freezing + '/run/cgroup.procs').split()))

    def may_use(self, group, percent):
        group = self.limiting + group
        v2 = os.path.exists(f'{group}/cpu.max')
        write(f'{group}/cpu.' + ('max' if v2 else 'cfs_quota_us'), f'{1000 * percent}' + ' 100000' * v2)  # of 100 ms

    def freeze(self, on):
        with contextlib.suppress(OSError):  # it is gone
            write(f'{self.freezing}/slow/cgroup.freeze', int(on))

    def freeze_most_of_the_time(self):
        run_first()
        over = self.over
        while not over.wait(0.005):
            self.freeze(True)
            over.wait(0.045)
            self.freeze(False)

    def hog(self, cpu):
        """It ends by itself even if we are killed."""
        self.hogs.append(self.start('/run', ['timeout', '30', 'taskset', '-c', str(cpu), 'sh', '-c', 'while :; do :; done']))

    def end(self, pids):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)

    def end_hogs(self):
        while self.hogs:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.hogs.pop().pid, signal.SIGKILL)

    def force(self, how, pids):
        for pid in pids:
            if how in ('slow', 'quota', 'freeze'):
                self.enter('/slow', pid)
            if how == 'starve':
                cpu = min(os.sched_getaffinity(pid))
                os.setpriority(os.PRIO_PROCESS, pid, 19)
                os.sched_setaffinity(pid, {cpu})
                self.hog(cpu)
            if how == 'stop':
                os.kill(pid, signal.SIGSTOP)
        if how == 'quota':
            self.may_use('/slow', 10)
        if how == 'freeze':
            self.freeze(True)
        if how == 'slow':
            threading.Thread(target=self.freeze_most_of_the_time, daemon=True).start()

# ---- what is so ----

# Who was woken still seems to sleep until its CPU gets to it: in a virtual machine so long.
WAKEUP_S = 60e-6

def sleeps_in(file):
    """Where a process sleeps; nothing if it doesn't."""
    wchan = ''
    with contextlib.suppress(OSError):
        wchan = os.pread(file, 64, 0).decode()
    found = re.search('pipe_(read|write|wait_readable|wait_writable)', wchan)
    return wchan.strip('0') if not found else 'reading' if 'read' in found[1] else 'writing'

def task_clock(tid):
    attributes = ctypes.create_string_buffer(struct.pack('IIQ', 1, 112, 1), 112)  # software, size, task-clock
    return ctypes.CDLL(None).syscall({'x86_64': 298}.get(os.uname().machine, 241), attributes, int(tid), -1, -1, 0)

class Record:
    """How processes fared. Where they sleep is looked at a hundred times a second, and quickly: those
    that are woken meanwhile may have to wait for our CPU."""

    def __init__(self, pids):
        self.at, self.rows, self.asleep, self.wchan, self.clocks, self.tasks = [], [], [], {}, {}, {}
        for pid in pids:
            with contextlib.suppress(OSError):  # it has exited
                self.wchan[pid] = os.open(f'/proc/{pid}/wchan', os.O_RDONLY)
                self.tasks[pid] = glob.glob(f'/proc/{pid}/task/*')
                self.clocks[pid] = [task_clock(os.path.basename(task)) for task in self.tasks[pid]]

    def close(self):
        for file in [*self.wchan.values(), *sum(self.clocks.values(), [])]:
            if file >= 0:
                os.close(file)

    def take(self):
        self.asleep.append((time.time_ns(), {pid: sleeps_in(file) for pid, file in self.wchan.items()}))
        if len(self.asleep) % 6 != 1:
            return
        row = {}
        for pid, clocks in self.clocks.items():
            times = [read(task + '/schedstat').split() for task in self.tasks[pid]]
            io = dict(line.split(': ') for line in read(f'/proc/{pid}/io').splitlines())
            sleeps = re.search(r'^voluntary_ctxt_switches:\s*(\d+)', read(f'/proc/{pid}/status'), re.M)
            if times and all(times) and io and sleeps:
                row[pid] = {key: int(value) for key, value in io.items()}
                row[pid]['on'], row[pid]['delay'] = (sum(int(t[i]) for t in times) for i in (0, 1))
                row[pid]['sleeps'] = int(sleeps[1])
                row[pid]['clock'] = sum(int.from_bytes(os.read(file, 8), sys.byteorder) for file in clocks if file >= 0)
        self.at.append(time.time_ns())
        self.rows.append(row)

    def until(self, process, seconds):
        """Until the process has ended; it says whether it did."""
        end = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < end:
            self.take()
            time.sleep(0.008)
        return process.poll() is not None

    def per_second(self, pid, key, begin=0, end=1 << 63):
        rows = [i for i in range(bisect.bisect(self.at, begin), bisect.bisect(self.at, end)) if pid in self.rows[i]]
        if len(rows) < 9:
            return None
        first, last = rows[0], rows[-1]
        return 1e9 * (self.rows[last][pid][key] - self.rows[first][pid][key]) / (self.at[last] - self.at[first])

    def shares(self, pid, begin, end):
        """In percent: it ran, waited for a CPU, slept in a pipe; by how much that may be off. What those
        who observe a switch take belongs to no one: schedstat has it where a process ran, others elsewhere."""
        so = {key: self.per_second(pid, key, begin, end) for key in ('on', 'delay', 'clock')}
        if None in so.values():
            return None
        so = {key: share / 1e7 for key, share in so.items()}
        asleep = [row[pid] for at, row in self.asleep if begin <= at <= end and row[pid]]
        so['off'], so['switches'] = max(0, 100 - so['on'] - so['delay']), abs(so['on'] - so['clock'])
        for key in ('reading', 'writing'):
            so[key] = so['off'] * asleep.count(key) / max(len(asleep), 1)
        so['own'], so['else'] = 100 - so['reading'] - so['writing'], so['off'] - so['reading'] - so['writing']
        so['woken'] = 100 * WAKEUP_S * (self.per_second(pid, 'sleeps', begin, end) or 0)
        # A wait is counted when it is over: by so much more than the time between two looks.
        rows = [(at, row[pid]['delay']) for at, row in zip(self.at, self.rows) if pid in row]
        late = max((b[1] - a[1] - b[0] + a[0] for a, b in zip(rows, rows[1:]) if begin <= b[0] <= end), default=0)
        so['switches'] += max(0, 100 * late / (end - begin))
        so['error'] = so['switches'] + 1.5 * so['off'] / max(len(asleep), 1)**0.5
        return so
