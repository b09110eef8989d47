package clickhouse

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/internal/speedtest"
)

// A query that is cancelled at whatever moment ends at once: a seek waits for it.
func TestGivenUpQueries(t *testing.T) {
	store := shared(t).open(Options{})
	var longest time.Duration
	for range 1000 {
		ctx, cancel := context.WithCancel(t.Context())
		wait := rand.N(time.Millisecond)
		var began time.Time
		time.AfterFunc(wait, func() { began = time.Now(); cancel() })
		var n proto.ColUInt8
		_ = store.do(ctx, ch.Query{Body: "SELECT 1", Result: proto.Results{{Name: "1", Data: &n}}}, func() {})
		<-ctx.Done()
		longest = max(longest, time.Since(began))
	}
	// Three are what the client library waits for a packet.
	speedtest.Within(t, "ending a query", longest, 2*time.Second)
}
