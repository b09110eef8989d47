package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/internal/budget"
	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/sessioncache"
)

// tape is one session in the store, with the streams at the time when it was opened. Readers may
// return frames that were stored later, but do not read a stream again after its end.
type tape struct {
	store           *Store
	tenant, session string
	streams         []schema.StreamState
	cached          bool      // readers use the lead of the store's cache
	expired         time.Time // when the frames expired; zero if they have not
}

// Tape implements replay.Library. Readers of one session share a tape while the session is
// unchanged.
func (s *Store) Tape(ctx context.Context, tenant, session string) (replay.Tape, error) {
	t, err := s.tape(ctx, tenant, session)
	if err != nil {
		return nil, err // not a nil *tape
	}
	return t, nil
}

// tape returns the tape of a session from the cache, or opens it.
func (s *Store) tape(ctx context.Context, tenant, session string) (*tape, error) {
	of := tombstone.Key{Tenant: tenant, Session: session}
	return sessioncache.Get(ctx, s.opts.Cache, of, "tape", func(ctx context.Context) (*tape, int64, error) {
		t, err := s.open(ctx, tenant, session)
		if err != nil {
			return nil, 0, err
		}
		t.cached = s.opts.Cache != nil
		return t, t.size(), nil
	})
}

// open reads the streams of a session.
func (s *Store) open(ctx context.Context, tenant, session string) (*tape, error) {
	t := &tape{store: s, tenant: tenant, session: session}
	if err := t.readStreams(ctx); err != nil {
		return nil, fmt.Errorf("read the streams of session %q: %w", session, err)
	}
	if len(t.streams) == 0 {
		return nil, fmt.Errorf("session %q: %w", session, replay.ErrNoSession)
	}
	return t, nil
}

// Fresh returns a library that reads the streams of every tape from ClickHouse, after the call. A
// follower of a session needs that, since every block that the sink acknowledged before the call
// must count.
func (s *Store) Fresh() replay.Library { return fresh{s} }

type fresh struct{ store *Store }

// Tape implements replay.Library.
func (f fresh) Tape(ctx context.Context, tenant, session string) (replay.Tape, error) {
	t, err := f.store.open(ctx, tenant, session)
	if err != nil {
		return nil, err // not a nil *tape
	}
	return t, nil
}

// FramesExpired returns when the frames of a session expired; the zero time if they have not, or if
// frames were recorded later. The error is replay.ErrNoSession if the session has no streams.
func (s *Store) FramesExpired(ctx context.Context, tenant, session string) (time.Time, error) {
	t, err := s.tape(ctx, tenant, session)
	if err != nil {
		return time.Time{}, err
	}
	return t.expired, nil
}

// keptPerFrame is the memory that a value derived from a session is charged for each frame, bytes.
const keptPerFrame = 64

// Keep implements emulate.Keeper. The size of a value is estimated from the number of frames.
func (t *tape) Keep(ctx context.Context, kind string, load func(context.Context, replay.Tape) (any, error)) (any, bool, error) {
	if !t.cached {
		return nil, false, nil
	}
	of := tombstone.Key{Tenant: t.tenant, Session: t.session}
	v, err := sessioncache.Get(ctx, t.store.opts.Cache, of, kind, func(ctx context.Context) (any, int64, error) {
		now, err := t.store.tape(ctx, t.tenant, t.session)
		if err != nil {
			return nil, 0, err
		}
		size := now.size()
		for i := range now.streams {
			size += keptPerFrame * int64(now.streams[i].Frames)
		}
		v, err := load(ctx, now)
		return v, size, err
	})
	return v, true, err
}

// size returns the approximate memory of the tape, bytes.
func (t *tape) size() int64 {
	n := int64(len(t.tenant) + len(t.session))
	for i := range t.streams {
		s := &t.streams[i]
		n += int64(unsafe.Sizeof(*s)) + int64(len(s.StreamID)+len(s.Dialect)+len(s.Source)+len(s.EndReason)+len(s.Recorder))
	}
	return n
}

// Streams implements replay.Tape.
func (t *tape) Streams() []schema.StreamState { return t.streams }

// Read implements replay.Tape.
func (t *tape) Read(ctx context.Context, q replay.Query) (replay.Reader, error) {
	if t.leads(&q) {
		return &leadReader{tape: t, query: q, grant: budget.Of(ctx)}, nil
	}
	return newReader(t, q, budget.Of(ctx)), nil
}

