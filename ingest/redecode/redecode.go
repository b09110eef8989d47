// Package redecode derives facts again from stored frames: for a session whose dialect was
// recognised wrongly, or whose decoder has improved since the session was recorded.
//
// Redecoding never changes frames, except for their envelopes and for secrets that Redact masks.
// The decoded rows become a new generation beside the old one, which readers do not see until one
// insert into the table redecodes switches them to it. Superseded rows are deleted afterwards. So
// whenever a run is killed, readers see either the old facts or the new facts, and a repeated run
// leads to the correct state (docs/adr/0002-redecode.md).
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
	"tapedeck/ingest/dialect/custom"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/failpoint"
	"tapedeck/internal/problem"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/lifecycle/tombstone"
)

// Redecoder decodes sessions again. It is safe for use by many goroutines.
type Redecoder struct {
	db  driver.Conn
	dsn string
	log *slog.Logger
	now func() time.Time
	// JSONDepth is ingest.Settings.JSONDepth.
	JSONDepth int
	// Copies, if set, removes other copies of a session after secrets were masked in its rows.
	Copies Copies
	// Announce, if set, announces a session that was decoded again, for the caches of all servers.
	Announce func(context.Context, ...tombstone.Key) error

	mu   sync.Mutex // guards busy
	busy map[[2]string]bool
}

// Copies removes the copies of a session outside of the rows that readers see.
type Copies interface {
	// Remove removes the streams of a session from JetStream: its blocks, and the logs of its
	// idempotency keys, whose files are gone at until. The remarks name what it cannot remove.
	Remove(ctx context.Context, tenant, session string, streams []string) (until time.Time, remarks []string, err error)
	// Replaced describes the files that ClickHouse has replaced before now and that are still on
	// the disk; "" for none.
	Replaced(ctx context.Context, now time.Time) (string, error)
	// Now returns ClickHouse's time.
	Now(ctx context.Context) (time.Time, error)
}

// Steps of a run after which tests may stop it.
const (
	stepWritten   = "redecode: written"   // the new generation is stored, and readers do not see it
	stepCommitted = "redecode: committed" // readers see the new generation, and the old one is still stored
)

// New returns a Redecoder that reads through the given connection, which the caller closes,
// and writes to the DSN's server. log may be nil.
func New(db driver.Conn, dsn string, log *slog.Logger) *Redecoder {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Redecoder{db: db, dsn: dsn, log: log, now: time.Now, busy: map[[2]string]bool{}}
}

// Result is the result for a session.
type Result struct {
	SessionID string `json:"session_id"`
	// Streams is empty if nothing was outdated (Options.Outdated).
	Streams []Stream `json:"streams"`
	// DecoderVersion is the version of the decoders (dialects.Version) that the server has.
	DecoderVersion uint32 `json:"decoder_version"`
}

// Stream is the result for one stream's segments in the session.
type Stream struct {
	ID             string `json:"stream_id"`
	DialectBefore  string `json:"dialect_before"`
	DialectAfter   string `json:"dialect_after"`
	EvidenceBefore string `json:"evidence_before"` // why that dialect was chosen
	Evidence       string `json:"evidence"`        // why the present dialect was chosen
	Frames         uint64 `json:"frames"`          // of the stream in this session
	Spans          uint64 `json:"spans"`           // of the new facts
	Messages       uint64 `json:"messages"`
	Usages         uint64 `json:"usages"`
	// Sessions is the number of sessions that the stream was divided between, not counting copies
	// under other ids. All of them were read; the facts of the other sessions are unchanged.
	Sessions int `json:"sessions"`
	// Ended is false for a stream without a recorded end. If such a stream continues, the session
	// must be decoded again after its end.
	Ended bool `json:"ended"`
}

// Session decodes a session's streams again, each by its recognised dialect, or all of them by the
// named one. Errors that the caller can correct are of type *problem.Problem: an unknown dialect
// (400), no such session (404), a session that is being recorded or decoded (409). Until Session
// has succeeded, readers see the old facts.
func (r *Redecoder) Session(ctx context.Context, tenant, session, name string) (*Result, error) {
	return r.Decode(ctx, tenant, session, Options{Dialect: name})
}

// Options configure how a session is decoded.
type Options struct {
	Dialect string          // of all streams; "" recognises the dialect of each stream
	File    *custom.Mapping // describes a dialect in addition to the known ones; nil for none
	// Outdated skips a session whose facts are from decoders of this program's version or a later
	// one, and keeps the dialect of streams for which the user named it.
	Outdated bool

	mask *masks // what is masked in the frames; nil for nothing
}

