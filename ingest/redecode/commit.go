package redecode

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/problem"
	"tapedeck/schema/lifecycle/tombstone"
)

// check verifies that every frame is in the new generation, and that the session has not changed
// since decoding began. A later generation may have replaced this generation's frames already.
func (r *run) check(ctx context.Context, streams []stream) error {
	type count struct{ all, anew uint64 }
	counts := map[string]count{}
	err := r.each(ctx, "the new generation", "check", map[string]any{"generation": r.generation}, func(row func(...any) error) error {
		var id string
		var c count
		err := row(&id, &c.all, &c.anew)
		counts[id] = c
		return err
	})
	if err != nil {
		return err
	}
	now, err := r.streams(ctx)
	if err != nil {
		return err
	}
	same := slices.EqualFunc(streams, now, func(a, b stream) bool {
		return a.id == b.id && a.version == b.version && a.stored == b.stored && slices.Equal(a.segments, b.segments)
	})
	if !same {
		return &problem.Problem{
			Title: "Session changed", Status: http.StatusConflict,
			Detail: fmt.Sprintf("Session %q received more frames while it was decoded. Its facts are unchanged.",
				r.session),
			Hint: "Try again when all of it has arrived.",
		}
	}
	for i := range streams {
		s := &streams[i]
		if c := counts[s.id]; c.all != s.stored || c.anew != c.all || s.written != c.all {
			return fmt.Errorf("stream %s has %d frames, of which %d were read and %d are stored in the new generation: readers still see the old one",
				s.id, c.all, s.written, c.anew)
		}
	}
	return nil
}

func (r *run) newResult(streams int) *Result {
	return &Result{SessionID: r.session, Streams: make([]Stream, streams), DecoderVersion: dialects.Version}
}

// result returns the result of all streams.
func (r *run) result(ctx context.Context, streams []stream) (*Result, error) {
	result := r.newResult(len(streams))
	for i := range streams {
		s := &streams[i]
		result.Streams[i] = Stream{
			ID: s.id, DialectBefore: s.state.Dialect, EvidenceBefore: s.state.Evidence,
			DialectAfter: s.after.Dialect, Evidence: s.after.Evidence,
			Frames: s.written, Sessions: max(len(s.sessions), 1), Ended: s.state.Ended != 0,
		}
	}
	for table, field := range map[string]func(*Stream) *uint64{
		"spans":    func(s *Stream) *uint64 { return &s.Spans },
		"messages": func(s *Stream) *uint64 { return &s.Messages },
		"usage":    func(s *Stream) *uint64 { return &s.Usages },
	} {
		err := r.eachOf(ctx, table, statements.Must("count_facts", table), map[string]any{"generation": r.generation}, func(row func(...any) error) error {
			var id string
			var n uint64
			err := row(&id, &n)
			for i := range result.Streams {
				if s := &result.Streams[i]; s.ID == id {
					*field(s) = n
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return result, nil
}

// commit switches readers to the new generation, for all streams at once, and announces that.
func (r *run) commit(ctx context.Context, streams []stream) error {
	batch, err := r.db.PrepareBatch(ctx, insertCommit)
	if err != nil {
		return fmt.Errorf("switch to the new generation: %w", err)
	}
	defer batch.Close()
	for i := range streams {
		s := &streams[i]
		if err := batch.Append(r.tenant, r.session, s.id, r.generation, s.segments); err != nil {
			return fmt.Errorf("switch to the new generation: %w", err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("switch to the new generation: %w", err)
	}
	if r.Announce == nil {
		return nil
	}
	if err := r.Announce(ctx, tombstone.Key{Tenant: r.tenant, Session: r.session}); err != nil {
		return &unfinishedError{fmt.Errorf("announce the new generation: %w", err)}
	}
	return nil
}

// unfinishedError reports that readers read the new generation, but that a later step failed: another
// server may still show what it has in memory, or masked secrets remain on a disk. Repeating the
// request does the rest.
type unfinishedError struct{ cause error }

// Error implements error.
func (e *unfinishedError) Error() string { return "the session is decoded again: " + e.cause.Error() }

// Unwrap returns the cause.
func (e *unfinishedError) Unwrap() error { return e.cause }

// streamsAtOnce bounds the length of a DELETE statement.
const streamsAtOnce = 500

// cleanLimit bounds the time to request deletions, eraseLimit the time to rewrite parts.
const (
	cleanLimit = 30 * time.Second
	eraseLimit = 15 * time.Minute
)

// clean makes ClickHouse delete the rows that the new generation supersedes and the rows that
// killed runs have left, in the background. Frames that arrived meanwhile are not deleted.
func (r *run) clean(ctx context.Context, streams []stream) error {
	limit := cleanLimit
	// 0 means not to wait: readers do not see these rows.
	settings := clickhouse.Settings{"lightweight_deletes_sync": 0}
	if r.masks != nil {
		limit, settings = eraseLimit, clickhouse.Settings{"mutations_sync": 2}
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(settings))
	for some := range slices.Chunk(streams, streamsAtOnce) {
		shape := cleanShape{Streams: make([]cleanStream, len(some))}
		for i := range some {
			shape.Streams[i] = cleanStream{ID: some[i].id, Last: some[i].last, Segments: numbers(some[i].segments)}
		}
		// Frames are last: while they exist, the next run deletes the other rows again.
		for _, table := range []string{"spans", "messages", "usage", "streams", "frames"} {
			shape.Table, shape.Frames, shape.Erase = table, table == "frames", r.masks != nil
			err := r.db.Exec(ctx, statements.Must("clean", shape),
				r.params(map[string]any{"generation": r.generation})...)
			if err == nil && r.masks != nil { // rows that were only marked as deleted before
				err = r.db.Exec(ctx, statements.Must("apply_deleted_mask", table))
			}
			if err != nil {
				return fmt.Errorf("delete from %s: %w", table, err)
			}
		}
	}
	return nil
}

// numbers formats an array.
func numbers(list []uint64) string {
	b := []byte("emptyArrayUInt64()")
	if len(list) > 0 {
		b = b[:0]
		for i, n := range list {
			b = strconv.AppendUint(append(b, "[,"[min(i, 1)]), n, 10)
		}
		b = append(b, ']')
	}
	return string(b)
}
