// Package serve holds the options that all servers of playbacks share.
package serve

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/budget"
	"tapedeck/internal/slow"
	"tapedeck/replay"
	"tapedeck/replay/player"
)

// Options configures a server of playbacks. Zero values select the defaults.
type Options struct {
	Library replay.Library // source of the tapes
	// Live provides the tapes of running sessions for follow=1; nil if running sessions
	// cannot be followed. Emulated servers do not use it.
	Live replay.Library
	// Budget bounds the number and the memory of playbacks, shared with other readers; nil for a
	// separate budget. A request above it is answered with 503.
	Budget *budget.Budget
	// WriteTimeout is how long a client may take to accept one write before its connection is
	// closed; default 30 s.
	WriteTimeout *slow.Timeout
	// LagLimit is how far a slow client may fall behind the schedule; default 1 min. Above it the
	// server sends an error and closes the connection; the client can resume. Emulated servers do
	// not use it.
	LagLimit *slow.Timeout
	// Heartbeat is the interval of comments on SSE and of pings on a WebSocket; default 15 s.
	// Emulated servers do not ping, since the recorded servers do not: TCP detects disconnected
	// clients.
	Heartbeat time.Duration
	// Origins lists further origins, such as https://ui.example.com, whose pages may send requests or
	// open a WebSocket. Pages of this server and of the machine on which the browser runs always may.
	Origins []string
	// Alarm wakes the players; default player.PreciseAlarm.
	Alarm      func() player.Alarm
	Registerer prometheus.Registerer // for metrics; nil for none
	Logger     *slog.Logger          // default slog.Default()
}

// WithDefaults returns o with defaults in place of zero values.
func (o Options) WithDefaults() Options {
	if o.Budget == nil {
		o.Budget = budget.New(budget.Options{})
	}
	o.Heartbeat = cmp.Or(o.Heartbeat, 15*time.Second)
	if o.Alarm == nil {
		o.Alarm = player.PreciseAlarm
	}
	if o.Registerer == nil {
		o.Registerer = prometheus.NewRegistry()
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}
