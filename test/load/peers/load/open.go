package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sort"
	"sync"
	"time"
)

// Each connection has its own times at which a request is due, spread evenly over all. A request whose connection is still busy then
// counts from when it was due; one that is late because this program woke up late counts from when it was sent.
func openLoop(o options) error {
	interval := time.Duration(float64(o.connections) / o.rate * float64(time.Second))
	begin := time.Now().Add(500 * time.Millisecond)
	var all sync.WaitGroup
	took := make([][]time.Duration, o.connections)
	failures := make([]int, o.connections)
	for i := range o.connections {
		all.Add(1)
		go func() {
			defer all.Done()
			first := begin.Add(interval * time.Duration(i) / time.Duration(o.connections))
			took[i], failures[i] = ask(o, first, interval)
		}()
	}
	all.Wait()
	var times []time.Duration
	failed := 0
	for i := range o.connections {
		times = append(times, took[i]...)
		failed += failures[i]
	}
	sort.Slice(times, func(a, b int) bool { return times[a] < times[b] })
	at := func(part float64) float64 {
		if len(times) == 0 {
			return 0
		}
		return float64(times[int(float64(len(times)-1)*part)].Nanoseconds()) / 1e3
	}
	say(map[string]any{"requests": len(times), "failures": failed, "p50Us": at(0.5), "p99Us": at(0.99), "maxUs": at(1)})
	return nil
}

func ask(o options, due time.Time, interval time.Duration) (took []time.Duration, failures int) {
	connection, err := net.Dial("tcp", o.address)
	if err != nil {
		return nil, 1
	}
	defer connection.Close()
	reader := bufio.NewReader(connection)
	request := []byte("GET " + o.path + " HTTP/1.1\r\nHost: " + o.address + "\r\n\r\n")
	end := due.Add(o.duration)
	for ; due.Before(end); due = due.Add(interval) {
		from := due
		if wait := time.Until(due); wait > 0 {
			time.Sleep(wait)
			from = time.Now()
		}
		if _, err := connection.Write(request); err != nil {
			return took, failures + 1
		}
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			return took, failures + 1
		}
		_, err = io.Copy(io.Discard, answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			failures++
		}
		took = append(took, time.Since(from))
	}
	return took, failures
}