// readStreams reads the parts of the session's streams and merges the parts of each stream.
func (t *tape) readStreams(ctx context.Context) error {
	parts, changed, err := t.readParts(ctx, recordedStreams)
	if err == nil && changed {
		parts, _, err = t.readParts(ctx, currentStreams)
	}
	if err != nil {
		return err
	}
	slices.SortStableFunc(parts, func(a, b schema.StreamState) int {
		return cmp.Or(cmp.Compare(a.StreamID, b.StreamID), cmp.Compare(a.FirstSeq, b.FirstSeq),
			cmp.Compare(a.Version, b.Version))
	})
	for i, part := range parts {
		if next := i + 1; next == len(parts) || parts[next].StreamID != part.StreamID ||
			parts[next].FirstSeq != part.FirstSeq {
			t.streams = addPart(t.streams, part)
		}
	}
	slices.SortFunc(t.streams, func(a, b schema.StreamState) int {
		return cmp.Or(cmp.Compare(a.FirstAt, b.FirstAt), cmp.Compare(a.StreamID, b.StreamID))
	})
	return nil
}

// readParts runs a query for parts of streams, some possibly in several versions. It reports
// whether some of them were decoded again or deleted.
func (t *tape) readParts(ctx context.Context, query string) (parts []schema.StreamState, changed bool, err error) {
	var (
		id, source, reason, recorder   proto.ColStr
		transport, dialect             = new(proto.ColStr).LowCardinality(), new(proto.ColStr).LowCardinality()
		firstAt, lastAt, ended         proto.ColDateTime64
		firstSeq, version, count, size proto.ColUInt64
		mark                           proto.ColStr // of a row that is no part
	)
	var p parameters
	expiredUntil, expiredAt := "", int64(0)
	p.text("tenant", t.tenant)
	p.text("session", t.session)
	if err := t.store.enter(ctx); err != nil {
		return nil, false, err
	}
	defer t.store.leave()
	err = t.store.do(ctx, ch.Query{
		Body: query, Parameters: p, Settings: oneThread,
		Result: proto.Results{
			{Data: &id}, {Data: &firstSeq}, {Data: &version}, {Data: transport}, {Data: dialect}, {Data: &source},
			{Data: &firstAt}, {Data: &lastAt}, {Data: &count}, {Data: &size}, {Data: &ended}, {Data: &reason},
			{Data: &recorder}, {Data: &mark},
		},
		OnResult: func(_ context.Context, b proto.Block) error {
			for i := range b.Rows {
				switch mark.Row(i) {
				case "changed":
					changed = true
					continue
				case "expired":
					expiredUntil, expiredAt = max(expiredUntil, id.Row(i)), max(expiredAt, int64(lastAt.Data[i]))
					continue
				}
				kind, err := schema.ParseTransport(transport.Row(i))
				if err != nil {
					return err
				}
				parts = append(parts, schema.StreamState{
					StreamID: id.Row(i), FirstSeq: firstSeq[i], Version: version[i],
					Transport: kind, Dialect: dialect.Row(i), Source: source.Row(i),
					FirstAt: int64(firstAt.Data[i]), LastAt: int64(lastAt.Data[i]),
					Frames: count[i], Bytes: size[i], Ended: int64(ended.Data[i]), EndReason: reason.Row(i),
					Recorder: recorder.Row(i),
				})
			}
			return nil
		},
	}, func() { parts, changed, expiredUntil, expiredAt = nil, false, "", 0 })
	t.expired = time.Time{}
	if expiredAt > 0 && !slices.ContainsFunc(parts, func(s schema.StreamState) bool { return s.StreamID > expiredUntil }) {
		t.expired = time.Unix(0, expiredAt).UTC()
	}
	return parts, changed, err
}

// addPart adds a part of a stream; parts are ordered by stream and first frame. The state of the
// stream is that of its last part.
func addPart(streams []schema.StreamState, part schema.StreamState) []schema.StreamState {
	if part.Frames == 0 {
		return streams // the part has only facts
	}
	if len(streams) == 0 || streams[len(streams)-1].StreamID != part.StreamID {
		return append(streams, part)
	}
	s := &streams[len(streams)-1]
	part.FirstSeq, part.FirstAt = s.FirstSeq, min(s.FirstAt, part.FirstAt)
	part.LastAt = max(s.LastAt, part.LastAt)
	part.Frames += s.Frames
	part.Bytes += s.Bytes
	*s = part
	return streams
}
