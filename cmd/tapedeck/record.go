package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/internal/secrets"
)

// recordCommand records one source, or several files.
type recordCommand struct {
	Sources []string  `arg:"" predictor:"file" optional:"" name:"source" help:"FILE…, or - for standard input. Of several files, patterns such as \"logs/*.jsonl\", and folders with all below them each file is a stream. Or \"-- CMD ARG…\" to run a command and tap its output."`
	Follow  string    `help:"Follow a growing file, over rotation and truncation, from where the last run on this file with the same --session stopped." placeholder:"FILE" type:"path" xor:"source"`
	SSE     string    `help:"Tap a text/event-stream (or NDJSON) at a URL." name:"sse" placeholder:"URL" xor:"source"`
	WS      string    `help:"Tap a WebSocket." name:"ws" placeholder:"URL" xor:"source"`
	Session sessionID `help:"Put every frame into this session; of several files too, a stream each." placeholder:"ID"`
	Dialect string    `predictor:"dialect" help:"The protocol inside the frames; recognised by default." placeholder:"NAME"`
	Tenant  string    `help:"The tenant." default:"default" placeholder:"T"`
	Tag     []string  `help:"Tag the session; may be repeated." placeholder:"K=V" sep:"none"`
	Again   bool      `help:"Record a file also if the server has a recording of the same bytes."`
	Clock   string    `help:"Where times come from: arrival; frame for the times that the frames state, each session its own, and arrival where they state none; auto is frame for files and arrival for all else." enum:"auto,arrival,frame" default:"auto"`
	Header  []string  `help:"Header for --sse and --ws; may be repeated." placeholder:"K:V" sep:"none"`
	Send    []string  `help:"Message to send each time the WebSocket is open; may be repeated." placeholder:"FRAME" sep:"none"`
	Until   string    `help:"For --ws: stop after the first frame of this type." placeholder:"TYPE"`
	Method  string    `help:"Method for --sse; GET, or POST if there is a body."`
	Body    string    `help:"Body for --sse; @FILE reads it from a file."`
	Once    bool      `help:"For --sse and --ws: do not connect again. Left out, --sse goes on until the server says that nothing follows, --ws until the connection is closed in good order."`

	FrameLimit int    `help:"Largest frame, bytes; a longer one is kept in pieces." default:"16777216"`
	NATS       string `help:"Publish to this NATS server instead of through the tapedeck server; with --nats-subject or --nats-stream the server to record from." name:"nats" env:"TAPEDECK_NATS" placeholder:"URL"`
	waitFlags
	Stdio   bool `help:"Record the command's standard input too: stand between a client and an agent or server of tools that exchange lines (ACP, MCP, Codex app-server). The command is run also if no server answers, as with --allow-offline, and record does not wait until the recording can be read." name:"stdio"`
	PTY     bool `help:"Give the command a pseudo-terminal as its standard output, for programs that hold output back for a pipe (Python, C). They may print colours and progress as on a terminal." name:"pty"`
	NoSpool bool `help:"Without a spool: wait for an unavailable server instead of writing to disk."`

	WaitForServer time.Duration `help:"How long to wait at the start for a server that does not answer." default:"0s" env:"TAPEDECK_WAIT_FOR_SERVER" placeholder:"D"`
	AllowOffline  bool          `help:"If no server answers at the start, record into the spool all the same, and end as the command that was run; the next record, or flush, sends it." env:"TAPEDECK_ALLOW_OFFLINE"`

	settings.CommandSpool
	settings.DialectFiles
	settings.Redaction  `group:"Secrets"`
	natsSource          `group:"NATS"`
	settings.NATSClient `group:"NATS"`

	command  []string // the arguments after "--"
	reported bool     // the result was printed as JSON
}

// Run records until the source ends or the user interrupts. With --json it prints a result also if
// it fails.
func (c *recordCommand) Run(ctx context.Context, g *global) error {
	if c.Stdio && g.JSON {
		return commandline.Errorf("--stdio goes without --json: standard output belongs to the client")
	}
	err := c.record(ctx, g)
	if _, silent := errors.AsType[exitCode](err); err == nil || silent || !g.JSON || c.reported {
		return err
	}
	return errors.Join(err, c.reportJSON(&tapped{}, err, &knownrecordings.Waiting{}))
}

