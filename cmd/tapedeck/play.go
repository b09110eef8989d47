package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
)

// playCommand plays a session in the terminal: on its screen with keys to steer, or
// printed where it is not one.
type playCommand struct {
	Session   string   `arg:"" help:"The session's id, or a tape file, which needs no server."`
	Of        string   `help:"Which session of a tape file, where it holds several." name:"session" placeholder:"ID"`
	Speed     string   `help:"0.1 to 1000, or max." default:"1"`
	Follow    bool     `help:"Go on with a session that still runs, until it is over; wait for one that has not begun. --from live begins with what comes next."`
	IdleLimit string   `help:"Cap silences, like 2s." placeholder:"D"`
	From      string   `help:"Begin at a position, an offset like +12.5s, or type:tool_call." placeholder:"POS"`
	To        string   `help:"End there." placeholder:"POS"`
	Type      []string `help:"Only frames of this type." placeholder:"TYPE"`
	Direction string   `help:"Only receive or send." placeholder:"DIR"`
	Loop      bool     `help:"At the end begin again."`
	Marker    string   `help:"Stop at every frame of a type, like type:tool_call, or at a position." placeholder:"MARK"`
	Plain     bool     `help:"Print a line for each frame, on a terminal too."`
	Format    string   `help:"text is for people; ndjson and sse give the recorded frames; events gives each frame with its envelope, as --json does." enum:"text,ndjson,sse,events" default:"text"`
}

// Run plays to the end, or until the user interrupts.
func (c *playCommand) Run(ctx context.Context, g *global) error {
	switch {
	case !g.JSON:
	case c.Format == "text" || c.Format == "events":
		c.Format = "events"
	default:
		return usage.Errorf("--json gives what --format events does: it goes without --format %s", c.Format)
	}
	from, err := g.player(c.Session, c.Of)
	if err != nil {
		return err
	}
	defer from.close()
	path, err := pathOf(from.session, "replay")
	if err != nil {
		return err
	}
	cl := from.client
	q := url.Values{"speed": {c.Speed}}
	setAll(q, map[string][]string{
		"idle_limit": {c.IdleLimit}, "from": {c.From}, "to": {c.To}, "type": c.Type, "direction": {c.Direction},
		"marker": {c.Marker},
	})
	if c.Loop {
		q.Set("loop", "1")
	}
	if c.Follow {
		q.Set("follow", "1")
		if err := await(ctx, cl, path, from.session); err != nil {
			return err
		}
	}
	if c.Format == "text" && !c.Plain && interactive() {
		return c.onScreen(ctx, from, path, q)
	}
	accept, show := "application/x-ndjson", copyFrames
	var out io.Writer = os.Stdout
	switch c.Format {
	case "ndjson":
		q.Set("mode", "raw")
	case "sse":
		q.Set("mode", "raw")
		accept = "text/event-stream"
	case "text":
		show, out = printEvents, console.To(os.Stdout)
	}
	cl.HTTP.Transport.(*http.Transport).ResponseHeaderTimeout = 0 // a tape may begin with silence
	body, err := cl.Open(ctx, http.MethodGet, path, q, accept)
	if err != nil {
		return from.why(err)
	}
	defer body.Close()
	if err := show(out, body); err != nil {
		if ctx.Err() != nil {
			return exitCode(130) // as a shell says of an interrupted command
		}
		return fmt.Errorf("playback broke off: %w", from.why(err))
	}
	return nil
}

// await waits until there is a session to be followed.
func await(ctx context.Context, cl *apiclient.Client, path, session string) error {
	for told := false; ; told = true {
		body, err := cl.Open(ctx, http.MethodGet, path, url.Values{"follow": {"1"}, "speed": {"max"}}, "application/x-ndjson")
		e, ok := errors.AsType[*apiclient.Error](err)
		if !ok || e.Status != http.StatusNotFound {
			if err != nil {
				return err
			}
			return body.Close()
		}
		if !told {
			fmt.Fprintf(console.To(os.Stderr), "waiting for session %q to begin; end with Ctrl-C\n", session)
		}
		select {
		case <-ctx.Done():
			return exitCode(130)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// copyFrames writes what comes as it comes.
func copyFrames(w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, r)
	return err
}

// event is what printEvents reads of a message in mode=event.
type event struct {
	Type      string          `json:"type"`
	OffsetMS  float64         `json:"offset_ms"`
	Direction string          `json:"direction"`
	NodeID    string          `json:"node_id"`
	Frame     json.RawMessage `json:"frame"`
	Text      *string         `json:"text"`
	Base64    *string         `json:"base64"`
	Frames    uint64          `json:"frames"`
	Detail    string          `json:"detail"`
	StreamID  string          `json:"stream_id"` // of a frame; end and error have none
}

// printEvents prints a line for each frame.
func printEvents(w io.Writer, r io.Reader) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF && len(text) == 0 {
			return fmt.Errorf("the server ended it without an end message")
		}
		if err != nil && err != io.EOF {
			return err
		}
		var e event
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("read %q: %w", console.Clip(string(text), 80), err)
		}
		switch {
		case e.StreamID == "" && e.Type == "end":
			_, err := fmt.Fprintf(w, "── end, %s\n", console.Count(e.Frames, "frame"))
			return err
		case e.StreamID == "" && e.Type == "error":
			return fmt.Errorf("%s", e.Detail)
		}
		arrow := "←"
		if e.Direction == "send" {
			arrow = "→"
		}
		if _, err := fmt.Fprintf(w, "%s %s %-18s %-14s %s\n", offset(e.OffsetMS), arrow, console.Line(e.Type), console.Line(e.NodeID), console.Clip(e.said(), 120)); err != nil {
			return err
		}
	}
}

func (e *event) said() string {
	switch {
	case e.Frame != nil:
		return string(e.Frame)
	case e.Text != nil:
		return *e.Text
	case e.Base64 != nil:
		return "base64 " + *e.Base64
	}
	return ""
}

// offset writes a time from the start as m:ss.mmm.
func offset(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond)).Round(time.Millisecond)
	return fmt.Sprintf("%3d:%06.3f", int(d.Minutes()), (d % time.Minute).Seconds())
}
