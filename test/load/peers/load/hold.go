package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	mostDialling = 256
	longestWait  = 5 * time.Minute
)

// Asks once on every connection with each line of the standard input, and says when all have been sent and when all have been answered.
// The connections stay open in between.
func hold(o options) error {
	connections, err := dialAll(o)
	if err != nil {
		return err
	}
	say(map[string]any{"connected": len(connections)})
	request := []byte("GET " + o.path + " HTTP/1.1\r\nHost: " + o.address + "\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\r\n")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		askAll(connections, request)
	}
	return lines.Err()
}

// From several loopback addresses: the ports of one would not do for many rounds.
func dialAll(o options) ([]net.Conn, error) {
	connections := make([]net.Conn, o.connections)
	var dialling sync.WaitGroup
	var failure atomic.Pointer[error]
	places := make(chan struct{}, mostDialling)
	for i := range o.connections {
		places <- struct{}{}
		dialling.Add(1)
		go func() {
			defer func() { <-places; dialling.Done() }()
			source := net.IPv4(127, 0, 1, byte(1+i%o.sources))
			dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: source}, Timeout: 30 * time.Second}
			connection, err := dialer.Dial("tcp", o.address)
			if err != nil {
				failure.Store(&err)
				return
			}
			connections[i] = connection
		}()
	}
	dialling.Wait()
	if err := failure.Load(); err != nil {
		return nil, fmt.Errorf("not every connection was opened: %w", *err)
	}
	return connections, nil
}

func askAll(connections []net.Conn, request []byte) {
	var sent, answered sync.WaitGroup
	var good atomic.Int64
	var firstAt, lastAt atomic.Int64
	places := make(chan struct{}, mostDialling)
	for _, connection := range connections {
		sent.Add(1)
		answered.Add(1)
		places <- struct{}{}
		go func() {
			defer answered.Done()
			_ = connection.SetDeadline(time.Now().Add(longestWait))
			_, err := connection.Write(request)
			sent.Done()
			<-places
			if err != nil || readAnswer(connection) != nil {
				return
			}
			now := time.Now().UnixMicro()
			firstAt.CompareAndSwap(0, now)
			for last := lastAt.Load(); last < now && !lastAt.CompareAndSwap(last, now); last = lastAt.Load() {
			}
			good.Add(1)
		}()
	}
	sent.Wait()
	say(map[string]any{"sent": len(connections)})
	answered.Wait()
	say(map[string]any{"answered": good.Load(), "firstAtMs": float64(firstAt.Load()) / 1e3, "lastAtMs": float64(lastAt.Load()) / 1e3})
}

func readAnswer(connection net.Conn) error {
	answer, err := http.ReadResponse(bufio.NewReaderSize(connection, 2048), nil)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d", answer.StatusCode)
	}
	return nil
}
