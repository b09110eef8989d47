package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// playCommand plays a session in the terminal.
type playCommand struct {
	Session   string   `arg:"" help:"The session's id."`
	Speed     string   `help:"0.1 to 1000, or max." default:"1"`
	IdleLimit string   `help:"Cap silences, like 2s." placeholder:"D"`
	From      string   `help:"Begin at a position, an offset like +12.5s, or type:tool_call." placeholder:"POS"`
	To        string   `help:"End there." placeholder:"POS"`
	Type      []string `help:"Only frames of this type." placeholder:"TYPE"`
	Direction string   `help:"Only receive or send." placeholder:"DIR"`
	Format    string   `help:"ndjson and sse give the recorded frames; text is for people; events gives each frame with its envelope." enum:"text,ndjson,sse,events" default:"text"`
}

// Run plays to the end, or until the user interrupts.
func (c *playCommand) Run(ctx context.Context, g *global) error {
	cl, err := g.client()
	if err != nil {
		return err
	}
	q := url.Values{"speed": {c.Speed}}
	setAll(q, map[string][]string{
		"idle_limit": {c.IdleLimit}, "from": {c.From}, "to": {c.To}, "type": c.Type, "direction": {c.Direction},
	})
	accept, show := "application/x-ndjson", copyFrames
	switch c.Format {
	case "ndjson":
		q.Set("mode", "raw")
	case "sse":
		q.Set("mode", "raw")
		accept = "text/event-stream"
	case "text":
		show = printEvents
	}
	cl.http.Transport.(*http.Transport).ResponseHeaderTimeout = 0 // a tape may begin with silence
	body, err := cl.open(ctx, http.MethodGet, sessionPath(c.Session, "replay"), q, accept)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := show(os.Stdout, body); err != nil {
		if ctx.Err() != nil {
			return exitCode(130) // as a shell says of an interrupted command
		}
		return fmt.Errorf("playback broke off: %w", err)
	}
	return nil
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
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return fmt.Errorf("the server ended it without an end message")
		}
		if err != nil && err != io.EOF {
			return err
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("read %q: %w", clip(string(line), 80), err)
		}
		switch {
		case e.StreamID == "" && e.Type == "end":
			_, err := fmt.Fprintf(w, "── end, %s frames\n", thousands(e.Frames))
			return err
		case e.StreamID == "" && e.Type == "error":
			return fmt.Errorf("%s", e.Detail)
		}
		arrow := "←"
		if e.Direction == "send" {
			arrow = "→"
		}
		if _, err := fmt.Fprintf(w, "%s %s %-18s %-14s %s\n", offset(e.OffsetMS), arrow, e.Type, e.NodeID, clip(e.said(), 120)); err != nil {
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
