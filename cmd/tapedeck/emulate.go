package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"

	"tapedeck/internal/app/command/emulate"
	"tapedeck/internal/app/server"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/internal/h2c"
	"tapedeck/internal/httplog"
)

// emulateCommand serves one session on its own port, in the protocol from which it was recorded. It
// forwards requests for a session of a server to that server, so that a UI or an agent needs
// neither its address nor its token. It plays a session of a file itself, without a server.
//
// With stdio it plays the agent of a session over its own standard input and output.
type emulateCommand struct {
	settings.Log
	Protocol  string `arg:"" enum:"loom,http,anthropic-agent,compozy,stdio" help:"loom, http, anthropic-agent or compozy; or stdio: this command then is the agent, or the server of tools, that \"tapedeck record --stdio\" recorded."`
	Session   string `arg:"" predictor:"session" help:"The session's id; or, without a server, a tape file, or a file of recorded lines or events."`
	Of        string `help:"Which session of a tape file, where it holds several; what a file of lines or events is to be called." name:"session" placeholder:"ID"`
	Dialect   string `predictor:"dialect" help:"The protocol inside a file of lines or events; recognised by default." placeholder:"NAME"`
	Listen    string `help:"Address to listen on, but with stdio; port 0 takes a free one." default:"127.0.0.1:8080" placeholder:"ADDR"`
	Speed     string `help:"0.1 to 1000, or max." default:"1"`
	IdleLimit string `help:"Cap silences, like 2s." placeholder:"D"`
	From      string `help:"Pass over what was recorded before this position, offset like +12.5s, or type:tool_call." placeholder:"POS"`
	Match     string `help:"http, loom, stdio: which recorded answer comes next: the next in order, or that to the same body." enum:"order,body" default:"order" placeholder:"order|body"`
	End       string `help:"After the last recorded answer: an error, the first again, or the last once more. Default: loom stops, of HTTP a GET has the last and all else the first, of stdio the same request has the last and all else an error." enum:",stop,again,last" default:"" placeholder:"stop|again|last"`
	ExitWith  string `help:"Exit when standard input is closed, or when the process that started this one has ended." enum:",stdin,parent" default:"" placeholder:"stdin|parent"`
}

// emulateListen is the default address.
const emulateListen = "127.0.0.1:8080"

// Run serves until the process is signalled to stop.
func (c *emulateCommand) Run(ctx context.Context, g *global) error {
	if c.Protocol == "stdio" {
		return c.runStdio(ctx, g)
	}
	ctx, unwatch := emulate.Until(ctx, c.ExitWith, os.Stdin)
	defer unwatch()
	log := c.Logger()
	if err := server.CheckListen("--listen", c.Listen); err != nil {
		return err
	}
	played, err := emulate.Open(ctx, c.options(g, log))
	if err != nil {
		return err
	}
	defer played.Close()
	l, err := server.Listen("--listen", c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	life, end := context.WithCancel(context.Background())
	srv := &http.Server{
		Handler:     server.LocalPages(played),
		BaseContext: func(net.Listener) context.Context { return life },
		ErrorLog:    httplog.New(log),
		Protocols:   h2c.Protocols(),
	}
	defer context.AfterFunc(ctx, func() {
		end()
		_ = srv.Close() // open streams do not end by themselves
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

func (c *emulateCommand) options(g *global, log *slog.Logger) emulate.Options {
	return emulate.Options{
		Protocol: c.Protocol, Name: c.Session, Session: c.Of, Dialect: c.Dialect,
		Speed: c.Speed, IdleLimit: c.IdleLimit, From: c.From, Match: c.Match, End: c.End,
		Server: g.client, Log: log,
	}
}

// runStdio plays the agent until the client closes standard input.
func (c *emulateCommand) runStdio(ctx context.Context, g *global) error {
	switch {
	case g.JSON:
		return commandline.Errorf("stdio goes without --json: standard output belongs to the client")
	case c.Listen != emulateListen:
		return commandline.Errorf("stdio goes without --listen: the client is on standard input and output")
	case c.ExitWith == "stdin":
		return commandline.Errorf("stdio goes without --exit-with stdin: the client's end of standard input ends it")
	}
	ctx, unwatch := emulate.Until(ctx, c.ExitWith, os.Stdin)
	defer unwatch()
	exit, err := emulate.Stdio(ctx, c.options(g, c.Logger()), os.Stdin, os.Stdout)
	if err == nil && exit != 0 {
		err = exitCode(exit)
	}
	return err
}

// announcement is the line that --json prints once the server accepts requests.
type announcement struct {
	URL      string `json:"url"`     // the base URL for clients
	Address  string `json:"address"` // host and port
	Protocol string `json:"protocol"`
	Session  string `json:"session"`
	PID      int    `json:"pid"`
}

func (c *emulateCommand) announce(g *global, e *emulate.Session, a net.Addr) error {
	at := e.URL(a)
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(announcement{at, a.String(), c.Protocol, e.ID, os.Getpid()})
	}
	_, err := fmt.Fprintf(console.To(os.Stderr), "%s plays session %s\n", at, e.ID)
	return err
}
