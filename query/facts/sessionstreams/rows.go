package sessionstreams

import (
	"context"

	"tapedeck/query"
	"tapedeck/schema"
)

// StreamRow is a stream of a session as the template "stream_columns" selects it.
type StreamRow struct {
	ID          string            `ch:"stream_id"`
	Transport   string            `ch:"transport_name"`
	Dialect     string            `ch:"dialect_name"`
	Evidence    string            `ch:"dialect_evidence"`
	Source      string            `ch:"source_text"`
	Tags        map[string]string `ch:"tag_map"`
	Title       string            `ch:"title_text"`
	First       int64             `ch:"first_ns"`
	Last        int64             `ch:"last_ns"`
	Ended       int64             `ch:"ended_ns"`
	EndReason   string            `ch:"reason"`
	Digest      string            `ch:"digest_text"`
	Recorder    string            `ch:"stream_recorder"`
	IsLost      bool              `ch:"is_lost"`
	Parts       uint64            `ch:"parts"`
	Frames      uint64            `ch:"frame_count"`
	Bytes       uint64            `ch:"byte_count"`
	NotJSON     uint64            `ch:"not_json_count"`
	InvalidUTF8 uint64            `ch:"invalid_utf8_count"`
	Oversize    uint64            `ch:"oversize_count"`
	Unknown     uint64            `ch:"unknown_count"`
	Lost        uint64            `ch:"lost_count"`
	Repeated    uint64            `ch:"repeated_count"`
	Back        uint64            `ch:"back_count"`
	Redacted    map[string]uint64 `ch:"redacted_counts"`
	Limits      string            `ch:"limits_text"`
	Original    bool              `ch:"original"`
	HasExpired  bool              `ch:"has_expired"`
}

// OfSession returns the streams of a session, ordered by their first frame.
func OfSession(ctx context.Context, r *query.Reader, tenant string, s *Row) ([]Stream, error) {
	rows, err := ofSession(ctx, r, tenant, s.ID)
	if err != nil {
		return nil, err
	}
	list := make([]Stream, len(rows))
	for i := range rows {
		list[i] = rows[i].Stream()
	}
	return list, nil
}

// ofSession returns the streams of a session. It first leaves out the conditions on deleted and
// redecoded sessions, since ClickHouse takes several times as long to plan them as to read the
// rows. It repeats the statement with the conditions if the session needs them.
func ofSession(ctx context.Context, r *query.Reader, tenant, session string) ([]StreamRow, error) {
	a := query.Liveness(r.Now(), r, tenant).And(query.Args{"tenant": tenant, "sessions": []string{session}})
	rows, err := query.Ask[StreamRow](ctx, r, statements, "streams_of_session", Shape{Original: true}, a)
	if err != nil || len(rows) > 0 && rows[0].Original {
		return rows, err
	}
	return query.Ask[StreamRow](ctx, r, statements, "streams_of_session", Shape{}, a)
}

// Stream returns the stream in the form of the API.
func (row *StreamRow) Stream() Stream {
	return Stream{
		ID: row.ID, Transport: row.Transport, Dialect: row.Dialect, Evidence: row.Evidence, Source: row.Source,
		Tags: row.Tags, Title: row.Title, FirstAt: query.Instant(row.First), LastAt: query.Instant(row.Last),
		Frames: row.Frames, Bytes: row.Bytes, Ended: query.KnownInstant(row.Ended),
		EndReason: row.EndReason, Digest: row.Digest,
		IsLost: row.IsLost, Redacted: row.Redacted, Limits: schema.ReadLimits(row.Limits),
		Counters: Counters{
			NotJSON: row.NotJSON, InvalidUTF8: row.InvalidUTF8, Oversize: row.Oversize, Unknown: row.Unknown,
			Lost: row.Lost, Repeated: row.Repeated, Back: row.Back,
		},
	}
}
