package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A conversation of one message out and the same back, over and over.
type speaker func(connection net.Conn, o options) (outgoing []byte, incomingLength int, reader io.Reader, err error)

func rawBytes(connection net.Conn, o options) ([]byte, int, io.Reader, error) {
	message := make([]byte, o.size)
	for i := range message {
		// No protocol that a proxy could know begins like this.
		message[i] = byte(0x80 | i&0x7f)
	}
	return message, len(message), connection, nil
}

func webSocket(connection net.Conn, o options) ([]byte, int, io.Reader, error) {
	request := "GET " + o.path + " HTTP/1.1\r\nHost: " + o.address + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	if _, err := io.WriteString(connection, request); err != nil {
		return nil, 0, nil, err
	}
	reader := bufio.NewReader(connection)
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		return nil, 0, nil, err
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return nil, 0, nil, fmt.Errorf("the upgrade was answered %d", answer.StatusCode)
	}
	head := []byte{0x82}
	if o.size < 126 {
		head = append(head, 0x80|byte(o.size))
	} else {
		head = binary.BigEndian.AppendUint16(append(head, 0x80|126), uint16(o.size))
	}
	frame := append(append(head, 1, 2, 3, 4), make([]byte, o.size)...)
	return frame, len(head) + o.size, reader, nil
}

func echo(speak speaker) func(options) error {
	return func(o options) error {
		var ready, done sync.WaitGroup
		var roundTrips, failures atomic.Int64
		var end time.Time
		begin := make(chan struct{})
		for range o.connections {
			ready.Add(1)
			done.Add(1)
			go func() {
				defer done.Done()
				connection, outgoing, length, reader, err := greet(o, speak)
				ready.Done()
				if err != nil {
					failures.Add(1)
					return
				}
				defer connection.Close()
				<-begin
				_ = connection.SetDeadline(end.Add(5 * time.Second))
				incoming := make([]byte, length)
				for time.Now().Before(end) {
					if _, err := connection.Write(outgoing); err != nil {
						failures.Add(1)
						return
					}
					if _, err := io.ReadFull(reader, incoming); err != nil {
						failures.Add(1)
						return
					}
					roundTrips.Add(1)
				}
			}()
		}
		ready.Wait()
		end = time.Now().Add(o.duration)
		close(begin)
		done.Wait()
		say(map[string]any{"requests": roundTrips.Load(), "seconds": o.duration.Seconds(), "failures": failures.Load()})
		return nil
	}
}

func greet(o options, speak speaker) (connection net.Conn, outgoing []byte, length int, reader io.Reader, err error) {
	connection, err = net.DialTimeout("tcp", o.address, 5*time.Second)
	if err != nil {
		return
	}
	_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
	outgoing, length, reader, err = speak(connection, o)
	if err != nil {
		connection.Close()
	}
	return
}
