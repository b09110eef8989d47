package redecode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/failpoint"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/problem"
	"tapedeck/schema"
	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/clickhouse/clickhousetest"
	"tapedeck/schema/sqltemplate"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// bench is a database with recordings in it, of which nothing is merged.
type bench struct {
	t   testing.TB
	db  driver.Conn
	dsn string
	*Redecoder
}

func newBench(t testing.TB) *bench {
	t.Helper()
	db := clickhousetest.New(t)
	return &bench{t: t, db: db.Conn, dsn: db.DSN, Redecoder: New(db.Conn, db.DSN, nil)}
}

// line is one frame of a recording.
type line struct {
	after time.Duration
	send  bool
	raw   string
}

// loomCase reads the frames of a case of the dialect loom.
func loomCase(t testing.TB, path string) []line {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, frames, _ := strings.Cut(string(text), "-- frames --\n")
	frames, _, _ = strings.Cut(frames, "\n-- ")
	var lines []line
	for row := range strings.SplitSeq(frames, "\n") {
		fields := strings.SplitN(row, " ", 3)
		after, err := time.ParseDuration(strings.TrimPrefix(fields[0], "+"))
		if err != nil || len(fields) < 3 {
			continue // a comment
		}
		lines = append(lines, line{after, fields[1] == "send", fields[2] + "\n"})
	}
	if len(lines) == 0 {
		t.Fatalf("%s has no frames", path)
	}
	return lines
}

func loomCases(t testing.TB) map[string][]line {
	t.Helper()
	paths, err := filepath.Glob("../dialect/loom/testdata/cases/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	cases := map[string][]line{}
	for _, p := range paths {
		cases[strings.TrimSuffix(filepath.Base(p), ".txtar")] = loomCase(t, p)
	}
	return cases
}

// ahead is when recordings begin that are to be compared: in the future, so that
// they end with their last frame, whenever they were made.
var ahead = time.Now().Add(24 * time.Hour).UnixNano()

// record records frames as a tap does and returns the blocks that came of it.
func record(t testing.TB, opts ingest.StreamOptions, start int64, lines []line) []*block.Block {
	t.Helper()
	return recordUntil(t, opts, start, lines, false)
}

// recordUntil leaves the stream's end out if it is unended.
func recordUntil(t testing.TB, opts ingest.StreamOptions, start int64, lines []line, unended bool) []*block.Block {
	t.Helper()
	var mem ingesttest.Memory
	s, err := ingest.NewRecorder(&mem, ingest.Settings{BlockFrames: 5, ID: "recorder"}).Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	at := start
	for _, l := range lines {
		at += int64(l.after)
		f := &schema.Frame{At: at, Raw: []byte(l.raw), Transport: opts.Transport}
		if l.send {
			f.Direction = schema.Send
		}
		if err := s.Record(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	live := mem.Blocks()
	if _, err := s.Close(t.Context(), "eof"); err != nil {
		t.Fatal(err)
	}
	if unended {
		return live
	}
	return mem.Blocks()
}

// store inserts blocks as the sink does.
func (b *bench) store(tenant string, blocks []*block.Block) {
	b.t.Helper()
	client, err := clickhouse.Dial(b.t.Context(), b.dsn)
	if err != nil {
		b.t.Fatal(err)
	}
	defer client.Close()
	batch := clickhouse.NewBatch()
	for _, blk := range blocks {
		if err := batch.Add(tenant, blk); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := batch.Insert(b.t.Context(), client); err != nil {
		b.t.Fatal(err)
	}
}

// redecode decodes a session anew, which has to succeed.
func (b *bench) redecode(tenant, session, dialect string) *Result {
	b.t.Helper()
	r, err := b.Session(b.t.Context(), tenant, session, dialect)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

var compared = []string{"frames", "spans", "messages", "usage", "streams"}

var current = sqltemplate.Parse(fstest.MapFS{"sql/current.sql": {Data: []byte(`{{template "current"}}`)}})

// dump writes all that a reader sees of a tenant, but for the generation.
func (b *bench) dump(tenant string) map[string]string {
	b.t.Helper()
	seen := map[string]string{}
	for _, table := range compared {
		where := "tenant = '" + tenant + "'"
		if table != "frames" {
			where += " AND " + strings.ReplaceAll(current.Must("current", nil), "{tenant:String}", "'"+tenant+"'")
		}
		rows, err := b.db.Query(b.t.Context(), "SELECT toString(tuple(* EXCEPT (tenant, generation))) AS row FROM "+table+" FINAL WHERE "+where+" ORDER BY row")
		if err != nil {
			b.t.Fatal(err)
		}
		var list []string
		for rows.Next() {
			var row string
			if err := rows.Scan(&row); err != nil {
				b.t.Fatal(err)
			}
			list = append(list, row)
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			b.t.Fatal(err)
		}
		seen[table] = strings.Join(list, "\n")
	}
	return seen
}

// clean waits until no rows are left of a lower generation than the one that
// counts.
func (b *bench) clean(tenant string) {
	b.t.Helper()
	bounded.Until(b.t, "no rows are left that no reader sees", func() bool { return b.stale(tenant) == 0 })
}

func (b *bench) stale(tenant string) (n uint64) {
	b.t.Helper()
	for _, table := range compared {
		var count uint64
		query := fmt.Sprintf(`SELECT countIf(f.generation < r.generation) FROM %[1]s AS f
			ANY LEFT JOIN (SELECT * FROM redecodes FINAL WHERE tenant = '%[2]s') AS r ON f.session_id = r.session_id AND f.stream_id = r.stream_id
			WHERE f.tenant = '%[2]s'`, table, tenant)
		if err := b.db.QueryRow(b.t.Context(), query).Scan(&count); err != nil {
			b.t.Fatal(err)
		}
		n += count
	}
	return n
}

func status(err error) int {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p.Status
	}
	return 0
}

// killedAt returns a context in which a run ends at a step as if it was killed there.
func killedAt(ctx context.Context, step string) context.Context {
	return failpoint.With(ctx, func(reached string) error {
		if reached == step {
			return context.Canceled
		}
		return nil
	})
}
