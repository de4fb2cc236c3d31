"""The states that are forced, and the stages that pipelines in Python have."""
import contextlib, fcntl, functools, mmap, multiprocessing, os, random, select, socket, sys, time

# NAME, how it is forced, the right verdict on it, flags of `pipetop run`.
#   slow-ROLE    it is frozen for nine tenths of the time, like the end of a slow device
#   quota-ROLE   it may use a tenth of a CPU
#   starve-ROLE  it is at nice 19, beside a hog on its CPU
#   stop-ROLE    it is stopped
OWN = '''
slow_writer        slow-writer    writer      --preset write_read
slow_reader        slow-reader    reader      --preset write_read
slow_writer_spin   slow-writer    writer      --preset busy_loop_huge
slow_reader_spin   slow-reader    reader      --preset busy_loop_huge
slow_writer_poll   slow-writer    writer      --preset busy_loop_huge --wait busy_poll
slow_reader_poll   slow-reader    reader      --preset busy_loop_huge --wait busy_poll
slow_writer_splice slow-writer    writer      --preset vmsplice_splice
slow_reader_adapt  slow-reader    reader      --preset write_read --wait adaptive
quota_writer       quota-writer   writer      --preset write_read
quota_reader       quota-reader   reader      --preset write_read
quota_writer_spin  quota-writer   writer      --preset busy_loop_huge
quota_reader_spin  quota-reader   reader      --preset busy_loop_huge
starved_writer     starve-writer  writer      --preset busy_loop_huge
starved_reader     starve-reader  reader      --preset busy_loop_huge
same_cpu           -              cpu         --preset write_read --placement same_cpu
same_cpu_spin      -              cpu         --preset busy_loop_huge --placement same_cpu
tiny_pipe          -              wakeup      --preset write_read --pipe_size 4KiB
busy_copies        -              lock        --preset write_read --wait busy
page_lookups       -              writer      --preset vmsplice_splice --buf_size 16MiB
copying_reader     -              reader      --preset vmsplice_read_huge --buf_size 1MiB
large_pipe_reader  -              reader|lock --preset vmsplice_read_huge --pipe_size 1MiB
stamping_writer    slow-writer    writer      --preset write_read --payload stamped
stopped_reader     stop-reader    none        --preset write_read
stopped_writer     stop-writer    none        --preset write_read
slow_motion        -              none        --preset write_read --slow_motion
unobserved         -              none        --preset write_read --observers off
page_cache         -              none        -c configs/page-cache.yaml
'''

