package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"slices"

	"tapedeck/deploy/output"
	"tapedeck/deploy/playback"
	"tapedeck/deploy/recorded"
	"tapedeck/deploy/tapecopy"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/sessionhead"
	"tapedeck/replay/tapefile"
	"tapedeck/replay/tapefile/asciicast"
	"tapedeck/replay/tapefile/har"
)

// exportCommand writes sessions to a file.
type exportCommand struct {
	Sessions []string `arg:"" optional:"" name:"session" help:"The sessions: ids on the server, or tape files."`
	All      bool     `help:"All sessions of the tenant, the oldest first, to move it to another server."`
	Output   string   `help:"The file to write; - for standard output. Formats of text go there unless a file is named." short:"o" placeholder:"FILE"`
	Format   string   `help:"tape keeps everything, of several sessions; the others are for other tools: the recorded frames as ndjson or sse, what was said as an asciicast, proxied HTTP as har." enum:"tape,ndjson,sse,asciicast,har" default:"tape" placeholder:"tape|ndjson|sse|asciicast|har"`
	Session  string   `help:"Which session of a tape file, for the formats that take one." placeholder:"ID"`
	Force    bool     `help:"Write over a file that is there." short:"f"`
}

// Run writes the file.
func (c *exportCommand) Run(ctx context.Context, g *global) error {
	switch {
	case c.All && len(c.Sessions) > 0:
		return usage.Errorf("--all takes every session of the tenant: name none, or leave it out")
	case c.All && c.Format != "tape":
		return usage.Errorf("--all writes a tape: --format %s takes one session at a time", c.Format)
	case !c.All && len(c.Sessions) == 0:
		return usage.Errorf("name the sessions, ids on the server or tape files, or take all with --all")
	case g.JSON:
		return usage.Errorf("--json is for commands that print: export writes what --format names")
	case c.Format == "tape" && c.Output == "":
		return usage.Errorf("name the file to write with -o FILE, or -o - for standard output")
	case c.Format == "tape" && c.Session != "":
		return usage.Errorf("--session goes with another --format: a tape takes all sessions of a file")
	case c.Format != "tape" && len(c.Sessions) > 1:
		return usage.Errorf("--format %s takes one session at a time", c.Format)
	}
	if c.All {
		if err := c.findAll(ctx, g); err != nil {
			return err
		}
	}
	out, err := output.Create(c.Output, c.Force)
	if err != nil {
		return err
	}
	write := c.writeTape
	switch c.Format {
	case "ndjson", "sse":
		write = c.writeFrames
	case "asciicast", "har":
		write = c.writeConverted
	}
	said, err := write(ctx, g, out)
	err = errors.Join(err, out.Finish())
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(errors.New("interrupted"), err)
		}
		return out.Failed(err)
	}
	if !out.IsStdout() && said != "" {
		fmt.Fprintf(console.To(os.Stderr), "wrote %s: %s\n", c.Output, said)
	}
	return nil
}

// findAll names all sessions of the tenant.
func (c *exportCommand) findAll(ctx context.Context, g *global) error {
	_, _, err := list(ctx, g, "v1/sessions", url.Values{}, math.MaxInt, recorded.SessionsAtOnce, func(s *sessionhead.Summary) {
		c.Sessions = append(c.Sessions, s.ID)
	})
	slices.Reverse(c.Sessions)
	if err == nil && len(c.Sessions) == 0 {
		err = errors.New("the tenant has no sessions")
	}
	return err
}

// writeTape writes all sessions as one tape.
func (c *exportCommand) writeTape(ctx context.Context, g *global, out *output.File) (string, error) {
	w, err := tapefile.NewWriter(out)
	if err != nil {
		return "", err
	}
	began := false
	p := console.ShowProgress(func() string { return fmt.Sprintf("%s written", console.Count(out.Written(), "byte")) })
	defer p.End()
	tape := tapecopy.New(w, g.client)
	for _, name := range c.Sessions {
		if err := tape.Add(ctx, name); err != nil {
			_, wrong := errors.AsType[usage.Error](err)
			out.Keep = !wrong && (began || out.Written() > 1<<16)
			return "", fmt.Errorf("export %s: %w", name, err)
		}
		began = true
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	bytes, frames := w.Written()
	return fmt.Sprintf("%s, %s", console.Count(frames, "frame"), console.Count(bytes, "byte")), nil
}

// writeFrames writes the recorded frames as raw playback sends them.
func (c *exportCommand) writeFrames(ctx context.Context, g *global, out *output.File) (string, error) {
	p, err := g.player(c.Sessions[0], c.Session)
	if err != nil {
		return "", err
	}
	defer p.Close()
	path, err := pathOf(p.Session, "replay")
	if err != nil {
		return "", err
	}
	accept := map[string]string{"ndjson": "application/x-ndjson", "sse": "text/event-stream"}[c.Format]
	body, err := p.Client.Open(ctx, http.MethodGet, path, url.Values{"mode": {"raw"}, "speed": {"max"}}, accept)
	if err != nil {
		return "", p.Reason(err)
	}
	defer body.Close()
	n, err := io.Copy(out, body)
	if err != nil {
		err = p.Reason(err)
	}
	return console.Count(n, "byte"), err
}

// writeConverted writes a session in a format that needs more than its frames.
func (c *exportCommand) writeConverted(ctx context.Context, g *global, out *output.File) (string, error) {
	if c.Session != "" && !playback.IsTape(c.Sessions[0]) {
		return "", usage.Errorf("--session goes with a tape file, and %q is none", c.Sessions[0])
	}
	f, done, err := tapecopy.Open(ctx, c.Sessions[0], g.client)
	if err != nil {
		return "", err
	}
	defer done()
	id, err := playback.OneSession(f, c.Sessions[0], c.Session)
	if err != nil {
		return "", err
	}
	t, err := f.Tape(ctx, "", id)
	if err != nil {
		return "", err
	}
	if c.Format == "har" {
		n, err := har.Write(ctx, out, t, version)
		if err == nil && n == 0 {
			fmt.Fprintln(os.Stderr, "note     the session holds no HTTP exchange: \"tapedeck proxy\" records such")
		}
		return console.Count(n, "exchange"), err
	}
	messages, err := tapecopy.Messages(f, id)
	if err != nil {
		return "", err
	}
	return console.Count(len(messages), "message"), asciicast.Write(ctx, out, t, tapecopy.Title(t, id), messages)
}
