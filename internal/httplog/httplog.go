// Package httplog logs what net/http reports about connections, such as failed handshakes and
// interrupted answers.
package httplog

import (
	"context"
	stdlog "log"
	"log/slog"
	"regexp"
	"strings"
)

// New returns the error log of an http.Server or an httputil.ReverseProxy. Each line becomes an
// event of level debug, since clients cause nearly all of them.
func New(log *slog.Logger) *stdlog.Logger { return stdlog.New(lines{log, slog.LevelDebug}, "", 0) }

// Capture turns the lines that libraries write to the log of package log into events of level
// warning. The transport of net/http, which has no error log of its own, writes such lines.
func Capture(log *slog.Logger) {
	stdlog.SetFlags(0)
	stdlog.SetOutput(lines{log, slog.LevelWarn})
}

type lines struct {
	log   *slog.Logger
	level slog.Level
}

// quoted matches a text as %q formats it. In messages of net/http it is what the other side sent.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// Write implements io.Writer. It removes the bytes of a connection that a message quotes.
func (l lines) Write(line []byte) (int, error) {
	l.log.Log(context.Background(), l.level, "http: net/http reports a problem",
		"error", quoted.ReplaceAllLiteralString(strings.TrimSpace(string(line)), "(left out)"))
	return len(line), nil
}
