package broker

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Publishing as the taps do it: asynchronously, a bounded number under way.
func BenchmarkPublish(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"200B", 200}, {"64KiB", 64 << 10}} {
		for _, way := range []string{"in-process", "tcp"} {
			b.Run(size.name+"/"+way, func(b *testing.B) {
				s, err := Start(Options{Dir: b.TempDir(), Listen: "127.0.0.1:0"})
				if err != nil {
					b.Fatal(err)
				}
				defer s.Stop(b.Context())
				var connection *nats.Conn
				if way == "tcp" {
					connection, err = nats.Connect(s.URL())
				} else {
					connection, err = s.Connect()
				}
				if err != nil {
					b.Fatal(err)
				}
				defer connection.Close()
				js, err := jetstream.New(connection, jetstream.WithPublishAsyncMaxPending(256))
				if err != nil {
					b.Fatal(err)
				}
				config := frames
				config.MaxBytes = 2 << 30
				if _, err := js.CreateStream(b.Context(), config); err != nil {
					b.Fatal(err)
				}
				payload := make([]byte, size.bytes)
				b.SetBytes(int64(size.bytes))
				for b.Loop() {
					if _, err := js.PublishAsync("frames.x", payload); err != nil {
						b.Fatal(err)
					}
				}
				select {
				case <-js.PublishAsyncComplete():
				case <-time.After(time.Minute):
					b.Fatal("no acknowledgement for a minute")
				}
			})
		}
	}
}
