package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tapedeck/ingest/delivery/outlet"
	"tapedeck/internal/app/command/otlpforward"
	"tapedeck/internal/backoff"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/endpoint"
)

// forwardCommand sends the spans of ended sessions to an OTLP endpoint.
type forwardCommand struct {
	To      string        `arg:"" help:"The endpoint: http://HOST:4318, to which /v1/traces is added, or the whole URL for traces." placeholder:"URL"`
	Header  []string      `help:"A header of each request, as NAME=VALUE, for credentials. Several may be named." env:"OTEL_EXPORTER_OTLP_HEADERS" placeholder:"NAME=VALUE"`
	Content bool          `help:"With what was said, arguments and results of tools and texts of errors, as they were recorded."`
	Every   time.Duration `help:"Look for ended sessions at this interval." default:"10s" placeholder:"D"`
	Once    bool          `help:"Look once, and end, with an error if the endpoint is away."`
	From    timeFlag      `help:"Begin with sessions that have a frame from this time on: RFC 3339, a date, now-24h or 7d. It applies to the first run. Default: now-24h." placeholder:"TIME" aliases:"since"`
	State   string        `help:"The file that holds what was sent. Default: one for each server, token, --as-tenant and endpoint, below ~/.local/state/tapedeck/forward." type:"path" placeholder:"FILE"`
}

// onceAttempts bounds the attempts to send a request with --once; they take about 7 s while the endpoint is away.
const onceAttempts = 4

func (c *forwardCommand) Help() string {
	return `Each session is sent once, when it has ended; one that continues later is sent again, with the same ids of its spans. While the endpoint is away the command waits and tries again, with --once a few times. After it was ended it continues where it was.`
}

// Run sends sessions until it is interrupted, or once.
func (c *forwardCommand) Run(ctx context.Context, g *global) error {
	f, err := c.forwarder(g)
	if err != nil {
		return err
	}
	if err := f.Open(); err != nil {
		return err
	}
	defer f.Close()
	for {
		result, err := f.Round(ctx)
		if err == nil || result.Sessions > 0 {
			err = errors.Join(err, c.print(g, &result))
		}
		switch {
		case ctx.Err() != nil && c.Once:
			return errors.New("interrupted: the next run continues")
		case ctx.Err() != nil:
			return nil
		case c.Once && err == nil && result.Failed > 0:
			return fmt.Errorf("%s could not be read: the next run tries again", console.Count(result.Failed, "session"))
		case c.Once:
			return err
		case err != nil:
			fmt.Fprintf(console.To(os.Stderr), "error: %v; trying again in %s\n", err, c.Every)
		}
		backoff.Sleep(ctx, c.Every)
	}
}

// forwarder returns the forwarder that the flags describe.
func (c *forwardCommand) forwarder(g *global) (*otlpforward.Forwarder, error) {
	u, err := url.Parse(c.To)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return nil, commandline.Errorf("endpoint %q: it must be http://HOST:4318 or https://HOST/…, with credentials in --header", c.To)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	if c.Every < time.Second {
		return nil, commandline.Errorf("--every %s: it must be 1s or more", c.Every)
	}
	headers := map[string]string{}
	for _, text := range c.Header {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" || strings.ContainsAny(text, "\r\n") {
			return nil, commandline.Errorf("--header: it must be NAME=VALUE, in one line")
		}
		if decoded, err := url.PathUnescape(value); err == nil {
			value = decoded
		}
		headers[strings.TrimSpace(name)] = value
	}
	now := time.Now()
	from, err := endpoint.ParseInstant(cmp.Or(c.From.utc(), "now-24h"), time.UTC, now)
	if err != nil {
		return nil, commandline.Errorf("--from: %w", err)
	}
	client, err := g.reader()
	if err != nil {
		return nil, err
	}
	state := c.State
	if state == "" {
		home, err := outlet.ForwardHome()
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(strings.Join([]string{g.Server, g.Token, g.AsTenant, u.String()}, "\n")))
		state = filepath.Join(home, fmt.Sprintf("%s-%x.json", strings.Map(fileSafe, u.Hostname()), sum[:6]))
	}
	attempts := 0
	if c.Once {
		attempts = onceAttempts
	}
	return &otlpforward.Forwarder{Attempts: attempts, Client: client, Endpoint: u.String(), Headers: headers, Content: c.Content, State: state, From: from,
		Said: func(line string) { fmt.Fprintln(console.To(os.Stderr), line) }}, nil
}

// fileSafe replaces characters of a host that a file name should not have.
func fileSafe(r rune) rune {
	if r == ':' || r == '/' || r == '%' {
		return '-'
	}
	return r
}

// print prints what a round sent, unless it had nothing to send.
func (c *forwardCommand) print(g *global, r *otlpforward.Result) error {
	if g.JSON {
		return json.NewEncoder(console.Recorded(os.Stdout)).Encode(r)
	}
	if r.Sessions+r.Refused == 0 && !c.Once {
		return nil
	}
	text := fmt.Sprintf("sent %s, %s", console.Count(r.Sessions, "session"), console.Count(r.Spans, "span"))
	for _, part := range []struct {
		n    int
		what string
	}{{int(r.Rejected), "spans rejected"}, {r.Refused, "sessions refused"}, {r.Open, "open"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	_, err := fmt.Println(text)
	return err
}
