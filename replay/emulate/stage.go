package emulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/internal/budget"
	"tapedeck/internal/metric"
	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/replay/serve"
)

// Options configures a stage.
type Options = serve.Options

// Stage holds the settings and the playbacks that the emulated servers share.
type Stage struct {
	opts    Options
	running prometheus.Gauge
	played  *prometheus.CounterVec
}

var (
	connections = metric.Define(metric.API, metric.GaugeKind, "tapedeck_emulate_connections",
		"Requests and connections that emulated servers are answering.")
	requests = metric.Define(metric.API, metric.CounterKind, "tapedeck_emulate_requests_total",
		"Requests to emulated servers by server and by how they ended: ended, left, failed or refused.",
		"server", "outcome")
)

// NewStage returns a stage and registers its metrics.
func NewStage(opts Options) *Stage {
	opts = opts.WithDefaults()
	s := &Stage{opts: opts, running: connections.Gauge(), played: requests.CounterVec()}
	opts.Registerer.MustRegister(s.running, s.played)
	return s
}

// Log returns the logger of the servers.
func (s *Stage) Log() *slog.Logger { return s.opts.Logger }

// WriteTimeout returns how long a client may take to accept one write.
func (s *Stage) WriteTimeout() time.Duration { return s.opts.WriteTimeout.Or(slow.WriteTimeout) }

// Heartbeat returns the interval of heartbeats.
func (s *Stage) Heartbeat() time.Duration { return s.opts.Heartbeat }

// Enter admits a playback of a tape. The caller must use the returned request from then on, and
// call leave at the end. The error is a *problem.Problem.
func (s *Stage) Enter(r *http.Request, t replay.Tape) (_ *http.Request, leave func(), err error) {
	own := func() {}
	grant := budget.Of(r.Context()) // grant of the whole request, if it has one
	if grant == nil {
		if grant, err = s.opts.Budget.Enter(); err != nil {
			return r, nil, err
		}
		own = grant.Close
	}
	if err := grant.Reserve(r.Context(), replay.Holds(t)); err != nil {
		own()
		return r, nil, err
	}
	s.running.Inc()
	return r.WithContext(budget.With(r.Context(), grant)), func() { s.running.Dec(); own() }, nil
}

// Tape opens a session. The error is a *problem.Problem if there is none.
func (s *Stage) Tape(ctx context.Context, tenant, session string) (replay.Tape, error) {
	t, err := s.opts.Library.Tape(ctx, tenant, session)
	if errors.Is(err, replay.ErrNoSession) {
		return nil, problem.NotFound(fmt.Sprintf("There is no session %q.", session))
	}
	return t, err
}

// From returns the place where playing starts; the zero Place means the start. The error is a
// *problem.Problem if the tape has no such place.
func (s *Stage) From(ctx context.Context, t replay.Tape, p Pacing) (replay.Place, error) {
	if p.From == nil {
		return replay.Place{}, nil
	}
	at, err := p.From.Start(ctx, t)
	if wrong, ok := errors.AsType[*player.MarkError](err); ok {
		err = problem.BadParameter("from", wrong.Error(), player.MarkAllowed...)
	}
	return at, err
}

// Play plays an excerpt to a sink. The clock starts at a recorded time.
func (s *Stage) Play(
	ctx context.Context, e *Excerpt, sink player.Sink, clock int64, p Pacing, reads bool,
) (player.Summary, error) {
	return player.New(e, sink, player.Options{
		Speed: p.Speed, IdleLimit: p.IdleLimit, Alarm: s.opts.Alarm,
		Reads: reads && p.Speed != player.Max,
		From:  replay.Place{Position: positionAt(clock)},
	}).Run(ctx)
}

// Pause waits for the time between two recorded times at the speed of a pacing, at most its longest
// silence. It returns the error of ctx if ctx ends first.
func (s *Stage) Pause(ctx context.Context, from, to int64, p Pacing) error {
	d := time.Duration(to - from)
	if p.IdleLimit > 0 {
		d = min(d, p.IdleLimit)
	}
	if p.Speed == player.Max || d <= 0 {
		return ctx.Err()
	}
	if p.Speed > 0 {
		d = time.Duration(float64(d) / float64(p.Speed))
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Refuse answers with a problem instead of a playback.
func (s *Stage) Refuse(w http.ResponseWriter, r *http.Request, server string, err error) {
	s.Count(server, "refused")
	if r.Context().Err() == nil { // otherwise the client has disconnected
		s.letRead(w.Header(), r)
		problem.Write(w, s.Problem(err, server))
	}
}

// Count counts a request by its outcome.
func (s *Stage) Count(server, outcome string) { s.played.WithLabelValues(server, outcome).Inc() }

// Problem returns the problem that the client receives for an error. It logs errors that the client
// did not cause.
func (s *Stage) Problem(err error, server string) *problem.Problem {
	if p, ok := problem.From(err); ok {
		return p
	}
	s.opts.Logger.Error("emulate: the recording could not be played", "server", server, "error", err)
	return &problem.Problem{
		Title: "Recording not readable", Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "The recording could not be read; the server's log says why.",
		Hint:   "Try again later.",
	}
}
