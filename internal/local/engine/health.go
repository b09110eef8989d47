package engine

import "time"

// State is the state of the engine.
type State string

// States of an engine. Only Running answers queries.
const (
	Starting   State = "starting"
	Running    State = "running"
	Restarting State = "restarting" // it ended unexpectedly and is being restarted
	Stopped    State = "stopped"
)

// Health is a snapshot for a readiness check or a report.
type Health struct {
	State     State     `json:"state"`
	Since     time.Time `json:"since"`                // time of the last change of State
	Restarts  int       `json:"restarts"`             // since Start
	LastError string    `json:"last_error,omitempty"` // why it last ended or failed to start
	Address   string    `json:"address"`              // host:port of the native protocol
	PID       int       `json:"pid,omitempty"`        // of the child, 0 if there is none
	Version   string    `json:"version,omitempty"`    // as reported by the engine
	Program   string    `json:"program"`              // the program that runs
	Log       string    `json:"log"`                  // the engine's own log file
}

// Health returns the state of the engine.
func (s *Server) Health() Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.health
}

// note changes the health under its lock. A change of the state sets Since.
func (s *Server) note(change func(*Health)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.health.State
	change(&s.health)
	if s.health.State != before {
		s.health.Since = time.Now()
	}
}