# NAME, what is right to say, how it is forced, the command. Right is KIND[:STAGE[/WAITS_FOR]], one or
# more of them. A stage is forced as above, frozen (all the time), or nothing needs to be done. Of what
# ends by itself, "whole", pipetop runs the command. T is a directory. S NAME STEP does a step in Python
# again and again, with data if it asks for it.
FOREIGN = '''
gzip            stage:gzip               -            cat /dev/zero | gzip -1 | cat >/dev/null
gzip_random     stage:gzip               -            cat /dev/urandom | gzip | cat >/dev/null
gzip_chain      stage:gzip               -            cat /dev/zero | cat | cat | gzip | cat | cat >/dev/null
xz              stage:xz                 -            cat /dev/urandom | xz -1 | cat >/dev/null
xz_one_thread   stage:xz                 -            cat /dev/urandom | xz -T1 -1 | cat >/dev/null
zstd            stage:zstd               -            cat /dev/urandom | zstd -q -12 | cat >/dev/null
zstd_threads    stage:zstd               -            cat /dev/zero | S mix "put(data[:32768] + noise)" | zstd -q -T2 -15 | cat >/dev/null
slow_source     outside:pv|stage:pv      -            pv -qL 200k /dev/zero | gzip | cat >/dev/null
slow_middle     stage:pv                 -            cat /dev/zero | pv -qL 2m | cat >/dev/null
slow_sink       stage:pv|outside:pv      -            cat /dev/zero | pv -qL 2m >/dev/null
slow_sink_file  stage:pv|outside:pv      -            cat /dev/zero | pv -qL 2m >T/f
dsync           stage:dd/disk            -            cat /dev/zero | dd of=T/f bs=64k oflag=dsync iflag=fullblock
direct_write    stage:dd/disk            -            cat /dev/zero | dd of=T/f bs=64k oflag=direct iflag=fullblock
direct_read     stage:direct/disk        -            head -c 16M /dev/zero >T/f; S direct "fcntl(3, 4, O_DIRECT), preadv(3, [page], randrange(4096) << 12), put(page)" 3<T/f | cat >/dev/null
fsync           stage:sync/disk          -            cat /dev/zero | S sync "write(3, data), fsync(3)" 3>T/f
starved         stage:gzip               starve-gzip  cat /dev/zero | gzip | cat >/dev/null
quota           stage:gzip               quota-gzip   cat /dev/zero | gzip | cat >/dev/null
stopped         stopped:gzip             stop-gzip    cat /dev/zero | gzip | cat >/dev/null
stopped_source  stopped:cat              stop-cat     cat /dev/zero | gzip >/dev/null
frozen          stage:gzip|stopped:gzip|idle|unknown  freeze-gzip  cat /dev/zero | gzip | cat >/dev/null
mostly_frozen   stage:gzip|stopped:gzip  slow-gzip    cat /dev/zero | gzip | cat >/dev/null
frozen_source   outside:cat|stage:cat|stopped:cat     slow-cat     cat /dev/zero | gzip -1 >/dev/null
tiny_lines      stage:lines|balanced     -            S lines "write(1, noise[:35])" | wc -l
tiny_reads      stage:bash               -            yes 'a line of thirty-five bytes or so' | while read -r x; do :; done
tiny_blocks     stage:dd|balanced        -            dd if=/dev/zero bs=1 | cat >/dev/null
tee             stage:gzip               -            cat /dev/zero | tee >(gzip >/dev/null) | cat >/dev/null
tee_two_slow    stage:xz                 -            cat /dev/urandom | tee >(gzip -1 >/dev/null) | xz -1 >/dev/null
to_socket       stage:pv                 -           cat /dev/zero | { sleep 0.3; exec socat -u - UNIX:T/s; } & socat -u UNIX-LISTEN:T/s - | pv -qL 2m >/dev/null
from_socket     outside:socat            -            socat -u UNIX-LISTEN:T/s - | gzip | cat >/dev/null & sleep 0.2; pv -qL 200k /dev/zero | socat -u - UNIX:T/s
child           stage:child/child        -            cat /dev/zero | S child "system('sleep 0.02'), put(data)" | cat >/dev/null
child_source    outside:bash|stage:bash  -            while :; do sleep 0.1; head -c 64k /dev/zero; done | gzip -1 >/dev/null
child_loop      stage:bash/child         -            yes | while read -r x; do sleep 0.1; done
nap             stage:nap/sleep          -            cat /dev/zero | S nap "data, sleep(0.01)"
burst           bursty                   -            S burst "put(bytes(1 << 20)), sleep(0.1)" | S chew "burn(4, data)"
burst_slow      stage:chew               -            S burst "put(bytes(1 << 20)), sleep(0.01)" | S chew "burn(10, data)"
burst_rare      outside:burst|stage:burst -            S burst "put(bytes(1 << 16)), sleep(0.1)" | S chew "burn(2, data)"
spinning_reader outside:pv|stage:pv      -            pv -qL 1m /dev/zero | S spin "set_blocking(0, False), data"
balanced        balanced                 -            S feed "put(bytes(1 << 16)), burn(2)" | S chew "burn(2, data)"
busy_source     stage:feed               -            S feed "put(bytes(1 << 16)), burn(2)" | cat >/dev/null
two_sources     stage:feed               -            { S feed "put(bytes(1 << 16)), burn(2)" & S feed "put(bytes(1 << 16)), burn(2)" & } | cat >/dev/null
two_sinks       stage:gzip               -            cat /dev/zero | { gzip >/dev/null <&3 & gzip >/dev/null; } 3<&0
one_cpu         stage:chew               -            taskset -cp 0 $$ >/dev/null; cat /dev/zero | S chew "burn(5, data)"
deadlock        deadlock                 -            mkfifo T/a T/b; cat <T/a >T/b & cat >T/a <T/b
idle            idle                     -            sleep 60 | cat
sort            stage:sort               whole        yes "$(head -c 3000 /dev/urandom | base64)" | head -c 150M | sort -S 400M --parallel=1 | tail -n 1
tar             stage:gzip               whole        tar c /usr/lib/x86_64-linux-gnu/*.so.* 2>/dev/null | head -c 150M | gzip >/dev/null
loop            stage:gzip               whole        for i in {1..40}; do head -c 8M /dev/zero | gzip | cat >/dev/null; done
short           stage:gzip               whole        head -c 60M /dev/zero | gzip -1 >/dev/null
shortest        unknown|idle             whole        echo one | cat
ask_works       stage:client             -            S server "reply('T/p', 200, 150000)" & S client "ask('T/p', 200, 150000), burn(15)"
ask_works_small stage:client             -            S server "reply('T/p', 30, 3000)" & S client "ask('T/p', 30, 3000), burn(4)"
ask_works_much  stage:client             -            S server "reply('T/p', 100, 4000000)" & S client "ask('T/p', 100, 4000000), burn(60)"
ask_sleeps      stage:client/sleep       -            S server "reply('T/p', 100, 80000)" & S client "ask('T/p', 100, 80000), sleep(0.03)"
ask_sleeps_long stage:client/sleep       -            S server "reply('T/p', 64, 500000)" & S client "ask('T/p', 64, 500000), sleep(0.2)"
ask_server      stage:server             -            S server "reply('T/p', 100, 100000), burn(15)" & S client "ask('T/p', 100, 100000)"
ask_server_nap  stage:server/sleep       -            S server "reply('T/p', 100, 100000), sleep(0.02)" & S client "ask('T/p', 100, 100000)"
ask_to_pipe     stage:gzip               -            S server "reply('T/p', 100, 100000)" & S client "ask('T/p', 100, 100000), put(noise)" | gzip >/dev/null
ask_from_pipe   stage:client             -            S server "reply('T/p', 100, 100000)" & cat /dev/zero | S client "data, ask('T/p', 100, 100000), burn(12)"
poll_works      stage:client             -            S server "reply_polled('T/p', 200, 150000)" & S client "ask('T/p', 200, 150000), burn(15)"
poll_sleeps     stage:client/sleep       -            S server "reply_polled('T/p', 64, 64000)" & S client "ask('T/p', 64, 64000), sleep(0.05)"
poll_server     stage:server             -            S server "reply_polled('T/p', 64, 64000), burn(12)" & S client "ask('T/p', 64, 64000)"
upload_server   stage:server             -            S server "reply('T/p', 120000, 4), burn(15)" & S client "ask('T/p', 120000, 4)"
upload_nap      stage:server/sleep       -            S server "reply('T/p', 300000, 8), sleep(0.03)" & S client "ask('T/p', 300000, 8)"
upload_client   stage:client             -            S server "reply('T/p', 120000, 4)" & S client "ask('T/p', 120000, 4), burn(15)"
upload_pipe     stage:server             -            S server "reply('T/p', 120000, 4), burn(15)" & cat /dev/zero | S client "data, ask('T/p', 120000, 4)"
upload_polled   stage:server             -            S server "reply_polled('T/p', 120000, 4), burn(15)" & S client "ask('T/p', 120000, 4)"
log_source      stage:pv                 -            S logged "with_socket('pv -qL 300k /dev/zero')" | gzip | cat >/dev/null
log_middle      stage:pv                 -            cat /dev/zero | S logged "with_socket('pv -qL 3m')" | cat >/dev/null
log_sink        stage:pv                 -            cat /dev/zero | S logged "with_socket('pv -qL 3m')" >/dev/null
log_gzip        stage:gzip               -            cat /dev/zero | S logged "with_socket('gzip -1')" | cat >/dev/null
chain_pv        stage:pv                 -            socat -u TCP-LISTEN:47311,reuseaddr - | md5sum & sleep 0.2; pv -qL 400k /dev/zero | socat -u - TCP:127.0.0.1:47311
chain_sink      stage:pv                 -            socat -u TCP-LISTEN:47312,reuseaddr - | pv -qL 2m >/dev/null & sleep 0.2; cat /dev/zero | socat -u - TCP:127.0.0.1:47312
chain_gzip      stage:gzip               -            socat -u TCP-LISTEN:47313,reuseaddr - | gzip -6 >/dev/null & sleep 0.2; cat /dev/zero | socat -u - TCP:127.0.0.1:47313
fork_reader     stage:taker/sleep        -            S giver "both_ends('taker', 50000, 0, 0.04)"
fork_writer     stage:giver/sleep        -            S giver "both_ends('taker', 50000, 0.04, 0)"
fork_small      stage:taker/sleep        -            S giver "both_ends('taker', 700, 0, 0.01)"
fork_large      stage:giver/sleep        -            S giver "both_ends('taker', 200000, 0.1, 0)"
queue_reader    stage:taker/sleep        -            S giver "queue('taker', 1, 40000, 0, 0.05)"
queue_three     stage:taker/sleep        -            S giver "queue('taker', 3, 40000, 0, 0.05)"
queue_writer    stage:giver/sleep        -            S giver "queue('taker', 1, 40000, 0.05, 0)"
queue_writer_3  stage:giver/sleep        -            S giver "queue('taker', 3, 40000, 0.03, 0)"
log_of_bash     stage:slow/sleep         -            bash -c 'S slow "put(noise[:9000]), sleep(0.03)" | S drain data; :' | cat >/dev/null
log_of_sh       stage:slow/sleep         -            sh -c 'S slow "put(noise[:300]), sleep(0.01)" | S drain data; :' | cat >/dev/null
log_of_timeout  stage:drain/sleep        -            timeout 60 bash -c 'cat /dev/zero | S drain "data, sleep(0.01)"; :' | cat >/dev/null
log_of_two      stage:gzip               -            bash -c 'bash -c "cat /dev/urandom | gzip >/dev/null; :"; :' 2>&1 | cat >/dev/null
tee_paced       stage:pv                 -            cat /dev/zero | tee >(S chew "burn(0.4, data)") | pv -qL 40m >/dev/null
tee_paced_gzip  stage:pv                 -            cat /dev/zero | tee >(gzip -1 >/dev/null) | pv -qL 60m >/dev/null
tee_paced_first stage:pv                 -            cat /dev/zero | tee >(pv -qL 20m >/dev/null) | S chew "burn(2, data)"
tee_bursts      stage:pv                 -            cat /dev/zero | tee >(S chew "burn(2.3, data)") | pv -qL 20m >/dev/null
tee_bursts_slow stage:pv                 -            cat /dev/zero | tee >(S chew "burn(4.2, data)") | pv -qL 10m >/dev/null
nothing_sent    stage:sh|outside:sh|idle -            sh -c 'sleep 60; :' | cat | S script "system('sleep 60')"
make            unknown|idle             whole        printf 'all: a b c d\\n%%:\\n\\t@S burn "burn(900), _exit(0)"\\n' | make -sj2 -f -
'''
CONDITIONS = {'own': 'quiet hogs nice quota one_cpu', 'foreign': 'quiet hogs quota'}

