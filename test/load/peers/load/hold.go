package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	longestWait = 5 * time.Minute
	mostEvents  = 512
	// Of the kernel, and not in package syscall: the port is chosen with the connection, so that sources do not run out of ports.
	bindAddressNoPort = 24
)

// One connection of many, and what came on it of an answer that is not whole yet.
type heldConnection struct {
	descriptor int
	asks       bool
	begun      []byte
}

// Asks once on every connection with each line of the standard input, and says when all have been sent and when all have been answered.
// The connections stay open in between.
//
// Without goroutines and net.Conn on purpose: with them the client and the pod filled their core while all answers came at once, and the
// bench measured those two.
func hold(o options) error {
	poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	connections, err := dialAll(o, poll)
	if err != nil {
		return fmt.Errorf("not every connection was opened: %w", err)
	}
	say(map[string]any{"connected": len(connections)})
	request := []byte("GET " + o.path + " HTTP/1.1\r\nHost: " + o.address + "\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\r\n")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if err := askAll(connections, poll, request); err != nil {
			return err
		}
	}
	return lines.Err()
}

// From several loopback addresses: the ports of one would not do for many rounds.
func dialAll(o options, poll int) ([]heldConnection, error) {
	address, err := net.ResolveTCPAddr("tcp4", o.address)
	if err != nil {
		return nil, err
	}
	to := &syscall.SockaddrInet4{Port: address.Port, Addr: [4]byte(address.IP.To4())}
	connections := make([]heldConnection, o.connections)
	for i := range connections {
		from := &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 1, byte(1 + i%o.sources)}}
		if connections[i].descriptor, err = dial(from, to); err != nil {
			return nil, err
		}
		event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(i)}
		if err := syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, connections[i].descriptor, &event); err != nil {
			return nil, err
		}
	}
	return connections, nil
}

func dial(from, to syscall.Sockaddr) (int, error) {
	descriptor, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := syscall.SetsockoptInt(descriptor, syscall.SOL_IP, bindAddressNoPort, 1); err != nil {
		return 0, err
	}
	if err := syscall.Bind(descriptor, from); err != nil {
		return 0, err
	}
	return descriptor, syscall.Connect(descriptor, to)
}

func askAll(connections []heldConnection, poll int, request []byte) error {
	for i := range connections {
		if written, err := syscall.Write(connections[i].descriptor, request); err != nil || written != len(request) {
			return fmt.Errorf("a request was not taken: %d bytes of it were, %w", written, err)
		}
		connections[i].asks = true
	}
	say(map[string]any{"sent": len(connections)})
	answered, lastAt, err := awaitAnswers(connections, poll)
	if err != nil {
		return err
	}
	say(map[string]any{"answered": answered, "lastAtMs": float64(lastAt.UnixMicro()) / 1e3})
	return nil
}

// How many were answered with a whole 200 before the deadline, and when the last answer came.
func awaitAnswers(connections []heldConnection, poll int) (good int, lastAt time.Time, err error) {
	events := make([]syscall.EpollEvent, mostEvents)
	buffer := make([]byte, 64<<10)
	deadline := time.Now().Add(longestWait)
	for waiting := len(connections); waiting > 0; {
		count, err := syscall.EpollWait(poll, events, int(max(0, time.Until(deadline).Milliseconds())))
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return good, lastAt, err
		}
		if count == 0 && time.Now().After(deadline) {
			return good, lastAt, nil
		}
		for _, event := range events[:max(0, count)] {
			connection := &connections[event.Fd]
			over, isGood := connection.read(buffer)
			if isGood {
				good++
			}
			if over {
				waiting--
			}
		}
		lastAt = time.Now()
	}
	return good, lastAt, nil
}

// Takes what has come; a connection that has failed is closed, and so never heard of again.
func (c *heldConnection) read(buffer []byte) (over, good bool) {
	length, err := syscall.Read(c.descriptor, buffer)
	if err != nil || length == 0 {
		syscall.Close(c.descriptor)
		return c.asks, false
	}
	answer := buffer[:length]
	if len(c.begun) > 0 {
		answer = append(c.begun, answer...)
	}
	isWhole, good := judge(answer)
	if !isWhole {
		c.begun = bytes.Clone(answer)
		return false, false
	}
	c.begun = nil
	over, c.asks = c.asks, false
	return over, good && over
}

// Whether this is a whole answer, and a 200. Answers of a known length are all that is asked for here.
func judge(answer []byte) (isWhole, good bool) {
	const lengthField = "\r\ncontent-length: "
	end := bytes.Index(answer, []byte("\r\n\r\n"))
	if end < 0 {
		return false, false
	}
	head := bytes.ToLower(answer[:end])
	at := bytes.Index(head, []byte(lengthField))
	if at < 0 {
		return true, false
	}
	value, _, _ := bytes.Cut(head[at+len(lengthField):], []byte("\r\n"))
	length, err := strconv.Atoi(string(value))
	if err != nil || len(answer) > end+4+length {
		return true, false
	}
	return len(answer) == end+4+length, bytes.HasPrefix(head, []byte("http/1.1 200 "))
}
