// Load that no Debian package makes: echoes over WebSocket and TCP, and many requests that are held. Prints lines of JSON.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"time"
)

type options struct {
	address     string
	path        string
	connections int
	size        int
	duration    time.Duration
	sources     int
	rate        float64
}

func main() {
	var o options
	kind := flag.String("kind", "", "ws, tcp, hold or open")
	flag.StringVar(&o.address, "address", "", "host:port")
	flag.StringVar(&o.path, "path", "/", "what is asked for")
	flag.IntVar(&o.connections, "connections", 64, "connections at once")
	flag.IntVar(&o.size, "size", 128, "bytes of a message")
	flag.DurationVar(&o.duration, "duration", 5*time.Second, "how long")
	flag.IntVar(&o.sources, "sources", 1, "loopback addresses to connect from")
	flag.Float64Var(&o.rate, "rate", 1000, "requests a second of an open loop")
	flag.Parse()
	kinds := map[string]func(options) error{"ws": echo(webSocket), "tcp": echo(rawBytes), "hold": hold, "open": open}
	run, known := kinds[*kind]
	if !known {
		log.Fatalf("unknown kind %q", *kind)
	}
	if err := run(o); err != nil {
		log.Fatal(err)
	}
}

func say(what any) {
	text, err := json.Marshal(what)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(os.Stdout, "%s\n", text)
}