# ---- what stages can do ----

def put(data):
    while data:
        data = data[os.write(1, data):]

def burn(ms, data=bytes(1 << 16)):
    end = time.thread_time() + ms / 1000 * len(data) / (1 << 16)
    while time.thread_time() < end:
        pass

@functools.cache
def listen(file):
    """A listening socket, whose port is in a file."""
    server = socket.create_server(('127.0.0.1', 0))
    with open(file + '.new', 'w') as new:
        new.write(str(server.getsockname()[1]))
    os.rename(file + '.new', file)
    return server

@functools.cache
def accept(file):
    return listen(file).accept()[0]

@functools.cache
def connect(file):
    while not os.path.exists(file):
        time.sleep(0.01)
    with open(file) as port:
        return socket.create_connection(('127.0.0.1', int(port.read())))

def take(connection, count):
    while count:
        data = connection.recv(min(count, 1 << 16))
        if not data:
            sys.exit()
        count -= len(data)

def reply(file, taken, sent):
    take(accept(file), taken)
    accept(file).sendall(bytes(sent))

@functools.cache
def epoll(file):
    events = select.epoll()
    for one in (listen(file), accept(file)):
        events.register(one, select.EPOLLIN)
    return events

def reply_polled(file, taken, sent):
    epoll(file).poll()
    reply(file, taken, sent)

