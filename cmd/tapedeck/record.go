package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tapedeck/ingest"
)

// recordCommand records one source.
type recordCommand struct {
	Source  string   `arg:"" optional:"" help:"FILE, or - for standard input. Or \"-- CMD ARG…\" to run a command and tap its output."`
	Follow  string   `help:"Follow a growing file, over rotation and truncation, from where the last run stopped." placeholder:"FILE" type:"path" xor:"source"`
	SSE     string   `help:"Tap a text/event-stream (or NDJSON) at a URL." name:"sse" placeholder:"URL" xor:"source"`
	WS      string   `help:"Tap a WebSocket." name:"ws" placeholder:"URL" xor:"source"`
	Session string   `help:"Put every frame into this session." placeholder:"ID"`
	Dialect string   `help:"The protocol inside the frames; recognised by default." placeholder:"NAME"`
	Tenant  string   `help:"The tenant." default:"default" placeholder:"T"`
	Tag     []string `help:"Tag the session; may be repeated." placeholder:"K=V" sep:"none"`
	Clock   string   `help:"Where times come from: arrival, or frame for files recorded elsewhere." enum:"arrival,frame" default:"arrival"`
	Header  []string `help:"Header for --sse and --ws; may be repeated." placeholder:"K:V" sep:"none"`
	Send    []string `help:"Message to send once the WebSocket is open; may be repeated." placeholder:"FRAME" sep:"none"`
	Until   string   `help:"For --ws: stop after the first frame of this type." placeholder:"TYPE"`
	Method  string   `help:"Method for --sse; GET, or POST if there is a body."`
	Body    string   `help:"Body for --sse; @FILE reads it from a file."`
	Once    bool     `help:"For --sse: do not reconnect when the stream ends."`

	FrameLimit int    `help:"Largest frame, bytes; a longer one is kept in pieces." default:"16777216"`
	NATS       string `help:"Publish to this NATS server rather than through the tapedeck server." name:"nats" env:"TAPEDECK_NATS" placeholder:"URL"`
	NoWait     bool   `help:"Do not wait until the recording can be read."`
	NoSpool    bool   `help:"Without a spool: wait for a server that is away instead of writing to disk."`

	command []string // what stands after "--"
}

// Run records until the source ends or the user interrupts.
func (c *recordCommand) Run(ctx context.Context, g *global) error {
	if err := c.check(); err != nil {
		return err
	}
	tags, err := parseTags(c.Tag)
	if err != nil {
		return err
	}
	out, err := c.openOutlet(ctx, g)
	if err != nil {
		return err
	}
	defer out.close()
	rec := ingest.NewRecorder(out.publisher, ingest.Settings{}, out.log)
	opts := ingest.StreamOptions{
		Tenant: c.Tenant, Session: c.Session, Dialect: c.Dialect, Tags: tags, FrameClock: c.Clock == "frame",
	}
	began := time.Now()
	summary, exit, err := c.tap(ctx, rec, opts)
	if err != nil {
		err = errors.Join(err, out.leftovers())
	} else {
		err = out.drained(context.WithoutCancel(ctx))
	}
	if err != nil && exit != 0 { // the command's exit code is what its caller waits for
		fmt.Fprintf(os.Stderr, "tapedeck: %v\n", err)
		return exitCode(exit)
	}
	if err != nil {
		return err
	}
	if !c.NoWait && summary.Frames > 0 && c.NATS == "" {
		waitReadable(ctx, g, &summary)
	}
	if err := report(g, &summary, time.Since(began)); err != nil {
		return err
	}
	if exit != 0 {
		return exitCode(exit)
	}
	return nil
}

// check finds what cannot go together.
func (c *recordCommand) check() error {
	sources := 0
	for _, given := range []bool{c.Source != "", c.Follow != "", c.SSE != "", c.WS != "", len(c.command) > 0} {
		if given {
			sources++
		}
	}
	switch {
	case sources == 0:
		return badUsage("record needs a source: FILE, - for standard input, --follow FILE, --sse URL, --ws URL, or -- CMD ARG…")
	case sources > 1:
		return badUsage("record takes one source at a time")
	case (len(c.Send) > 0 || c.Until != "") && c.WS == "":
		return badUsage("--send and --until go with --ws")
	case c.Body != "" && c.SSE == "":
		return badUsage("--body goes with --sse")
	case len(c.Header) > 0 && c.SSE == "" && c.WS == "":
		return badUsage("--header goes with --sse or --ws")
	case c.NATS != "" && c.NoSpool:
		return badUsage("--nats goes without --no-spool: a NATS server that is away is bridged by the spool")
	case c.FrameLimit < 1024:
		return badUsage("--frame-limit %d: it must be at least 1024 bytes", c.FrameLimit)
	}
	return nil
}

func parseTags(list []string) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range list {
		k, v, ok := strings.Cut(t, "=")
		if !ok || k == "" {
			return nil, badUsage("--tag %q: it must be of the form name=value", t)
		}
		tags[k] = v
	}
	return tags, nil
}

// report prints what a recording came to.
func report(g *global, s *ingest.Summary, took time.Duration) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(s)
	}
	w := os.Stderr
	fmt.Fprintf(w, "recorded %s frames, %s bytes in %s (%s frames/s)\n", thousands(s.Frames), thousands(s.Bytes),
		took.Round(time.Millisecond), thousands(int64(float64(s.Frames)/took.Seconds())))
	fmt.Fprintf(w, "stream   %s\n", s.StreamID)
	switch {
	case s.SessionCount == 1:
		fmt.Fprintf(w, "session  %s\n", s.Sessions[0])
	case s.SessionCount > 1:
		fmt.Fprintf(w, "sessions %s, from %s to %s\n", thousands(s.SessionCount), s.Sessions[0], s.LastSession)
	}
	fmt.Fprintf(w, "dialect  %s (%s)\n", s.Dialect, s.Evidence)
	for _, n := range []struct {
		count uint64
		what  string
	}{
		{s.Counters.NotJSON, "frames are not JSON"}, {s.Counters.InvalidUTF8, "frames are not UTF-8"},
		{s.Counters.Oversize, "pieces of messages over the frame limit"}, {s.Counters.Unknown, "frames of a type that the dialect does not know"},
		{s.Counters.Lost, "frames were lost at the source (gaps in its ids)"}, {s.Counters.Repeated, "ids came twice"},
		{s.Counters.Back, "ids went back"},
	} {
		if n.count > 0 {
			fmt.Fprintf(w, "note     %s %s\n", thousands(n.count), n.what)
		}
	}
	if s.SessionCount > 0 {
		fmt.Fprintf(w, "next     tapedeck show %s\n", shellWord(s.Sessions[0]))
	}
	return nil
}

// shellWord quotes a word for a shell where it needs it.
func shellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !(r == '-' || r == '_' || r == '.' || r == '/' || r == ':' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
