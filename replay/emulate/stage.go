package emulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/replay"
	"tapedeck/schema/problem"
)

// Options of a stage. Zero values stand for the defaults.
type Options struct {
	Library replay.Library // where tapes come from
	// Playbacks bounds how many run at the same time; 500. A request beyond
	// that is answered 503.
	Playbacks int
	// WriteTimeout is how long a client may take to accept one write; 30 s.
	WriteTimeout time.Duration
	// Heartbeat is the interval of comments where a protocol has them; 15 s.
	// WebSockets are not pinged, as the servers do not: TCP tells of clients that
	// are gone.
	Heartbeat time.Duration
	// Origins are the origins from which pages may ask, such as
	// https://ui.example.com, or * for all. Where there are none, a page must
	// come from this server itself or from the machine its browser runs on.
	Origins []string
	// Alarm wakes the players; replay.PreciseAlarm.
	Alarm      func() replay.Alarm
	Registerer prometheus.Registerer // for metrics; nil for none
	Logger     *slog.Logger          // slog.Default()
}

// Stage is what the emulated servers play on.
type Stage struct {
	opts    Options
	slots   chan struct{} // one for each running playback
	running prometheus.Gauge
	played  *prometheus.CounterVec
}

// NewStage makes a stage and registers its metrics.
func NewStage(opts Options) *Stage {
	opts.Playbacks = cmp.Or(opts.Playbacks, 500)
	opts.WriteTimeout = cmp.Or(opts.WriteTimeout, 30*time.Second)
	opts.Heartbeat = cmp.Or(opts.Heartbeat, 15*time.Second)
	if opts.Alarm == nil {
		opts.Alarm = replay.PreciseAlarm
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	s := &Stage{
		opts: opts, slots: make(chan struct{}, opts.Playbacks),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tapedeck_emulate_connections",
			Help: "Requests and connections that emulated servers are answering.",
		}),
		played: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tapedeck_emulate_requests_total",
			Help: "Requests to emulated servers by server and by how they ended: ended, left, failed or refused.",
		}, []string{"server", "outcome"}),
	}
	if opts.Registerer != nil {
		opts.Registerer.MustRegister(s.running, s.played)
	}
	return s
}

// Log is where the servers log.
func (s *Stage) Log() *slog.Logger { return s.opts.Logger }

// WriteTimeout is how long a client may take to accept one write.
func (s *Stage) WriteTimeout() time.Duration { return s.opts.WriteTimeout }

// Heartbeat is the interval of signs of life.
func (s *Stage) Heartbeat() time.Duration { return s.opts.Heartbeat }

// Enter takes one of the places for playbacks; leave gives it back. The error is
// a *problem.Problem.
func (s *Stage) Enter() (leave func(), err error) {
	select {
	case s.slots <- struct{}{}:
		s.running.Inc()
		return func() { s.running.Dec(); <-s.slots }, nil
	default:
		return nil, &problem.Problem{
			Title: "Too many playbacks", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Detail: fmt.Sprintf("All %d playbacks that this server runs at a time are in use.", s.opts.Playbacks),
			Hint:   "Try again later, or allow more at the same time.",
		}
	}
}

// Tape opens a session. The error is a *problem.Problem where there is none.
func (s *Stage) Tape(ctx context.Context, tenant, session string) (replay.Tape, error) {
	t, err := s.opts.Library.Tape(ctx, tenant, session)
	if errors.Is(err, replay.ErrNoSession) {
		return nil, problem.NotFound(fmt.Sprintf("There is no session %q.", session))
	}
	return t, err
}

// From is the place that a pace begins at; the zero Place for the start. The
// error is a *problem.Problem where the tape has no such place.
func (s *Stage) From(ctx context.Context, t replay.Tape, p Pace) (replay.Place, error) {
	if p.From == nil {
		return replay.Place{}, nil
	}
	at, err := p.From.Start(ctx, t)
	if wrong, ok := errors.AsType[*replay.MarkError](err); ok {
		err = problem.BadParameter("from", wrong.Error(), replay.MarkAllowed...)
	}
	return at, err
}

// Play plays an excerpt to a sink. The clock starts at a recorded time.
func (s *Stage) Play(ctx context.Context, e *Excerpt, sink replay.Sink, clock int64, p Pace, reads bool) (replay.Summary, error) {
	return replay.New(e, sink, replay.Options{
		Speed: p.Speed, IdleLimit: p.IdleLimit, Alarm: s.opts.Alarm,
		Reads: reads && p.Speed != replay.Max,
		From:  replay.Place{Position: positionAt(clock)},
	}).Run(ctx)
}

// Refuse answers with a problem in place of a playback.
func (s *Stage) Refuse(w http.ResponseWriter, r *http.Request, server string, err error) {
	s.Count(server, "refused")
	if r.Context().Err() == nil { // else nobody is there any more
		s.letRead(w.Header(), r)
		problem.Write(w, s.Problem(err, server))
	}
}

// Count counts how a request ended.
func (s *Stage) Count(server, outcome string) { s.played.WithLabelValues(server, outcome).Inc() }

// Problem is what the client is told of an error. What it cannot have caused is
// logged.
func (s *Stage) Problem(err error, server string) *problem.Problem {
	if p, ok := problem.From(err); ok {
		return p
	}
	s.opts.Logger.Error("emulate: the recording could not be played", "server", server, "error", err)
	return &problem.Problem{
		Title: "Recording not readable", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "The recording could not be read; the server's log tells why.",
		Hint:   "Try again later.",
	}
}
