package demo

import (
	"context"
	"embed"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/websocket"
	"tapedeck/schema"
	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var recorded = sqltemplate.Parse(files).Must("recorded", nil)

// Session is the session that the demo is recorded to.
const Session = "demo"

// Record records the demo unless it is already recorded. It logs the result.
func Record(ctx context.Context, rec *ingest.Recorder, db clickhouse.Conn, log *slog.Logger) {
	var found bool
	err := db.QueryRow(ctx, recorded, clickhouse.Named("tenant", ingest.DefaultTenant),
		clickhouse.Named("session", Session)).Scan(&found)
	if err != nil {
		log.Error("demo: the store could not be read, the session is not recorded", "error", err)
		return
	}
	if found {
		log.Info("demo: the session is recorded already", "play", "tapedeck play "+Session)
		return
	}
	summary, err := record(ctx, rec, log)
	if err != nil {
		log.Error("demo: the session was not recorded", "error", err)
		return
	}
	log.Info("demo: recorded the session", "frames", summary.Frames, "play", "tapedeck play "+Session)
}

// record starts the demo agent on its own port and taps it like any other server.
func record(ctx context.Context, rec *ingest.Recorder, log *slog.Logger) (ingest.Summary, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return ingest.Summary{}, err
	}
	agent := &http.Server{Handler: &Server{Log: log}, ReadHeaderTimeout: time.Second}
	go func() { _ = agent.Serve(l) }() // ends on Close
	defer agent.Close()
	return websocket.Record(ctx, rec, ingest.StreamOptions{Source: "the demo agent", Tags: map[string]string{"demo": "yes"}},
		websocket.Options{
			URL: "ws://" + l.Addr().String(), Log: log,
			Send:  []websocket.Payload{{Data: Request(Session)}},
			Until: func(f *schema.Frame) bool { return f.Type == "run_end" || f.Type == "error" },
		})
}
