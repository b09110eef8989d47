// Command s3 serves an S3-compatible storage in memory with the bucket "backups", for tests. It
// prints its address, and ends when its standard input is closed. Requests need the key id
// "tester"; their signatures are not checked. It is a separate module, so that the product's module
// does not list its dependencies. Each request is answered after the time of -delay, as one over a
// network is.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "s3:", err)
		os.Exit(1)
	}
}

func run() error {
	delay := flag.Duration("delay", 0, "time before each answer")
	flag.Parse()
	memory := s3mem.New()
	if err := memory.CreateBucket("backups"); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	storage := gofakes3.New(memory).Server()
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "Credential=tester/") {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<Error><Code>InvalidAccessKeyId</Code><Message>The key id does not exist.</Message></Error>")
			return
		}
		time.Sleep(*delay)
		storage.ServeHTTP(w, r)
	})}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(l); err != http.ErrServerClosed {
		return err
	}
	return nil
}
