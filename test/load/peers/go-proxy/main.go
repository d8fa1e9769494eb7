// Go's httputil.ReverseProxy as one would tune it for production: a large idle pool, pooled buffers, no compression, no logs.
// It is what the resolver is measured beside. One core: GOMAXPROCS=1.
package main

import (
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

type bufferPool struct{ pool sync.Pool }

func (p *bufferPool) Get() []byte  { return *p.pool.Get().(*[]byte) }
func (p *bufferPool) Put(b []byte) { p.pool.Put(&b) }

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "where to listen")
	upstream := flag.String("upstream", "", "host:port to forward to")
	protocol := flag.String("protocol", "http1", "http1 or h2c, on both sides")
	flag.Parse()

	protocols := new(http.Protocols)
	if *protocol == "h2c" {
		protocols.SetUnencryptedHTTP2(true)
	} else {
		protocols.SetHTTP1(true)
	}
	dialer := &net.Dialer{Timeout: 3 * time.Second, KeepAlive: 30 * time.Second}
	target := &url.URL{Scheme: "http", Host: *upstream}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(target)
			request.SetXForwarded()
		},
		Transport: &http.Transport{
			DialContext:         dialer.DialContext,
			MaxIdleConns:        0,
			MaxIdleConnsPerHost: 4096,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true,
			Protocols:           protocols,
		},
		BufferPool: &bufferPool{sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}},
		ErrorLog:   log.New(io.Discard, "", 0),
	}
	server := &http.Server{Addr: *listen, Handler: proxy, Protocols: protocols, ErrorLog: proxy.ErrorLog}
	log.Fatal(server.ListenAndServe())
}