// Decode is Session with options.
func (r *Redecoder) Decode(ctx context.Context, tenant, session string, opts Options) (*Result, error) {
	name, file := opts.Dialect, opts.File
	list := dialects.All()
	if file != nil {
		list = dialects.With(file.Dialect())
	}
	var forced *dialect.Dialect
	if name != "" && file != nil && name == file.Name {
		forced = &list[0]
	} else if name != "" {
		d, err := dialects.ByName(name)
		if err != nil {
			return nil, unknownDialect(name)
		}
		forced = &d
	}
	if !r.begin(tenant, session) {
		return nil, &problem.Problem{
			Title: "Session busy", Status: http.StatusConflict,
			Detail: fmt.Sprintf("Session %q is being decoded again already.", session),
			Hint:   "Wait until that is finished.",
		}
	}
	defer r.end(tenant, session)
	run := &run{
		Redecoder: r, tenant: tenant, session: session, forced: forced, outdated: opts.Outdated,
		dialects: list, generation: uint64(r.now().UnixNano()), masks: opts.mask,
	}
	result, err := run.all(ctx)
	if err != nil {
		return nil, fmt.Errorf("decode session %q again: %w", session, err)
	}
	return result, nil
}

func unknownDialect(name string) error {
	var names []string
	for _, d := range dialects.All() {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return problem.BadParameter("dialect", fmt.Sprintf("Dialect %q is not known; known dialects: %s.", name,
		strings.Join(names, ", ")), names...)
}

// refuseUnknown refuses to decode a stream whose dialect is described by a file that is missing
// here: the stream would be recognised as another dialect, and its facts would be lost.
func (r *run) refuseUnknown(streams []stream) error {
	if r.forced != nil {
		return nil
	}
	for i := range streams {
		name := streams[i].state.Dialect
		if name == "" || slices.ContainsFunc(r.dialects, func(d dialect.Dialect) bool { return d.Name == name }) {
			continue
		}
		return &problem.Problem{
			Title: "Dialect not known", Status: http.StatusConflict,
			Detail: fmt.Sprintf("Stream %s was decoded as %q, a dialect that this server does not know. The "+
				"session's facts are unchanged.", streams[i].id, name),
			Hint: "Send its file with the request (tapedeck redecode --dialect-file), start the server with it, or name another dialect.",
		}
	}
	return nil
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
	outdated        bool              // see Options
	dialects        []dialect.Dialect // dialects that streams can be recognised as
	generation      uint64
	masks           *masks // of redaction; nil without
}

func (r *run) all(ctx context.Context) (*Result, error) {
	streams, err := r.streams(ctx)
	if err != nil {
		return nil, err
	}
	if r.outdated && !slices.ContainsFunc(streams, stream.isOutdated) {
		return r.newResult(0), nil
	}
	if r.masks != nil && r.masks.dryRun {
		return nil, r.search(ctx, streams)
	}
	if err := r.refuseRunning(ctx, streams); err != nil {
		return nil, err
	}
	if err := r.refuseUnknown(streams); err != nil {
		return nil, err
	}
	if r.masks != nil {
		if err := r.search(ctx, streams); err != nil || !r.masks.result.Changed {
			return nil, err
		}
	}
	for i := range streams { // in an order that does not depend on the clock
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
	if err := failpoint.Reach(ctx, stepWritten); err != nil {
		return nil, err
	}
	if err := r.awaitReaders(ctx); err != nil {
		return nil, err
	}
	if err := r.commit(ctx, streams); err != nil {
		return nil, err
	}
	if err := failpoint.Reach(ctx, stepCommitted); err != nil {
		return nil, err
	}
	if r.masks != nil {
		if err := r.removeCopies(ctx, streams); err != nil {
			return nil, &unfinishedError{fmt.Errorf("JetStream or rows on the disk still have the secrets: %w", err)}
		}
	}
	// The run has succeeded: rows that are not deleted now are deleted by the next run.
	ctx = context.WithoutCancel(ctx)
	if err = r.awaitReaders(ctx); err == nil {
		err = r.clean(ctx, streams)
	}
	if r.masks != nil {
		if err != nil {
			err = &unfinishedError{fmt.Errorf("rows on the disk still have the secrets: %w", err)}
		}
		return nil, err
	}
	if err != nil {
		r.log.Warn("redecode: superseded facts could not be deleted; readers do not see them, and decoding the session again deletes them",
			"session", r.session, "error", err)
	}
	return result, nil
}
