package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"tapedeck/deploy/server"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
)

// emulateCommand puts one session on a port of its own, in the protocol that it
// was recorded from. A session of a server is asked of the server, whose address
// and token a UI or an agent has no place for; one in a file is played by this
// process, which then needs nothing else.
type emulateCommand struct {
	logFlags
	Protocol  string `arg:"" enum:"loom,http,anthropic-agent,compozy" help:"loom, http, anthropic-agent or compozy."`
	Session   string `arg:"" help:"The session's id; or, without a server, a tape file, or a file of recorded lines or events."`
	Of        string `help:"Which session of a tape file, where it holds several; what a file of lines or events is to be called." name:"session" placeholder:"ID"`
	Dialect   string `help:"The protocol inside a file of lines or events; recognised by default." placeholder:"NAME"`
	Listen    string `help:"Address to listen on; port 0 takes a free one." default:"127.0.0.1:8080" placeholder:"ADDR"`
	Speed     string `help:"0.1 to 1000, or max." default:"1"`
	IdleLimit string `help:"Cap silences, like 2s." placeholder:"D"`
	From      string `help:"Pass over what was recorded before this position, offset like +12.5s, or type:tool_call." placeholder:"POS"`
	Match     string `help:"http, loom: which recorded answer comes next: the next in order, or that to the same body." enum:"order,body" default:"order" placeholder:"order|body"`
	End       string `help:"After the last recorded answer: an error, the first again, or the last once more. Default: loom stops, of HTTP a GET has the last and all else the first." enum:",stop,again,last" default:"" placeholder:"stop|again|last"`
	ExitWith  string `help:"Exit when standard input is closed, or when the process that started this one has ended." enum:",stdin,parent" default:"" placeholder:"stdin|parent"`
}

// Run serves until it is told to stop.
func (c *emulateCommand) Run(ctx context.Context, g *global) error {
	ctx, unwatch := c.watch(ctx)
	defer unwatch()
	log := c.logger()
	played, err := c.open(ctx, g, log)
	if err != nil {
		return err
	}
	defer played.close()
	l, err := server.Listen(c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	life, end := context.WithCancel(context.Background())
	srv := &http.Server{
		Handler:     server.LocalPages(played.handler),
		BaseContext: func(net.Listener) context.Context { return life },
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	defer context.AfterFunc(ctx, func() {
		end()
		_ = srv.Close() // streams have no end of their own to wait for
	})()
	if err := c.announce(g, played, l.Addr()); err != nil {
		end()
		return err
	}
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) || ctx.Err() == nil {
		end()
		return fmt.Errorf("serve on %s: %w", l.Addr(), err)
	}
	return nil
}

// emulated is a session that can be asked.
type emulated struct {
	session string
	handler http.Handler
	close   func()
}

// open finds the session and what answers for it.
func (c *emulateCommand) open(ctx context.Context, g *global, log *slog.Logger) (*emulated, error) {
	if err := c.checkSettings(); err != nil {
		return nil, err
	}
	switch {
	case isTape(c.Session):
		if c.Dialect != "" {
			return nil, usage.Errorf("--dialect goes with a file of lines or events: a tape says what it holds")
		}
		return c.openTape(ctx, log)
	case isFile(c.Session):
		return c.openRecording(ctx, log)
	case c.Of != "":
		return nil, usage.Errorf("--session goes with a file, and %q is none", c.Session)
	case c.Dialect != "":
		return nil, usage.Errorf("--dialect goes with a file of lines or events, and %q is none", c.Session)
	}
	return c.openRemote(ctx, g, log)
}

// announcement is what --json prints, as one line, once requests are taken.
type announcement struct {
	URL      string `json:"url"`     // what a client is pointed at
	Address  string `json:"address"` // host and port
	Protocol string `json:"protocol"`
	Session  string `json:"session"`
	PID      int    `json:"pid"`
}

func (c *emulateCommand) announce(g *global, e *emulated, a net.Addr) error {
	at := c.address(a, e.session)
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(announcement{at, a.String(), c.Protocol, e.session, os.Getpid()})
	}
	_, err := fmt.Fprintf(console.To(os.Stderr), "%s plays session %s\n", at, e.session)
	return err
}

// address is where a client is pointed to.
func (c *emulateCommand) address(a net.Addr, session string) string {
	switch c.Protocol {
	case "loom":
		return "ws://" + a.String() + "/"
	case "anthropic-agent":
		return "http://" + a.String() + "/agent/run"
	case "compozy":
		return "http://" + a.String() + "/api/v0/executions/workflows/" + url.PathEscape(session) + "/stream"
	}
	return "http://" + a.String()
}

// prefix is the path of a session with the settings that were given. take, if
// not empty, tells one run of the command from another: each begins with what was
// recorded first.
func (c *emulateCommand) prefix(session, take string) string {
	segment := escapeSegment(session)
	for _, setting := range [][2]string{
		{"speed", c.Speed}, {"idle_limit", c.IdleLimit}, {"from", c.From}, {"match", c.Match}, {"end", c.End}, {"take", take},
	} {
		if setting[1] != "" {
			segment += ";" + setting[0] + "=" + escapeSegment(setting[1])
		}
	}
	return "/emulate/" + segment
}

// escapeSegment escapes what would end a path segment, or a setting in it.
func escapeSegment(s string) string {
	return strings.NewReplacer(";", "%3B", "=", "%3D").Replace(url.PathEscape(s))
}