func (c *recordCommand) record(ctx context.Context, g *global) error {
	spareGC()
	if err := c.Load(); err != nil {
		return err
	}
	if c.Stdio {
		c.AllowOffline = c.AllowOffline || c.NATS == "" && !c.NoSpool
	}
	if err := c.check(); err != nil {
		return err
	}
	rules, err := c.Engine()
	if err != nil {
		return err
	}
	tags, err := parseTags(c.Tag)
	if err != nil {
		return err
	}
	files, err := file.Expand(c.Sources)
	if err != nil {
		return err
	}
	publish := c.NATS
	if c.natsSource.given() {
		publish = "" // NATS is the source
	}
	out, err := openOutlet(ctx, g, &c.NATSClient, outlet.Options{NATS: publish, NoSpool: c.NoSpool, Sync: c.Sync(), SpoolLimit: int64(c.SpoolLimit), Redact: rules, WaitFor: c.WaitForServer, Offline: c.AllowOffline})
	if err != nil {
		return err
	}
	defer out.Close()
	if err := checkTenant(out, &c.Tenant); err != nil {
		return err
	}
	rec := out.Recorder()
	opts := ingest.StreamOptions{
		Tenant: c.Tenant, Session: string(c.Session), Dialect: c.Dialect, Tags: tags, FrameClock: c.Clock == "frame", IfTimed: c.Clock == "frame",
	}
	if c.natsSource.given() {
		return c.recordNATS(ctx, g, out, rec, opts)
	}
	if files.Several {
		return c.recordFiles(ctx, g, out, rec, opts, files)
	}
	began := time.Now()
	agents, err := c.planTranscripts(ctx, g, rec, opts, files.List)
	if err != nil {
		return err
	}
	result, err := c.tap(ctx, g, agents, rec, opts)
	took := time.Since(began)
	if known, ok := errors.AsType[*knownrecordings.KnownError](err); ok {
		return reportKnown(g, known)
	}
	if stored, ok := errors.AsType[*agenthistory.StoredError](err); ok {
		return errors.Join(reportStored(g, stored), agents.close(true))
	}
	kept := false // in the spool, which --allow-offline allows
	switch {
	case err != nil:
		err = errors.Join(err, out.Leftovers())
	case c.AllowOffline && out.Away():
		if left := out.Leftovers(); left != nil {
			fmt.Fprintf(console.To(os.Stderr), "%v\n", left)
			kept = true
		}
	default:
		err = drain(context.WithoutCancel(ctx), out)
	}
	err = errors.Join(err, agents.close(err == nil && !kept))
	waiting := knownrecordings.Waiting{}
	if err != nil {
		if g.JSON {
			err = errors.Join(err, c.reportJSON(&result, err, &waiting))
		}
		if result.exit != 0 { // the exit code of the recorded command takes precedence
			fmt.Fprintf(os.Stderr, "tapedeck: %v\n", err)
			return exitCode(result.exit)
		}
		return err
	}
	if result.Frames > 0 && !kept && !c.Stdio {
		waiting = c.waitReadable(ctx, g, c.NATS)
	}
	if err := c.report(g, &result, took, opts.FrameClock, &waiting); err != nil {
		return err
	}
	err = c.reportWaiting(g, &waiting)
	if result.exit != 0 {
		return exitCode(result.exit)
	}
	return err
}

