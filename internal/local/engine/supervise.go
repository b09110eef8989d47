package engine

import (
	"context"
	"time"

	"tapedeck/internal/backoff"
)

// The delay before a restart of the engine doubles from shortestDelay to longestDelay, and is reset
// after the engine has run for healthyAfter.
const (
	shortestDelay = 250 * time.Millisecond
	longestDelay  = 10 * time.Second
	healthyAfter  = time.Minute
)

// newDelays returns the delays before the next starts.
func newDelays() *backoff.Backoff { return &backoff.Backoff{Min: shortestDelay, Max: longestDelay} }

// delayAfter returns the delay after a run of a given duration.
func delayAfter(ran time.Duration, delays *backoff.Backoff) time.Duration {
	if ran >= healthyAfter {
		delays.Reset()
	}
	return delays.Next()
}

// launch starts one process and waits until it answers. After an error it ends the process.
func (s *Server) launch(ctx context.Context) (*process, error) {
	if err := portIsFree(s.port); err != nil {
		return nil, err
	}
	p, err := spawn(s.args)
	if err != nil {
		return nil, err
	}
	version, err := waitReady(ctx, s.DSN(), p)
	if err != nil {
		if endErr := p.end(s.endBy()); endErr != nil {
			s.log.Error("engine: ClickHouse did not start and cannot be ended", "error", endErr)
		}
		return nil, err
	}
	if p.output.contains(noTerminal) {
		s.log.Warn(
			"engine: ClickHouse has no pseudo-terminal; each wrong password or stray connection on its port will restart it",
			"address", s.Health().Address, "reason", p.output.summary(),
		)
	}
	s.note(func(h *Health) {
		h.State = Running
		h.PID = p.command.Process.Pid
		h.Version = version
	})
	return p, nil
}

// endBy returns the deadline for the end of a process.
func (s *Server) endBy() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopBy.IsZero() {
		return s.stopBy
	}
	return time.Now().Add(StopLimit)
}

// supervise keeps the engine running until Stop. After Start has returned, only supervise starts
// and ends processes.
func (s *Server) supervise(p *process) {
	defer close(s.done)
	defer s.note(func(h *Health) { h.State, h.PID = Stopped, 0 })
	delays := newDelays()
	for p != nil {
		started := time.Now()
		select {
		case <-s.life.Done():
			err := p.end(s.endBy())
			s.mu.Lock()
			s.stopErr = err
			s.mu.Unlock()
			return
		case <-p.done:
		}
		p = s.restart(p.reason(), time.Since(started), delays)
	}
}

// restart starts the engine until it runs, after it has ended for the given reason. It returns nil
// if Stop was called meanwhile.
func (s *Server) restart(reason error, ran time.Duration, delays *backoff.Backoff) *process {
	for {
		delay := delayAfter(ran, delays)
		s.note(func(h *Health) {
			h.State = Restarting
			h.PID = 0
			h.LastError = reason.Error()
		})
		s.log.Error("engine: ClickHouse ended, restarting it",
			"reason", reason, "retry_in", delay, "log", s.Health().Log)
		if !backoff.Sleep(s.life, delay) {
			return nil
		}
		s.note(func(h *Health) { h.Restarts++ })

		started := time.Now()
		ctx, cancel := context.WithTimeout(s.life, s.opts.StartTimeout)
		p, err := s.launch(ctx)
		cancel()
		if err == nil {
			s.log.Info("engine: ClickHouse is running again", "address", s.Health().Address, "took", time.Since(started))
			return p
		}
		if s.life.Err() != nil {
			return nil
		}
		reason, ran = err, 0
	}
}
