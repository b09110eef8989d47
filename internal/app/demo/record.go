package demo

import (
	"context"
	"embed"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/copier"
	"tapedeck/ingest/tap/websocket"
	"tapedeck/schema"
	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var recorded = sqltemplate.Parse(files).Must("recorded", nil)

// Session is the session of the scripted Loom agent.
const Session = "demo"

// recording is one session of the demo.
type recording struct {
	session string
	after   time.Duration // when it begins
	record  func(context.Context, *ingest.Recorder, *slog.Logger) (ingest.Summary, error)
}

var recordings = []recording{
	{Session, 0, recordLoom},
	{ReleaseSession, 0, recordLines(ReleaseSession, false)},
	{FailedSession, 1500 * ms, recordLines(FailedSession, true)}, // a comparison takes the earlier one as the first
}

// Record records the sessions of the demo that are not recorded yet, at the same time. It logs
// failures.
func Record(ctx context.Context, rec *ingest.Recorder, db clickhouse.Conn, log *slog.Logger) {
	var all sync.WaitGroup
	for _, r := range recordings {
		all.Go(func() {
			if sleepUntil(ctx, time.Now().Add(r.after)) == nil {
				r.once(ctx, rec, db, log)
			}
		})
	}
	all.Wait()
}

// once records the session unless it is already recorded.
func (r *recording) once(ctx context.Context, rec *ingest.Recorder, db clickhouse.Conn, log *slog.Logger) {
	var found bool
	err := db.QueryRow(ctx, recorded, clickhouse.Named("tenant", ingest.DefaultTenant),
		clickhouse.Named("session", r.session)).Scan(&found)
	if err != nil {
		log.Error("demo: the store could not be read, the session is not recorded", "session", r.session, "error", err)
		return
	}
	if found {
		log.Debug("demo: the session is recorded already", "play", "tapedeck play "+r.session)
		return
	}
	summary, err := r.record(ctx, rec, log)
	if err != nil {
		log.Error("demo: the session was not recorded", "session", r.session, "error", err)
		return
	}
	log.Debug("demo: recorded the session", "frames", summary.Frames, "play", "tapedeck play "+r.session)
}

var demoTags = map[string]string{"demo": "yes"}

// recordLines returns a function that taps the output of the coding agent, as that of a command.
func recordLines(session string, failed bool) func(context.Context, *ingest.Recorder, *slog.Logger) (ingest.Summary, error) {
	return func(ctx context.Context, rec *ingest.Recorder, _ *slog.Logger) (ingest.Summary, error) {
		from, to := io.Pipe()
		go func() { to.CloseWithError(Print(ctx, to, Release(session, failed))) }()
		defer from.Close()
		return copier.Record(ctx, rec, ingest.StreamOptions{Source: "the demo's coding agent", Tags: demoTags},
			copier.NewReader(from), ingest.DefaultFrameLimit)
	}
}

// recordLoom starts the demo agent on its own port and taps it like any other server.
func recordLoom(ctx context.Context, rec *ingest.Recorder, log *slog.Logger) (ingest.Summary, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return ingest.Summary{}, err
	}
	agent := &http.Server{Handler: &Server{Log: log}, ReadHeaderTimeout: time.Second}
	go func() { _ = agent.Serve(l) }() // ends on Close
	defer agent.Close()
	return websocket.Record(ctx, rec, ingest.StreamOptions{Source: "the demo agent", Tags: demoTags},
		websocket.Options{
			URL: "ws://" + l.Addr().String(), Log: log,
			Send:  []websocket.Payload{{Data: Request(Session)}},
			Until: func(f *schema.Frame) bool { return f.Type == "run_end" || f.Type == "error" },
		})
}