// check returns an error for incompatible flags.
func (c *recordCommand) check() error {
	sources := 0
	for _, given := range []bool{len(c.Sources) > 0, c.Follow != "", c.SSE != "", c.WS != "", len(c.command) > 0, c.natsSource.given()} {
		if given {
			sources++
		}
	}
	for _, f := range []struct {
		name, with  string
		given, fits bool
	}{
		{"--send", "--ws", len(c.Send) > 0, c.WS != ""},
		{"--until", "--ws", c.Until != "", c.WS != ""},
		{"--body", "--sse", c.Body != "", c.SSE != ""},
		{"--method", "--sse", c.Method != "", c.SSE != ""},
		{"--once", "--sse or --ws", c.Once, c.SSE != "" || c.WS != ""},
		{"--pty", "-- CMD", c.PTY, len(c.command) > 0},
		{"--stdio", "-- CMD", c.Stdio, len(c.command) > 0},
		{"--again", "FILE", c.Again, len(c.Sources) > 0 && c.Sources[0] != "-"},
		{"--header", "--sse or --ws", len(c.Header) > 0, c.SSE != "" || c.WS != ""},
	} {
		if f.given && !f.fits && sources == 1 {
			return commandline.Errorf("%s goes with %s", f.name, f.with)
		}
	}
	if advice := programAdvice(c.Sources); advice != "" {
		return commandline.Errorf("%s", advice)
	}
	switch {
	case sources == 0:
		return commandline.Errorf("record needs a source: FILE…, - for standard input, --follow FILE, --sse " +
			"URL, --ws URL, --nats URL with --nats-subject or --nats-stream, or -- CMD ARG…")
	case sources > 1:
		return commandline.Errorf("record takes one source at a time, or several files")
	case len(c.Sources) > 1 && slices.Contains(c.Sources, "-"):
		return commandline.Errorf("- is standard input, and goes without files")
	case c.NATS != "" && c.NoSpool && !c.natsSource.given():
		return commandline.Errorf("--nats goes without --no-spool: the spool bridges an unavailable NATS server")
	case checkURL("--sse", c.SSE, "https://host/events", "http", "https") != nil:
		return checkURL("--sse", c.SSE, "https://host/events", "http", "https")
	case checkURL("--ws", c.WS, "wss://host/path", "ws", "wss", "http", "https") != nil:
		return checkURL("--ws", c.WS, "wss://host/path", "ws", "wss", "http", "https")
	case c.Until != "" && c.Clock == "frame":
		return commandline.Errorf("--until goes without --clock frame, which looks at later frames first")
	case c.WaitForServer < 0:
		return commandline.Errorf("--wait-for-server %v: it must be 0s or more", c.WaitForServer)
	case c.AllowOffline && (c.NATS != "" || c.NoSpool):
		return commandline.Errorf("--allow-offline goes without --nats and --no-spool: the spool keeps what is recorded until the tapedeck server answers")
	case c.AllowOffline && len(c.Sources) > 0 && c.Sources[0] != "-":
		return commandline.Errorf("--allow-offline goes with -, --follow, --sse, --ws or -- CMD: files can be recorded later")
	case c.Stdio && c.PTY:
		return commandline.Errorf("--stdio goes without --pty: a terminal would change the messages")
	case c.FrameLimit < 1024:
		return commandline.Errorf("--frame-limit %d: it must be at least 1024 bytes", c.FrameLimit)
	}
	if err := errors.Join(c.CheckSpool(), c.checkWait()); err != nil {
		return err
	}
	if err := c.natsSource.check(c.NATS, &c.NATSClient, c.Clock == "frame"); err != nil {
		return err
	}
	return checkStream(c.Tenant, string(c.Session), c.Dialect)
}

// sessionID is the id of a session on a command line, where an empty one is a variable without a
// value.
type sessionID string

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *sessionID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("it must not be empty: leave the flag out for a new session")
	}
	*s = sessionID(text)
	return nil
}

// checkStream checks the names of a recording.
func checkStream(tenant, session, dialect string) error {
	return commandline.As(ingest.CheckStream(tenant, session, dialect))
}

// checkURL checks the URL of a flag.
func checkURL(flag, address, example string, schemes ...string) error {
	u, err := url.Parse(address)
	if address == "" || err == nil && u.Host != "" && slices.Contains(schemes, u.Scheme) {
		return nil
	}
	return commandline.Errorf("%s %q: it must be a URL like %s", flag, secrets.URL(address), example)
}

// report prints the result of a recording.
func (c *recordCommand) report(g *global, r *tapped, took time.Duration, frameClock bool, waiting *knownrecordings.Waiting) error {
	if g.JSON {
		return c.reportJSON(r, nil, waiting)
	}
	printers.Recording(os.Stderr, &r.Summary, took, frameClock)
	if len(c.command) > 0 && !c.PTY {
		printers.Buffered(os.Stderr, &r.Summary, took)
	}
	if r.signal != "" {
		printers.Signal(os.Stderr, r.signal)
	}
	return nil
}

// reportJSON prints the result of a recording, or of one that failed, as JSON on a line of its own:
// standard output also has the output of a command that was run.
func (c *recordCommand) reportJSON(r *tapped, failed error, waiting *knownrecordings.Waiting) error {
	result := struct {
		*ingest.Summary
		Signal  string                   `json:"signal,omitempty"`
		Error   string                   `json:"error,omitempty"`
		Waiting *knownrecordings.Waiting `json:"unreadable"`
	}{&r.Summary, r.signal, "", waiting}
	if failed != nil {
		result.Error = failed.Error()
	}
	if failed != nil && r.StreamID == "" {
		result.Summary = nil
	}
	c.reported = true
	if err := r.stdout.endLine(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
