// Package redecode derives facts anew from stored frames: of a session whose
// dialect was guessed wrong, or whose dialect reads more by now than it did when
// the session was recorded.
//
// Frames are never touched, but for their envelopes. What is decoded becomes a
// new generation of rows beside the old ones, which readers do not see until one
// insert into the table redecodes turns them to it. What has been superseded is
// deleted afterwards. So whatever is killed, readers see the old facts or the new
// ones, and running it again leads to the right state
// (docs/adr/0002-redecode.md).
package redecode

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/problem"
	"tapedeck/schema/clickhouse"
)

// Redecoder decodes sessions anew. It is safe for use by many goroutines.
type Redecoder struct {
	db  driver.Conn
	dsn string
	log *slog.Logger
	now func() time.Time
	// reached is told of each step of a run; an error of it stands for a process
	// that is killed there. For tests.
	reached func(step string) error

	mu   sync.Mutex // guards busy
	busy map[[2]string]bool
}

// The steps that a run takes.
const (
	stepWritten   = "written"   // the new generation is stored, and no reader sees it
	stepCommitted = "committed" // readers see it, the old one is still stored
)

// New makes a Redecoder that reads by the given connection, which stays the
// caller's, and writes to where the DSN leads. log may be nil.
func New(db driver.Conn, dsn string, log *slog.Logger) *Redecoder {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Redecoder{
		db: db, dsn: dsn, log: log, now: time.Now, busy: map[[2]string]bool{},
		reached: func(string) error { return nil },
	}
}

// Result is what a session came to.
type Result struct {
	SessionID string   `json:"session_id"`
	Streams   []Stream `json:"streams"`
}

// Stream is one stream's part in the session.
type Stream struct {
	ID             string `json:"stream_id"`
	DialectBefore  string `json:"dialect_before"`
	DialectAfter   string `json:"dialect_after"`
	EvidenceBefore string `json:"evidence_before"` // why that dialect
	Evidence       string `json:"evidence"`        // why the one it is read as now
	Frames         uint64 `json:"frames"`          // of the stream in this session
	Spans          uint64 `json:"spans"`           // that it tells of now
	Messages       uint64 `json:"messages"`
	Usages         uint64 `json:"usages"`
	// Sessions is among how many sessions the stream was divided, copies under
	// other ids apart. All of them were read; the others' facts stay as they were.
	Sessions int `json:"sessions"`
	// Ended is false for a stream that never said that it ended. Should it go on
	// after all, the session is to be decoded again at its end.
	Ended bool `json:"ended"`
}

// Session decodes a session's streams anew, each by the dialect that its frames
// speak for, or all by the one that name says. Errors that are the caller's to
// mend are of type *problem.Problem: an unknown dialect (400), no such session
// (404), one that is being recorded or decoded (409). Until Session has
// succeeded, readers see the facts that there were.
func (r *Redecoder) Session(ctx context.Context, tenant, session, name string) (*Result, error) {
	var forced *dialect.Dialect
	if name != "" {
		d, err := dialects.ByName(name)
		if err != nil {
			return nil, unknownDialect(name)
		}
		forced = &d
	}
	if !r.begin(tenant, session) {
		return nil, &problem.Problem{
			Title: "Session busy", Status: http.StatusConflict,
			Detail: fmt.Sprintf("Session %q is being decoded anew already.", session),
			Hint:   "Wait until that is done.",
		}
	}
	defer r.end(tenant, session)
	run := &run{Redecoder: r, tenant: tenant, session: session, forced: forced, generation: uint64(r.now().UnixNano())}
	result, err := run.all(ctx)
	if err != nil {
		return nil, fmt.Errorf("decode session %q anew: %w", session, err)
	}
	return result, nil
}

func unknownDialect(name string) error {
	var names []string
	for _, d := range dialects.All() {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return problem.BadParameter("dialect", fmt.Sprintf("Dialect %q is not known; there are %s.", name, strings.Join(names, ", ")), names...)
}

func (r *Redecoder) begin(tenant, session string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := [2]string{tenant, session}
	if r.busy[key] {
		return false
	}
	r.busy[key] = true
	return true
}

func (r *Redecoder) end(tenant, session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, [2]string{tenant, session})
}

// run is one decoding of one session.
type run struct {
	*Redecoder
	tenant, session string
	forced          *dialect.Dialect
	generation      uint64
}

func (r *run) all(ctx context.Context) (*Result, error) {
	streams, err := r.streams(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.refuseRunning(ctx, streams); err != nil {
		return nil, err
	}
	for i := range streams { // whatever the clock says
		r.generation = max(r.generation, streams[i].generation+1)
	}
	client, err := clickhouse.Dial(ctx, r.dsn)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	w := newWriter(client, r.tenant, r.session, r.generation)
	for i := range streams {
		if err := r.decode(ctx, &streams[i], w); err != nil {
			return nil, fmt.Errorf("stream %s: %w", streams[i].id, err)
		}
	}
	if err := w.flush(ctx); err != nil {
		return nil, err
	}
	if err := r.check(ctx, streams); err != nil {
		return nil, err
	}
	result, err := r.result(ctx, streams)
	if err != nil {
		return nil, err
	}
	if err := r.reached(stepWritten); err != nil {
		return nil, err
	}
	if err := r.commit(ctx, streams); err != nil {
		return nil, err
	}
	if err := r.reached(stepCommitted); err != nil {
		return nil, err
	}
	// All is right from here on: what is not deleted now is at the next time.
	if err := r.clean(ctx, streams); err != nil {
		r.log.Warn("redecode: facts that no reader sees any more could not be deleted; decoding the session again deletes them",
			"session", r.session, "error", err)
	}
	return result, nil
}
