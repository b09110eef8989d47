package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"tapedeck/deploy/demo"
	"tapedeck/ingest"
	"tapedeck/ingest/websocket"
	"tapedeck/schema"
)

// demoSession is the session that the demo is recorded into.
const demoSession = "demo"

// demo gives the work of recording the demo, nil if it is not wanted.
func (c *upCommand) demo(n *node, log *slog.Logger) func(context.Context) {
	if !c.Demo {
		return nil
	}
	return func(ctx context.Context) {
		there, err := n.hasSession(ctx, demoSession)
		if err != nil {
			log.Error("could not look for the demo session, so it is not recorded", "error", err)
			return
		}
		if there {
			log.Info("the demo session is there", "play", "tapedeck play "+demoSession)
			return
		}
		summary, err := recordDemo(ctx, n.recorder, log)
		if err != nil {
			log.Error("the demo could not be recorded", "error", err)
			return
		}
		log.Info("recorded the demo session", "frames", summary.Frames, "play", "tapedeck play "+demoSession)
	}
}

// recordDemo starts the demo agent on a port of its own and taps it like any
// other server.
func recordDemo(ctx context.Context, rec *ingest.Recorder, log *slog.Logger) (ingest.Summary, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return ingest.Summary{}, err
	}
	agent := &http.Server{Handler: &demo.Server{Log: log}, ReadHeaderTimeout: time.Second}
	go func() { _ = agent.Serve(l) }() // ends by Close
	defer agent.Close()
	return websocket.Record(ctx, rec, ingest.StreamOptions{Source: "the demo agent", Tags: map[string]string{"demo": "yes"}},
		websocket.Options{
			URL: "ws://" + l.Addr().String(), Log: log,
			Send:  []websocket.Payload{{Data: demo.Request(demoSession)}},
			Until: func(f *schema.Frame) bool { return f.Type == "run_end" || f.Type == "error" },
		})
}

// hasSession reports whether anything is recorded of a session.
func (n *node) hasSession(ctx context.Context, session string) (found bool, err error) {
	err = n.db.QueryRow(ctx, "SELECT console.Count() > 0 FROM streams WHERE tenant = ? AND session_id = ?",
		ingest.DefaultTenant, session).Scan(&found)
	return found, err
}
