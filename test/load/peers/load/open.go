package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

const (
	// Calls with a deadline finer than a millisecond; the standard library has no name for it.
	sysEpollPwait2  = 441
	prSetTimerslack = 29
	// What is due before this is sent but not counted: caches and pools are cold.
	leadIn   = 200 * time.Millisecond
	window   = 10 * time.Millisecond
	patience = 5 * time.Second
)

// One connection: at most one request is under way on it.
type openConnection struct {
	fd     int
	due    time.Duration
	answer []byte
}

type openLoop struct {
	epoll   int
	began   time.Time
	request []byte
	idle    []*openConnection
	byFd    map[int32]*openConnection
	// What was due while every connection was busy, oldest first.
	late    []time.Duration
	pending int
	took    []openAnswer
	scratch [64 * 1024]byte
}

type openAnswer struct{ due, took time.Duration }

// Sends requests at the times of a Poisson process, whatever comes back, and counts each from the moment it was due: one that waits for a free
// connection waits for the server. One thread and bare system calls: a program that is slow itself would measure itself.
func open(o options) error {
	runtime.LockOSThread()
	// Otherwise the kernel wakes up to 50 us late.
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerslack, 1, 0); errno != 0 {
		return errno
	}
	debug.SetGCPercent(-1)
	loop := &openLoop{
		request: fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", o.path, o.address),
		byFd:    map[int32]*openConnection{},
		took:    make([]openAnswer, 0, int(o.rate*(o.duration+leadIn).Seconds()*1.2)+1000),
	}
	if err := loop.connect(o); err != nil {
		return err
	}
	if err := loop.run(o); err != nil {
		return err
	}
	say(loop.result(o))
	return nil
}

func (l *openLoop) connect(o options) error {
	address, err := net.ResolveTCPAddr("tcp4", o.address)
	if err != nil {
		return err
	}
	if l.epoll, err = syscall.EpollCreate1(0); err != nil {
		return err
	}
	for range o.connections {
		fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if err := syscall.Connect(fd, &syscall.SockaddrInet4{Port: address.Port, Addr: [4]byte(address.IP.To4())}); err != nil {
			return err
		}
		if err := errors.Join(syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1), syscall.SetNonblock(fd, true)); err != nil {
			return err
		}
		if err := syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}); err != nil {
			return err
		}
		connection := &openConnection{fd: fd}
		l.byFd[int32(fd)] = connection
		l.idle = append(l.idle, connection)
	}
	return nil
}

func (l *openLoop) run(o options) error {
	// The same times for everybody who is measured.
	random := rand.New(rand.NewSource(1))
	gap := func() time.Duration { return time.Duration(random.ExpFloat64() / o.rate * float64(time.Second)) }
	var events [128]syscall.EpollEvent
	end := leadIn + o.duration
	l.began = time.Now()
	next := gap()
	for {
		now := time.Since(l.began)
		for ; next <= now && next < end; next += gap() {
			l.late = append(l.late, next)
			l.pending++
		}
		if err := l.send(); err != nil {
			return err
		}
		wait := next - now
		if next >= end {
			if l.pending == 0 {
				return nil
			}
			if wait = end + patience - now; wait < 0 {
				return fmt.Errorf("%d requests were not answered", l.pending)
			}
		}
		count, err := epollWait(l.epoll, events[:], wait)
		if err != nil {
			return err
		}
		for _, event := range events[:count] {
			if err := l.read(l.byFd[event.Fd]); err != nil {
				return err
			}
		}
	}
}

// By turns, so that every connection is used.
func (l *openLoop) send() error {
	for len(l.late) > 0 && len(l.idle) > 0 {
		connection := l.idle[0]
		l.idle = l.idle[1:]
		connection.due, l.late = l.late[0], l.late[1:]
		if n, err := syscall.Write(connection.fd, l.request); err != nil || n != len(l.request) {
			return fmt.Errorf("a request could not be sent: %w", err)
		}
	}
	return nil
}

func (l *openLoop) read(connection *openConnection) error {
	n, err := syscall.Read(connection.fd, l.scratch[:])
	if err != nil || n <= 0 {
		return fmt.Errorf("a connection was lost: %w", err)
	}
	connection.answer = append(connection.answer, l.scratch[:n]...)
	whole, err := isWhole(connection.answer)
	if err != nil || !whole {
		return err
	}
	connection.answer = connection.answer[:0]
	l.took = append(l.took, openAnswer{connection.due, time.Since(l.began) - connection.due})
	l.pending--
	l.idle = append(l.idle, connection)
	return nil
}

func (l *openLoop) result(o options) map[string]any {
	windows := make([][]time.Duration, int(o.duration/window))
	var all []time.Duration
	for _, answer := range l.took {
		if answer.due < leadIn {
			continue
		}
		all = append(all, answer.took)
		if at := int((answer.due - leadIn) / window); at < len(windows) {
			windows[at] = append(windows[at], answer.took)
		}
	}
	inWindows := make([]float64, len(windows))
	for at, took := range windows {
		inWindows[at] = quantileUs(took, 0.99)
	}
	return map[string]any{
		"requests":       len(all),
		"failures":       0,
		"seconds":        o.duration.Seconds(),
		"p50Us":          quantileUs(all, 0.5),
		"p99Us":          quantileUs(all, 0.99),
		"p99UsOfWindows": inWindows,
	}
}

var endOfHead, lengthField = []byte("\r\n\r\n"), []byte("content-length: ")

// Whether the bytes are one good answer with its whole body.
func isWhole(answer []byte) (bool, error) {
	end := bytes.Index(answer, endOfHead)
	if end < 0 {
		return false, nil
	}
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) {
		return false, fmt.Errorf("answered %q", answer[:end])
	}
	head := bytes.ToLower(answer[:end+2])
	at := bytes.Index(head, lengthField)
	if at < 0 {
		return false, errors.New("an answer has no Content-Length")
	}
	digits := head[at+len(lengthField):]
	length, err := strconv.Atoi(string(digits[:bytes.IndexByte(digits, '\r')]))
	if err != nil || len(answer) > end+len(endOfHead)+length {
		return false, fmt.Errorf("more came than was asked for: %w", err)
	}
	return len(answer) == end+len(endOfHead)+length, nil
}

func epollWait(epoll int, events []syscall.EpollEvent, wait time.Duration) (int, error) {
	timeout := syscall.NsecToTimespec(max(0, wait.Nanoseconds()))
	// Raw: nothing else runs here that the scheduler would have to look after meanwhile.
	n, _, errno := syscall.RawSyscall6(sysEpollPwait2, uintptr(epoll), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(unsafe.Pointer(&timeout)), 0, 0)
	if errno == syscall.EINTR {
		return 0, nil
	}
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

func quantileUs(took []time.Duration, part float64) float64 {
	if len(took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(took))
	return float64(sorted[min(len(sorted)-1, int(float64(len(sorted))*part))].Nanoseconds()) / 1000
}
