// Package emulate serves a session on its own port in the protocol from which it was recorded. The
// session is on a server, in a tape file, or in a file of recorded lines or events.
package emulate

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/play"
	"tapedeck/internal/commandline"
)

// Options select a session and how it is played.
type Options struct {
	Protocol string
	Name     string // a session of the server, a tape file, or a file of lines or events
	Session  string // for a tape file, which session; for a file of lines or events, its id
	Dialect  string // dialect of a file of lines or events; "" recognises it

	// Speed, IdleLimit, From, Match and End are the settings of the server's emulation; "" for
	// defaults.
	Speed, IdleLimit, From, Match, End string

	Server func() (*apiclient.Client, error)
	Log    *slog.Logger
}

// Session is a session that answers requests.
type Session struct {
	http.Handler
	ID       string
	protocol string
	close    func()
}

// Close ends the session.
func (s *Session) Close() { s.close() }

// Open finds the session and its handler.
func Open(ctx context.Context, o Options) (*Session, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	switch {
	case play.IsTape(o.Name):
		if o.Dialect != "" {
			return nil, commandline.Errorf("--dialect goes with a file of lines or events: a tape has its own")
		}
		return o.openTape(ctx)
	case isFile(o.Name):
		return o.openRecording(ctx)
	case o.Session != "":
		return nil, commandline.Errorf("--session goes with a file, and %q is none", o.Name)
	case o.Dialect != "":
		return nil, commandline.Errorf("--dialect goes with a file of lines or events, and %q is none", o.Name)
	}
	return o.openRemote(ctx)
}

// URL returns the address at which clients reach the session when it is served at a.
func (s *Session) URL(a net.Addr) string {
	switch s.protocol {
	case "loom":
		return "ws://" + a.String() + "/"
	case "anthropic-agent":
		return "http://" + a.String() + "/agent/run"
	case "compozy":
		return "http://" + a.String() + "/api/v0/executions/workflows/" + url.PathEscape(s.ID) + "/stream"
	}
	return "http://" + a.String()
}

// prefix returns the path of a session with the settings. A take that is not empty distinguishes
// one run of the command from another: each run begins with the first recorded answer.
func (o *Options) prefix(session, take string) string {
	segment := escapeSegment(session)
	for _, setting := range [][2]string{
		{"speed", o.Speed}, {"idle_limit", o.IdleLimit}, {"from", o.From}, {"match", o.Match}, {"end", o.End}, {"take", take},
	} {
		if setting[1] != "" {
			segment += ";" + setting[0] + "=" + escapeSegment(setting[1])
		}
	}
	return "/emulate/" + segment
}

// escapeSegment escapes characters that would end a path segment, or a setting in it.
func escapeSegment(s string) string {
	return strings.NewReplacer(";", "%3B", "=", "%3D").Replace(url.PathEscape(s))
}
