package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"

	"tapedeck/deploy/server"
	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/problem"
	"tapedeck/internal/usage"
	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/router"
	"tapedeck/replay/tapefile"
)

// openTape opens a session of a tape file.
func (c *emulateCommand) openTape(ctx context.Context, log *slog.Logger) (*emulated, error) {
	f, err := tapefile.Open(c.Session, tapefile.Options{})
	if err != nil {
		return nil, err
	}
	session, err := oneSession(f, c.Session, c.Of)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := f.Break(); err != nil {
		fmt.Fprintf(console.To(os.Stderr), "note     %s: %v\n", c.Session, err)
	}
	return c.playTape(ctx, f, session, log)
}

// cannotSpeak says why a session is not played in a protocol, as a server would.
func cannotSpeak(err error) error {
	p, ok := problem.From(err)
	if !ok {
		return err
	}
	return &apiclient.Error{Title: p.Title, Status: p.Status, Detail: p.Detail, Hint: p.Hint}
}

// playTape answers from a tape file, which is closed with what it returns.
func (c *emulateCommand) playTape(ctx context.Context, f *tapefile.File, session string, log *slog.Logger) (*emulated, error) {
	emulation := router.New(emulate.Options{Library: f, Logger: log}, nil)
	if err := emulation.Speaks(ctx, ingest.DefaultTenant, session, c.Protocol); err != nil {
		return nil, errors.Join(cannotSpeak(err), f.Close())
	}
	prefix := c.prefix(session, "")
	return &emulated{session, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, err := url.Parse(prefix + r.URL.EscapedPath())
		if err != nil {
			problem.Write(w, problem.BadParameter("path", "the path is not escaped as URLs are: "+err.Error()))
			return
		}
		u.RawQuery = r.URL.RawQuery
		inner := r.WithContext(r.Context())
		inner.URL = u
		emulation.Session(w, inner, ingest.DefaultTenant)
	}), func() { _ = f.Close() }}, nil // it was only read
}

// checkSettings refuses settings that no session can be played with, and an address
// that is not listened on.
func (c *emulateCommand) checkSettings() error {
	if _, err := new(emulate.Pace).SplitSession(c.prefix("any", "")[len("/emulate/"):]); err != nil {
		wrong, _ := problem.From(err)
		return usage.Errorf("--%s: %s", flagOf(wrong.Parameter), wrong.Detail)
	}
	return server.CheckListen(c.Listen)
}

// flagOf names the flag of a setting.
func flagOf(setting string) string {
	if setting == "idle_limit" {
		return "idle-limit"
	}
	return setting
}

// openRecording makes a tape of a file of lines or events, for as long as the
// process runs.
func (c *emulateCommand) openRecording(ctx context.Context, log *slog.Logger) (*emulated, error) {
	f, session, err := tapeOf(ctx, c.Session, c.Of, c.Dialect)
	if err != nil {
		return nil, err
	}
	return c.playTape(ctx, f, session, log)
}
