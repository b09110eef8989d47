package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"tapedeck/internal/app/command/play"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/replay/player"
)

// playCommand plays a session on the terminal's screen, with keys to control it, or
// prints it if standard output is not a terminal.
type playCommand struct {
	Session   string   `arg:"" predictor:"session" help:"The session's id, or a tape file, which needs no server."`
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
	Format    string   `help:"text is for people; ndjson and sse print the recorded frames; events prints each frame with its envelope, as --json does." enum:"text,ndjson,sse,events" default:"text"`
}

// Run plays to the end, or until the user interrupts.
func (c *playCommand) Run(ctx context.Context, g *global) error {
	switch {
	case !g.JSON:
	case c.Format == "text" || c.Format == "events":
		c.Format = "events"
	default:
		return commandline.Errorf("--json prints what --format events does: it goes without --format %s", c.Format)
	}
	from, err := play.OpenNoting(os.Stderr, c.Session, c.Of, g.client)
	if err != nil {
		return err
	}
	defer from.Close()
	path, err := pathOf(from.Session, "replay")
	if err != nil {
		return err
	}
	cl := from.Client
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
		err := from.Await(ctx, path, os.Stderr)
		if err != nil && ctx.Err() != nil {
			return exitCode(130)
		}
		if err != nil {
			return err
		}
	}
	if c.Format == "text" && !c.Plain && play.Interactive() {
		return c.onScreen(ctx, from, path, q)
	}
	accept, show := "application/x-ndjson", play.CopyEvents
	out := console.Recorded(os.Stdout)
	switch c.Format {
	case "ndjson":
		q.Set("mode", "raw")
		show = copyFrames
	case "sse":
		q.Set("mode", "raw")
		show, accept = copyFrames, "text/event-stream"
	case "text":
		show, out = play.PrintEvents, console.To(os.Stdout)
	}
	cl.WithoutTimeout() // a tape may begin with silence
	body, err := cl.Open(ctx, http.MethodGet, path, q, accept)
	if err != nil {
		return from.Reason(err)
	}
	defer body.Close()
	if err := show(out, body); err != nil {
		if ctx.Err() != nil {
			return exitCode(130) // the exit code of shells for an interrupted command
		}
		return fmt.Errorf("playback broke off: %w", from.Reason(err))
	}
	return nil
}

// copyFrames writes frames as they arrive.
func copyFrames(w io.Writer, r io.Reader) error {
	_, err := io.Copy(w, r)
	return err
}

// onScreen plays on the terminal's screen, and prints the position at which the user quit.
func (c *playCommand) onScreen(ctx context.Context, from *play.Player, path string, q url.Values) error {
	speed, err := player.ParseSpeed(c.Speed)
	if err != nil {
		return commandline.Errorf("--speed: %v", err)
	}
	result, err := from.OnTerminal(ctx, path, q, speed, c.Follow)
	if err != nil {
		return err
	}
	if !result.Ended {
		at := result.At.Truncate(time.Millisecond)
		fmt.Fprintf(console.To(os.Stdout), "left at %s; \"tapedeck play --from +%s %s\" goes on from there\n", at, at,
			console.SessionWord(c.Session))
	}
	if result.Interrupt {
		return exitCode(130) // the exit code of shells for an interrupted command
	}
	return nil
}
