// Command otlpreceiver runs the OTLP receiver of the OpenTelemetry Collector on free ports of the loopback
// interface, for tests. It prints its addresses as a line {"http":"HOST:PORT","grpc":"HOST:PORT"}, and then each
// request of traces that the receiver took as a line of OTLP in the JSON encoding. It ends when its standard input
// is closed, or by SIGTERM. It is a separate module, so that the product's module does not list the dependencies of
// the collector.
//
//	otlpreceiver [-http HOST:PORT]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	address := flag.String("http", "127.0.0.1:0", "address for OTLP over HTTP, port 0 for a free one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := run(ctx, *address, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "otlpreceiver:", err)
		os.Exit(1)
	}
}
