// Package httplog logs what net/http reports about connections, such as failed handshakes and
// interrupted answers.
package httplog

import (
	stdlog "log"
	"log/slog"
	"strings"
)

// New returns the error log of an http.Server or an httputil.ReverseProxy. Each line becomes an
// event of level debug, since clients cause nearly all of them.
func New(log *slog.Logger) *stdlog.Logger { return stdlog.New(lines{log}, "", 0) }

type lines struct{ log *slog.Logger }

// Write implements io.Writer.
func (l lines) Write(line []byte) (int, error) {
	l.log.Debug("http: net/http reports a problem", "error", strings.TrimSpace(string(line)))
	return len(line), nil
}
