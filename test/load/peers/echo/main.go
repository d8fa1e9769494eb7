// The upstream of the echo rows: sends back what comes, as raw TCP, or as WebSocket frames after an upgrade. It also takes uploads to
// their end, which nginx alone does not: it answers before.
package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
)

func main() {
	tcp := flag.String("tcp", "127.0.0.1:0", "where to echo raw bytes")
	ws := flag.String("ws", "127.0.0.1:0", "where to echo WebSocket messages")
	upload := flag.String("upload", "127.0.0.1:0", "where to take uploads")
	flag.Parse()
	go serve(*tcp, echoBytes)
	go func() { log.Fatal(http.ListenAndServe(*upload, http.HandlerFunc(takeUpload))) }()
	serve(*ws, echoMessages)
}

func serve(address string, handle func(net.Conn) error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer connection.Close()
			_ = handle(connection)
		}()
	}
}

func takeUpload(response http.ResponseWriter, request *http.Request) {
	if _, err := io.Copy(io.Discard, request.Body); err == nil {
		response.WriteHeader(http.StatusNoContent)
	}
}

func echoBytes(connection net.Conn) error {
	buffer := make([]byte, 64<<10)
	for {
		n, err := connection.Read(buffer)
		if err != nil {
			return err
		}
		if _, err := connection.Write(buffer[:n]); err != nil {
			return err
		}
	}
}

func echoMessages(connection net.Conn) error {
	reader := bufio.NewReaderSize(connection, 64<<10)
	request, err := http.ReadRequest(reader)
	if err != nil {
		return err
	}
	hash := sha1.Sum([]byte(request.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	answer := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
		base64.StdEncoding.EncodeToString(hash[:]) + "\r\n\r\n"
	if _, err := io.WriteString(connection, answer); err != nil {
		return err
	}
	frame := make([]byte, 0, 64<<10)
	for {
		frame, err = readFrame(reader, frame[:0])
		if err != nil {
			return err
		}
		if _, err := connection.Write(frame); err != nil {
			return err
		}
	}
}

// A masked frame of the client, as the unmasked frame that answers it.
func readFrame(reader *bufio.Reader, into []byte) ([]byte, error) {
	var head [2]byte
	if _, err := io.ReadFull(reader, head[:]); err != nil {
		return nil, err
	}
	length := int(head[1] & 0x7f)
	into = append(into, head[0], head[1]&0x7f)
	if length == 126 {
		var long [2]byte
		if _, err := io.ReadFull(reader, long[:]); err != nil {
			return nil, err
		}
		length = int(binary.BigEndian.Uint16(long[:]))
		into = append(into, long[:]...)
	} else if length == 127 || head[1]&0x80 == 0 {
		return nil, errors.New("a frame that the bench does not send")
	}
	var mask [4]byte
	if _, err := io.ReadFull(reader, mask[:]); err != nil {
		return nil, err
	}
	start := len(into)
	into = append(into, make([]byte, length)...)
	if _, err := io.ReadFull(reader, into[start:]); err != nil {
		return nil, err
	}
	for i := range into[start:] {
		into[start+i] ^= mask[i&3]
	}
	return into, nil
}
