package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"sort"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

const clockMonotonic = 1

// Asks at a fixed rate, whatever comes back: each request is due at its own moment, at random gaps as of many clients who do not know of
// each other, and its time counts from then, also while it waits for a connection that is free.
//
// One thread, one epoll and a timer of the kernel: whoever wakes its clients by a coarse clock sends bursts, and measures those.
func rate(o options) error {
	runtime.LockOSThread()
	l, err := newRateLoad(o)
	if err != nil {
		return err
	}
	if err := l.run(o.duration); err != nil {
		return err
	}
	say(map[string]any{
		"requests": len(l.tookUs), "failures": l.failures, "seconds": o.duration.Seconds(),
		"p50Us": quantile(l.tookUs, 0.5), "p99Us": quantile(l.tookUs, 0.99), "lateP99Us": quantile(l.lateUs, 0.99),
	})
	return nil
}

// A connection and the request that is under way on it.
type asker struct {
	fd    int
	dueAt time.Duration
	got   []byte
}

type rateLoad struct {
	epoll, timer int
	request      []byte
	gap          time.Duration
	began        time.Time
	nextDue      time.Duration
	byFd         map[int32]*asker
	idle         []*asker
	tookUs       []int
	lateUs       []int
	failures     int
	random       *rand.Rand
}

func newRateLoad(o options) (*rateLoad, error) {
	connections, err := dialAll(o)
	if err != nil {
		return nil, err
	}
	epoll, err := syscall.EpollCreate1(0)
	if err != nil {
		return nil, err
	}
	timer, _, failure := syscall.RawSyscall(syscall.SYS_TIMERFD_CREATE, clockMonotonic, syscall.O_NONBLOCK, 0)
	if failure != 0 {
		return nil, failure
	}
	l := &rateLoad{
		epoll: epoll, timer: int(timer), gap: time.Duration(float64(time.Second) / o.rate), byFd: map[int32]*asker{},
		request: []byte("GET " + o.path + " HTTP/1.1\r\nHost: " + o.address + "\r\nUser-Agent: load\r\nAccept: */*\r\n\r\n"),
		random:  rand.New(rand.NewPCG(1, 2)),
	}
	if err := l.watch(l.timer); err != nil {
		return nil, err
	}
	for _, connection := range connections {
		if err := l.add(connection); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// The file is ours from here on: Go's own poller must not see it.
func (l *rateLoad) add(connection net.Conn) error {
	file, err := connection.(*net.TCPConn).File()
	if err != nil {
		return err
	}
	connection.Close()
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return err
	}
	file.Close()
	if err := syscall.SetNonblock(fd, true); err != nil {
		return err
	}
	one := &asker{fd: fd, got: make([]byte, 0, 4096)}
	l.byFd[int32(fd)] = one
	l.idle = append(l.idle, one)
	return l.watch(fd)
}

func (l *rateLoad) watch(fd int) error {
	return syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
}

func (l *rateLoad) run(duration time.Duration) error {
	l.began = time.Now()
	l.nextDue = l.gap
	events := make([]syscall.EpollEvent, 256)
	for {
		if err := l.askDue(duration); err != nil {
			return err
		}
		if l.nextDue > duration && len(l.idle) == len(l.byFd) {
			return nil
		}
		if time.Since(l.began) > duration+10*time.Second {
			return fmt.Errorf("%d requests were not answered", len(l.byFd)-len(l.idle))
		}
		l.setTimer(l.nextDue - time.Since(l.began))
		count, err := syscall.EpollWait(l.epoll, events, 1000)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return err
		}
		for _, event := range events[:max(count, 0)] {
			if one := l.byFd[event.Fd]; one != nil {
				if err := l.read(one); err != nil {
					return err
				}
			}
		}
	}
}

// Sends all that is due, as far as there are connections for it.
func (l *rateLoad) askDue(duration time.Duration) error {
	now := time.Since(l.began)
	for l.nextDue <= min(now, duration) && len(l.idle) > 0 {
		one := l.idle[0]
		l.idle = l.idle[1:]
		one.dueAt = l.nextDue
		l.lateUs = append(l.lateUs, int((now - l.nextDue).Microseconds()))
		l.nextDue += time.Duration(l.random.ExpFloat64() * float64(l.gap))
		if _, err := syscall.Write(one.fd, l.request); err != nil {
			return err
		}
	}
	return nil
}

func (l *rateLoad) read(one *asker) error {
	free := one.got[len(one.got):cap(one.got)]
	count, err := syscall.Read(one.fd, free)
	if err != nil || count <= 0 {
		return fmt.Errorf("the connection is gone: %d, %w", count, err)
	}
	one.got = one.got[:len(one.got)+count]
	status, whole, err := answerOf(one.got)
	if err != nil || !whole {
		return err
	}
	l.tookUs = append(l.tookUs, int((time.Since(l.began) - one.dueAt).Microseconds()))
	if status != 200 {
		l.failures++
	}
	one.got = one.got[:0]
	l.idle = append(l.idle, one)
	return nil
}

// The status of an answer with a Content-Length, and whether it is all there.
func answerOf(got []byte) (status int, whole bool, err error) {
	head := bytes.Index(got, []byte("\r\n\r\n"))
	if head < 0 {
		return 0, false, nil
	}
	_, after, found := bytes.Cut(got[:head+2], []byte("Content-Length: "))
	length, _, ended := bytes.Cut(after, []byte("\r\n"))
	if !found || !ended {
		return 0, false, errors.New("an answer without Content-Length")
	}
	size, err := strconv.Atoi(string(length))
	if err != nil {
		return 0, false, err
	}
	status, err = strconv.Atoi(string(got[9:12]))
	return status, len(got) >= head+4+size, err
}

// At once when it is late already: a timer of 0 would never ring. Setting it also takes back that it rang.
func (l *rateLoad) setTimer(in time.Duration) {
	spec := [4]int64{0, 0, 0, int64(max(in, 1))}
	if len(l.idle) == 0 {
		spec[3] = 0
	}
	spec[2], spec[3] = spec[3]/1e9, spec[3]%1e9
	syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, uintptr(l.timer), 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
}

func quantile(values []int, q float64) int {
	if len(values) == 0 {
		return 0
	}
	sorted := append([]int(nil), values...)
	sort.Ints(sorted)
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*q))]
}
