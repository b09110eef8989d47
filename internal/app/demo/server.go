package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// Server answers the Loom WebSocket protocol at every path: a run request with the scripted run,
// ping with pong, anything else with an error.
type Server struct {
	Log *slog.Logger
	// Speed divides the script's pauses; 0 means 1.
	Speed float64
}

// request holds the members of a client's request that the demo uses.
type request struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	ThreadID string `json:"thread_id"`
}

// ServeHTTP serves one connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered the client
	}
	defer conn.CloseNow()
	for runs := 1; ; {
		_, data, err := conn.Read(r.Context())
		if err != nil {
			return // the client disconnected
		}
		var req request
		if err := json.Unmarshal(data, &req); err != nil {
			err = send(r.Context(), conn, map[string]any{"type": "error", "error": "parse error: " + err.Error()})
			if err != nil {
				return
			}
			continue
		}
		switch req.Type {
		case "run":
			err = s.run(r.Context(), conn, fmt.Sprintf("run-demo-%d", runs))
			runs++
		case "ping":
			err = send(r.Context(), conn, map[string]any{"type": "pong", "id": req.ID})
		default:
			err = send(r.Context(), conn, map[string]any{
				"type": "error", "error": fmt.Sprintf("the demo agent does not serve %q", req.Type),
			})
		}
		if err != nil {
			s.Log.Debug("demo: a client of the agent went away", "error", err)
			return
		}
	}
}

// run streams the script, each event in its envelope, and the reply.
func (s *Server) run(ctx context.Context, conn *websocket.Conn, id string) error {
	nodeID, visits := "run-0", 0
	speed := s.Speed
	if speed == 0 {
		speed = 1
	}
	// The schedule is absolute, so that the time for sending does not add to the pauses.
	due := time.Now()
	steps := demoRun()
	for i, step := range steps {
		due = due.Add(time.Duration(float64(step.after) / speed))
		if err := sleepUntil(ctx, due); err != nil {
			return err
		}
		event := map[string]any{"session_id": id, "event_id": i + 1}
		for k, v := range step.event {
			event[k] = v
		}
		if event["type"] == "node_enter" {
			nodeID = fmt.Sprintf("run-%s-%d", event["id"], visits)
			visits++
		}
		event["node_id"] = nodeID
		if err := send(ctx, conn, map[string]any{"type": "run_stream_event", "id": id, "event": event}); err != nil {
			return err
		}
	}
	return send(ctx, conn, map[string]any{
		"type": "run_end", "id": id, "reply": answer, "session_id": id, "node_id": nodeID, "event_id": len(steps) + 1,
	})
}

func sleepUntil(ctx context.Context, t time.Time) error {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func send(ctx context.Context, conn *websocket.Conn, message any) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	return conn.Write(ctx, websocket.MessageText, data)
}
