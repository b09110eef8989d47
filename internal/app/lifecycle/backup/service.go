package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/lifecycle/lease"
)

// State is the state of a backup.
type State string

// States of a backup.
const (
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Status describes a backup that this server is writing or has written.
type Status struct {
	ID         string     `json:"id"`
	To         string     `json:"to"`
	Base       string     `json:"base"` // "" for a full one
	State      State      `json:"state"`
	Step       string     `json:"step"`       // current step of a running backup
	StepDone   int64      `json:"step_done"`  // what of the step is done, in the unit of StepTotal
	StepTotal  int64      `json:"step_total"` // rows while hashing, bytes while writing; 0 if it is unknown
	StartedAt  time.Time  `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at"`
	Progress   Progress   `json:"progress"`
	Error      string     `json:"error"`
	Manifest   *Manifest  `json:"manifest"` // nil until the backup is done
}

// ServiceOptions configure a Service.
type ServiceOptions struct {
	NATS    *nats.Conn
	DB      driver.Conn
	Audit   *audit.Log // records the outcome of requested backups; nil for no records
	Version string     // version of the program
	Dir     string     // of ClickHouse's backups; "" if it is not on this machine
	Log     *slog.Logger
}

// Service writes backups in the background. It is safe for use by many goroutines.
type Service struct {
	opts   ServiceOptions
	holder string

	mu      sync.Mutex      // guards the fields below
	list    []*Status       // the latest one last
	life    context.Context // the context of Run; nil while it does not run
	running sync.WaitGroup
}

// keptStatuses bounds the backups that a server lists.
const keptStatuses = 100

// NewService returns a service. It writes backups while Run runs.
func NewService(opts ServiceOptions) *Service {
	return &Service{opts: opts, holder: rand.Text()}
}

// Run writes requested backups and updates the metrics until ctx ends. Then it cancels the backup
// that is running.
func (s *Service) Run(ctx context.Context) {
	s.mu.Lock()
	s.life = ctx
	s.mu.Unlock()
	s.follow(ctx)
	s.mu.Lock()
	s.life = nil // no further backup starts
	s.mu.Unlock()
	s.running.Wait()
}

// ErrBusy is the error for a backup that is requested while another one runs.
var ErrBusy = errors.New("another backup is running")

// Start begins a backup and returns its first status.
func (s *Service) Start(o Options) (Status, error) { return s.start(o, nil) }

// start does the same as Start for a request with an entry of the audit log. The entry is recorded
// once the backup has ended; it may be nil.
func (s *Service) start(o Options, entry *audit.Entry) (Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == nil {
		return Status{}, errors.New("the server is starting or stopping")
	}
	if n := len(s.list); n > 0 && s.list[n-1].State == Running {
		return Status{}, ErrBusy
	}
	st := &Status{ID: rand.Text(), To: o.To.Name, State: Running, Step: "starting", StartedAt: time.Now().UTC()}
	if o.Base != nil {
		st.Base = o.Base.Name
	}
	if s.list = append(s.list, st); len(s.list) > keptStatuses {
		s.list = slices.Delete(s.list, 0, 1)
	}
	o.DB, o.NATS, o.Version, o.Dir, o.Log = s.opts.DB, s.opts.NATS, s.opts.Version, s.opts.Dir, s.opts.Log
	o.Step = func(step Step) {
		s.change(func() { st.Step, st.StepDone, st.StepTotal = step.Name, step.Done, step.Total })
	}
	o.Progress = func(p Progress) { s.change(func() { st.Progress = p }) }
	ctx := s.life
	s.running.Go(func() {
		err := s.run(ctx, o, st)
		if entry != nil {
			s.audited(ctx, entry, err)
		}
	})
	return *st, nil
}

// auditTimeout bounds the wait until the end of a backup is stored in the audit log.
const auditTimeout = 5 * time.Second

// audited records the outcome of a backup in the audit log.
func (s *Service) audited(ctx context.Context, entry *audit.Entry, err error) {
	entry.Status, entry.Outcome = http.StatusAccepted, audit.Done
	if err != nil {
		entry.Outcome = audit.Failed
		if entry.Detail != "" {
			entry.Detail += "; "
		}
		entry.Detail += err.Error()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTimeout)
	defer cancel()
	if s.opts.Audit.Record(ctx, *entry) != nil {
		_ = s.opts.Audit.Note(*entry) // Note counts an entry that it loses
	}
}

func (s *Service) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// run writes a backup. Only one of the servers that share a NATS writes a backup at a time.
func (s *Service) run(ctx context.Context, o Options, st *Status) error {
	var m *Manifest
	held, err := lease.Hold(ctx, s.opts.NATS, "backup", s.holder, func(ctx context.Context) (err error) {
		m, err = Backup(ctx, o)
		return err
	})
	if err == nil && !held {
		err = fmt.Errorf("%w on another server", ErrBusy)
	}
	now := time.Now().UTC()
	s.change(func() {
		st.FinishedAt, st.State, st.Manifest = &now, Done, m
		st.Step, st.StepDone, st.StepTotal = "", 0, 0
		if err != nil {
			st.State, st.Error, st.Manifest = Failed, err.Error(), nil
		}
	})
	if err != nil {
		failures.Inc()
		s.opts.Log.Error("backup: failed", "backup", st.To, "error", err)
		return err
	}
	s.succeeded(ctx, success{At: now, Seconds: now.Sub(st.StartedAt).Seconds(), Bytes: st.Progress.Bytes, To: st.To})
	s.opts.Log.Info("backup: written", "backup", st.To, "base", st.Base, "sessions", m.Sessions, "frames",
		m.Frames, "bytes", st.Progress.Bytes, "took", now.Sub(st.StartedAt).Round(time.Millisecond))
	return nil
}

// List returns the backups that this server has begun since it started, the latest first.
func (s *Service) List() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Status, 0, len(s.list))
	for i := len(s.list) - 1; i >= 0; i-- {
		list = append(list, *s.list[i])
	}
	return list
}

// Find returns a backup of this server by its id.
func (s *Service) Find(id string) (Status, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.list {
		if st.ID == id {
			return *st, true
		}
	}
	return Status{}, false
}