def ask(file, sent, taken):
    connect(file).sendall(bytes(sent))
    take(connect(file), taken)

def with_socket(command):
    """Its standard error, and another descriptor, lead to a log, as those of a service."""
    ours, log = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        while log.recv(1 << 16):
            pass
        os._exit(0)
    for fd in (2, 9):
        os.dup2(ours.fileno(), fd)
    os.execvp(command.split()[0], command.split())

def rename(name):
    with open('/proc/self/comm', 'w') as file:
        file.write(name)

def both_ends(other, count, give_s, take_s):
    """Two processes, neither of which closes the end that it doesn't use."""
    reads, writes = os.pipe()
    if os.fork() == 0:
        rename(other)
        while True:
            os.read(reads, 1 << 16)
            time.sleep(take_s)
    while True:
        os.write(writes, bytes(count))
        time.sleep(give_s)

def queue(other, takers, count, give_s, take_s):
    """The same with Python's queue."""
    items = multiprocessing.SimpleQueue()
    def run():
        rename(other)
        while True:
            items.get()
            time.sleep(take_s)
    for _ in range(takers):
        multiprocessing.Process(target=run, daemon=True).start()
    while True:
        items.put(bytes(count))
        time.sleep(give_s)


def play(name, step):
    """Does a step again and again, until there is no data."""
    rename(name)
    names = {**vars(os), **globals(), 'sleep': time.sleep, 'randrange': random.randrange,
             'fcntl': fcntl.fcntl, 'page': mmap.mmap(-1, 4096), 'noise': os.urandom(1 << 15), 'data': b'-'}
    code = compile(step, name, 'eval')
    while names['data']:
        with contextlib.suppress(BlockingIOError):
            names['data'] = os.read(0, 1 << 16) if 'data' in step else b'-'
            eval(code, names)
