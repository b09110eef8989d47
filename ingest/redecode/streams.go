package redecode

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/problem"
	"tapedeck/schema"
)

// stream is one stream of the session: its stored state, and the result of decoding.
type stream struct {
	id       string
	month    int                // month in which the stream began, YYYYMM: its partition
	state    schema.StreamState // of its segments in this session, combined
	version  uint64             // the highest version of these segments: it changes if the stream continues
	segments []uint64           // first_seq of all segments that are recorded in this session so far
	last     uint64             // highest seq of its frames in this session
	stored   uint64             // number of its frames in this session
	// generation is the highest generation of these frames, over all runs so far.
	generation uint64
	sessions   []string // all sessions that the recording was divided between
	ended      int64    // when its tap recorded the end, ns; 0 if it did not
	upTo       uint64   // highest seq of its frames in any of these sessions

	after   schema.StreamState // state after decoding
	written uint64             // number of frames written
}

// isOutdated reports whether decoders of an earlier version derived some of its facts.
func (s stream) isOutdated() bool { return s.state.DecoderVersion < dialects.Version }

// params returns the parameters of a query, including those of the session.
func (r *run) params(more map[string]any) []any {
	all := map[string]any{"tenant": r.tenant, "session": r.session}
	maps.Copy(all, more)
	list := make([]any, 0, len(all))
	for name, value := range all {
		list = append(list, clickhouse.Named(name, value))
	}
	return list
}

// each runs the statement sql/<name>.sql and calls scan for each row.
func (r *run) each(ctx context.Context, what, name string, more map[string]any, scan func(row func(...any) error) error) error {
	return r.eachOf(ctx, what, statements.Must(name, nil), more, scan)
}

func (r *run) eachOf(ctx context.Context, what, query string, more map[string]any, scan func(row func(...any) error) error) error {
	rows, err := r.db.Query(ctx, query, r.params(more)...)
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows.Scan); err != nil {
			return fmt.Errorf("read %s: %w", what, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// streams reads the stored state of the session's streams.
func (r *run) streams(ctx context.Context) ([]stream, error) {
	// Segments are read before the frames, so that a segment that begins in between is not
	// included.
	parts := map[string][]uint64{}
	err := r.each(ctx, "the segments of streams", "segments", nil, func(row func(...any) error) error {
		var id string
		var list []uint64
		err := row(&id, &list)
		slices.Sort(list)
		parts[id] = list
		return err
	})
	if err != nil {
		return nil, err
	}
	var list []stream
	err = r.each(ctx, "streams", "streams", nil, func(row func(...any) error) error {
		var s stream
		var transport string
		st := &s.state
		err := row(&s.id, &st.FirstSeq, &transport, &st.Dialect, &st.Evidence, &st.Source, &st.Tags,
			&st.FirstAt, &st.LastAt, &st.Ended, &st.EndReason, &st.Recorder, &st.Digest, &st.Key, &st.DecoderVersion, &s.version)
		if err == nil {
			st.Transport, err = schema.ParseTransport(transport)
		}
		var born int64
		if err == nil {
			born, err = schema.StreamStarted(s.id)
		}
		t := time.Unix(0, born).UTC()
		s.month, s.segments, st.StreamID = 100*t.Year()+int(t.Month()), parts[s.id], s.id
		list = append(list, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		p := problem.NotFound(fmt.Sprintf("There is no session %q.", r.session))
		p.Hint = "GET /v1/sessions and \"tapedeck sessions\" list the sessions."
		return nil, p
	}
	return list, r.bounds(ctx, list)
}

// bounds reads which frames the streams have, in this session and in other sessions.
func (r *run) bounds(ctx context.Context, list []stream) error {
	at := map[string]*stream{}
	var ids []string
	var months []uint32
	for i := range list {
		s := &list[i]
		at[s.id] = s
		ids = append(ids, s.id)
		if m := uint32(s.month); !slices.Contains(months, m) {
			months = append(months, m)
		}
	}
	err := r.each(ctx, "the bounds of streams", "bounds", nil, func(row func(...any) error) error {
		var id string
		var last, count, generation uint64
		err := row(&id, &last, &count, &generation)
		if s := at[id]; s != nil {
			s.last, s.upTo, s.stored, s.generation = last, last, count, generation
		}
		return err
	})
	if err != nil {
		return err
	}
	ended := map[string]map[string]int64{} // by stream and session
	err = r.each(ctx, "the sessions of streams", "sessions_of_streams",
		map[string]any{"streams": ids, "months": months},
		func(row func(...any) error) error {
			var id, session string
			var at int64
			err := row(&id, &session, &at)
			if ended[id] == nil {
				ended[id] = map[string]int64{}
			}
			ended[id][session] = at
			return err
		})
	if err != nil {
		return err
	}
	for i := range list {
		if err := r.siblings(ctx, &list[i], ended[list[i].id]); err != nil {
			return err
		}
	}
	return nil
}

// How long a stream without an end may be silent and still count as being recorded; openRunTimeout
// applies while a run is open. The list of sessions uses the same limits.
const (
	silenceTimeout = time.Minute
	openRunTimeout = time.Hour
)

// Running is the title of the problem for a session that is being recorded.
const Running = "Session running"

// refuseRunning refuses a session that is being recorded: its tap would continue to update
// the old facts.
func (r *run) refuseRunning(ctx context.Context, streams []stream) error {
	last := int64(0)
	for i := range streams {
		if st := &streams[i].state; st.Ended == 0 {
			last = max(last, st.LastAt)
		}
	}
	if last == 0 {
		return nil
	}
	limit, silent := silenceTimeout, time.Duration(r.now().UnixNano()-last)
	if silent > silenceTimeout && silent <= openRunTimeout {
		var open uint64
		if err := r.each(ctx, "open runs", "open_runs", nil, func(row func(...any) error) error { return row(&open) }); err != nil {
			return err
		}
		if open > 0 {
			limit = openRunTimeout
		}
	}
	if silent > limit {
		return nil
	}
	return &problem.Problem{
		Title: Running, Status: http.StatusConflict,
		Detail: fmt.Sprintf("Session %q is still being recorded: its last frame arrived %v ago, and its stream has not ended.",
			r.session, max(silent, 0).Round(time.Second)),
		Hint: fmt.Sprintf("Try again when it has ended. If its recorder is gone, it counts as ended %v after its last frame.", limit),
	}
}
