package sessionstreams

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query/querytest"
)

// TestFindStreams compares what FindStreams adds up with what ClickHouse returns for Find.
func TestFindStreams(t *testing.T) {
	db := querytest.New(t)
	const sessions = 40
	// Up to five streams in up to two parts each, with equal times, empty titles, tags of the same name, and
	// streams that run, are lost, or ended in an error before or after their last frame.
	db.Exec(fmt.Sprintf(`INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, transport, dialect,
		tags, title, first_at, last_at, frames, bytes, ended, end_reason)
	SELECT 'default', 's-' || toString(number), 'stream-' || toString(intDiv(n, 2)), (n %% 2) * 100, toDateTime('2026-03-01 00:00:00', 'UTC'), 9,
		'ndjson', ['', 'loom', 'codex'][h %% 3 + 1], map('customer', 'c' || toString(h %% 3), 'team', 'x'), ['', 'B', 'A'][h %% 3 + 1],
		toDateTime64('2026-03-01 00:00:00', 9, 'UTC') + h %% 4 AS begun, begun + h %% 5 AS last, h %% 1000, h %% 9999,
		if(h %% 3 = 0, toDateTime64(0, 9, 'UTC'), last + h %% 2 - 0.5), if(h %% 3 = 0, '', ['eof', 'error: reset'][h %% 2 + 1])
	FROM numbers(%d) ARRAY JOIN range(number %% 10 + 1) AS n, arrayMap(i -> toUInt32(cityHash64(number, i)), range(number %% 10 + 1)) AS h`, sessions))
	db.Exec(`INSERT INTO tombstones (tenant, session_id, until, deleted_at, finished) VALUES ('default', 's-7', 'a', now64(9), 1)`)
	db.Exec(`INSERT INTO streams SELECT * REPLACE(7 AS generation, frames + 2000 AS frames) FROM streams WHERE session_id = 's-9' AND stream_id = 'stream-0'`)
	db.Exec(`INSERT INTO redecodes (tenant, session_id, stream_id, generation, parts) VALUES ('default', 's-9', 'stream-0', 7, [0, 100])`)
	db.Exec(`INSERT INTO expirations (tenant, session_id, kind, until, expired_at, finished) VALUES ('default', 's-8', 'frames', 'a', now64(9), 1)`)
	r := querytest.Reader(db, 1_772_323_205)
	for i := range sessions {
		id := fmt.Sprintf("s-%d", i)
		want, err := Find(t.Context(), r, "default", id)
		if err != nil {
			t.Fatal(err)
		}
		found, err := FindStreams(t.Context(), r, "default", id)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found.Streams { // each in up to two parts of fewer than 1000 frames
			if redecoded := i == 9 && s.ID == "stream-0"; (s.Frames > 4000) != redecoded {
				t.Errorf("%s: %s has %d frames, redecoded: %v", id, s.ID, s.Frames, redecoded)
			}
		}
		sortEnds(want)
		sortEnds(found.Row)
		if d := cmp.Diff(want, found.Row); d != "" {
			t.Errorf("%s (- Find, + FindStreams):\n%s", id, d)
		}
		if found.Original != (i != 7 && i != 9) || found.Expirations != (i == 8) || len(found.Streams) != i%10/2+1 {
			t.Errorf("%s: original %v, expirations %v, %d streams", id, found.Original, found.Expirations, len(found.Streams))
		}
	}
	if _, err := FindStreams(t.Context(), r, "default", "none"); err == nil {
		t.Error("no error for a session that does not exist")
	}
}

// sortEnds sorts the streams by their ids.
func sortEnds(s *Row) {
	type end struct {
		id string
		at int64
	}
	ends := make([]end, len(s.StreamIDs))
	for i, id := range s.StreamIDs {
		ends[i] = end{id, s.StreamEnds[i]}
	}
	slices.SortFunc(ends, func(a, b end) int { return strings.Compare(a.id, b.id) })
	for i, e := range ends {
		s.StreamIDs[i], s.StreamEnds[i] = e.id, e.at
	}
}
