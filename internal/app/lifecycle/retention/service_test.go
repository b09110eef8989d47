package retention

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/bounded"
	"tapedeck/internal/failpoint"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/metric/metrictest"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse/clickhousetest"
	"tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/tables"
)

const tenant = "acme"

var start = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

func open(t *testing.T) driver.Conn {
	t.Helper()
	return clickhousetest.New(t).Conn
}

// put stores a session of one stream and one row in each table, of so many bytes.
func put(t *testing.T, conn driver.Conn, of, session string, last time.Time, bytes uint64) {
	t.Helper()
	stream := schema.NewStreamID()
	for _, table := range append([]string{"frames", "spans", "messages", "usage", "duplicate_usage", "notes", "alerts"}, tables.Settled(tables.OfRecords, tables.OfCosts)...) {
		if err := conn.Exec(t.Context(), "INSERT INTO "+table+" (tenant, session_id, stream_id) VALUES (?, ?, ?)", of, session, stream); err != nil {
			t.Fatal(err)
		}
	}
	err := conn.Exec(t.Context(), "INSERT INTO streams (tenant, session_id, stream_id, last_at, frames, bytes) VALUES (?, ?, ?, ?, 1, ?)", of, session, stream, last, bytes)
	if err != nil {
		t.Fatal(err)
	}
}

// stored lists the sessions that a table has rows of.
func stored(t *testing.T, conn driver.Conn, of, table string) string {
	t.Helper()
	var list []string
	if err := conn.QueryRow(t.Context(), "SELECT groupUniqArray(session_id) FROM "+table+" WHERE tenant = ?", of).Scan(&list); err != nil {
		t.Fatal(err)
	}
	return joinSorted(list)
}

func joinSorted(list []string) string {
	for i := range list {
		for j := range i {
			if list[i] < list[j] {
				list[i], list[j] = list[j], list[i]
			}
		}
	}
	return fmt.Sprint(list)
}

func set(t *testing.T, s *Service, p retention.Policy) {
	t.Helper()
	p.Tenant, p.SetAt = tenant, time.Now()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if err := s.Store().Set(t.Context(), &p); err != nil {
		t.Fatal(err)
	}
}

// Sessions expire by age, kind by kind, a step at a time, and other tenants are not affected.
func TestExpireByAge(t *testing.T) {
	metrictest.Grow(t, "tapedeck_expired_sessions_total", "tapedeck_expired_bytes_total")
	conn := open(t)
	now := start
	s := New(Options{DB: conn, Now: func() time.Time { return now }, Step: 2})
	for day := range 5 {
		put(t, conn, tenant, fmt.Sprint("s", day), start.AddDate(0, 0, day), 100)
		put(t, conn, "other", fmt.Sprint("s", day), start.AddDate(0, 0, day), 100)
	}
	set(t, s, retention.Policy{Kind: tables.Frames, MaxAge: 10 * 24 * time.Hour})
	set(t, s, retention.Policy{Kind: tables.Messages, MaxAge: 12 * 24 * time.Hour})
	for _, tc := range []struct {
		after            int // days
		frames, messages string
	}{
		{9, "[s0 s1 s2 s3 s4]", "[s0 s1 s2 s3 s4]"},
		{11, "[s1 s2 s3 s4]", "[s0 s1 s2 s3 s4]"}, // a day after the age is exceeded
		{14, "[s4]", "[s2 s3 s4]"},
		{40, "[]", "[]"},
	} {
		now = start.AddDate(0, 0, tc.after)
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := stored(t, conn, tenant, "frames"); got != tc.frames {
			t.Errorf("after %d days: frames of %s, want %s", tc.after, got, tc.frames)
		}
		if got := stored(t, conn, tenant, "messages"); got != tc.messages {
			t.Errorf("after %d days: messages of %s, want %s", tc.after, got, tc.messages)
		}
		for _, table := range []string{"spans", "usage", "streams"} {
			if got := stored(t, conn, tenant, table); got != "[s0 s1 s2 s3 s4]" {
				t.Errorf("after %d days: %s of %s, want those of all", tc.after, table, got)
			}
		}
	}
	if got := stored(t, conn, "other", "frames"); got != "[s0 s1 s2 s3 s4]" {
		t.Errorf("frames of another tenant: %s", got)
	}
	at, err := s.Store().FramesExpired(t.Context(), tenant, "s0")
	if want := start.AddDate(0, 0, 11); err != nil || !at.Equal(want) {
		t.Errorf("the frames of s0 expired at %v (%v), want %v", at, err, want)
	}
	if at, err := s.Store().FramesExpired(t.Context(), "other", "s0"); err != nil || !at.IsZero() {
		t.Errorf("the frames of another tenant expired at %v (%v)", at, err)
	}
	time.Sleep(2 * time.Millisecond) // ids have the resolution of a millisecond
	put(t, conn, tenant, "s0", now, 100)
	if at, err := s.Store().FramesExpired(t.Context(), tenant, "s0"); err != nil || !at.IsZero() {
		t.Errorf("a session with new frames counts as expired at %v (%v)", at, err)
	}
}

// The oldest sessions expire until the size is within its limit. The preview says so before.
func TestExpireBySize(t *testing.T) {
	conn := open(t)
	s := New(Options{DB: conn, Now: func() time.Time { return start.AddDate(0, 0, 30) }})
	for day, bytes := range []uint64{500, 10, 300, 200, 100} { // from the latest: 100, 300, 600, 610, 1110
		put(t, conn, tenant, fmt.Sprint("s", day), start.AddDate(0, 0, day), bytes)
	}
	p := retention.Policy{Tenant: tenant, Kind: tables.Frames, MaxBytes: 600}
	preview, err := s.preview(t.Context(), &p)
	if err != nil {
		t.Fatal(err)
	}
	if preview.Stored.Bytes != 1110 || preview.Due.Sessions != 2 || preview.Due.Bytes != 510 || preview.Oldest[0].ID != "s0" || preview.Oldest[0].Why != "size" {
		t.Errorf("preview %+v", preview)
	}
	set(t, s, retention.Policy{Kind: tables.Frames, MaxBytes: 600})
	if err := s.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, conn, tenant, "frames"); got != "[s2 s3 s4]" {
		t.Errorf("frames of %s, want those of the latest 600 bytes", got)
	}
}

// A preview lists the first sessions that expire, and says that there are others.
func TestPreviewListsTheOldest(t *testing.T) {
	fulltest.Long(t)
	conn := open(t)
	s := New(Options{DB: conn, Now: func() time.Time { return start.AddDate(0, 0, 30) }})
	p := retention.Policy{Tenant: tenant, Kind: tables.Frames, MaxAge: time.Hour}
	for i := range mostOldest + 1 {
		if i == mostOldest {
			if preview, err := s.preview(t.Context(), &p); err != nil || len(preview.Oldest) != mostOldest || preview.OldestMore || preview.DueMore {
				t.Errorf("preview of %d sessions: %+v, %v", i, preview, err)
			}
		}
		put(t, conn, tenant, fmt.Sprintf("s%02d", i), start.Add(time.Duration(i)*time.Hour), 10)
	}
	preview, err := s.preview(t.Context(), &p)
	if err != nil || len(preview.Oldest) != mostOldest || !preview.OldestMore || preview.DueMore || preview.Due.Sessions != mostOldest+1 {
		t.Errorf("preview %+v, %v", preview, err)
	}
}

// A stream that goes on after it expired, and a block of it that comes late, expire once more.
func TestExpireAgain(t *testing.T) {
	fulltest.Long(t)
	conn := open(t)
	now := start.Add(2 * time.Hour)
	s := New(Options{DB: conn, Now: func() time.Time { return now }})
	put(t, conn, tenant, "s", start, 100)
	var stream string
	if err := conn.QueryRow(t.Context(), "SELECT any(stream_id) FROM streams WHERE tenant = ?", tenant).Scan(&stream); err != nil {
		t.Fatal(err)
	}
	kinds := []string{tables.Frames, tables.Messages, tables.Facts}
	for _, kind := range kinds {
		set(t, s, retention.Policy{Kind: kind, MaxAge: time.Hour})
	}
	round := func() {
		t.Helper()
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// again stores more of the stream, with a last frame at a time.
	again := func(last time.Time, bytes uint64) {
		t.Helper()
		for _, table := range []string{"frames", "spans", "messages"} {
			if err := conn.Exec(t.Context(), "INSERT INTO "+table+" (tenant, session_id, stream_id, generation) VALUES (?, 's', ?, ?)", tenant, stream, bytes); err != nil {
				t.Fatal(err)
			}
		}
		err := conn.Exec(t.Context(), "INSERT INTO streams (tenant, session_id, stream_id, version, last_at, frames, bytes) VALUES (?, 's', ?, ?, ?, 1, ?)", tenant, stream, bytes, last, bytes)
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(what, want string) {
		t.Helper()
		for _, table := range []string{"frames", "spans", "messages"} {
			if got := stored(t, conn, tenant, table); got != want {
				t.Errorf("%s: %s of %s, want %s", what, table, got, want)
			}
		}
	}
	round()
	check("expired", "[]")
	again(now.Add(30*time.Minute), 150)
	if size, err := s.Store().Size(t.Context(), tenant, tables.Frames); err != nil || size.Bytes != 50 {
		t.Errorf("the stream that goes on has %d bytes (%v), want the 50 that did not expire", size.Bytes, err)
	}
	now = now.Add(time.Hour)
	round()
	check("it went on half an hour ago", "[s]")
	now = now.Add(time.Hour)
	round()
	check("it is too old again", "[]")
	again(start.Add(time.Minute), 180)
	round()
	check("a late block", "[]")
	for _, kind := range kinds {
		due, err := s.Store().Due(t.Context(), &retention.Policy{Tenant: tenant, Kind: kind, MaxAge: time.Hour}, now, 10)
		if err != nil || len(due) > 0 {
			t.Errorf("%s: still due: %+v (%v)", kind, due, err)
		}
	}
}

// Frames that are stored once more after they expired, as by an import, expire with the next round while a
// policy limits them. Of what a stream gets later only its new bytes expire.
func TestStoredAgain(t *testing.T) {
	fulltest.Long(t)
	conn := open(t)
	now := start.Add(2 * time.Hour)
	s := New(Options{DB: conn, Now: func() time.Time { return now }})
	put(t, conn, tenant, "s", start, 100)
	put(t, conn, tenant, "running", start, 100)
	streams := map[string]string{}
	for _, session := range []string{"s", "running"} {
		var stream string
		if err := conn.QueryRow(t.Context(), "SELECT any(stream_id) FROM streams WHERE tenant = ? AND session_id = ?", tenant, session).Scan(&stream); err != nil {
			t.Fatal(err)
		}
		streams[session] = stream
	}
	p := retention.Policy{Tenant: tenant, Kind: tables.Frames, MaxAge: time.Hour}
	set(t, s, p)
	round := func(want string) {
		t.Helper()
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := stored(t, conn, tenant, "frames"); got != want {
			t.Errorf("frames of %s, want %s", got, want)
		}
	}
	frames := func(session, stream string) {
		t.Helper()
		if err := conn.Exec(t.Context(), "INSERT INTO frames (tenant, session_id, stream_id) VALUES (?, ?, ?)", tenant, session, stream); err != nil {
			t.Fatal(err)
		}
	}
	round("[]")
	frames("s", streams["s"])
	frames("running", schema.NewStreamID()) // of a new stream that is not in the table streams yet
	preview, err := s.preview(t.Context(), &p)
	if err != nil || preview.Stored.Sessions != 1 || preview.Stored.Bytes != 100 || preview.Due.Sessions != 1 || preview.Due.Bytes != 100 {
		t.Errorf("preview %+v, %v", preview, err)
	}
	round("[running]")
	if size, err := s.Store().Size(t.Context(), tenant, tables.Frames); err != nil || size.Sessions != 0 {
		t.Errorf("%d sessions are stored (%v)", size.Sessions, err)
	}
	frames("s", streams["s"])
	set(t, s, retention.Policy{Kind: tables.Frames})
	round("[running s]")
	// The stream goes on: its new bytes count, and those that expired do not.
	err = conn.Exec(t.Context(), "INSERT INTO streams (tenant, session_id, stream_id, version, last_at, frames, bytes) VALUES (?, 's', ?, 1, ?, 2, 130)", tenant, streams["s"], start)
	if err != nil {
		t.Fatal(err)
	}
	due, err := s.Store().Due(t.Context(), &p, now, 10)
	if err != nil || len(due) != 1 || due[0].Session != "s" || due[0].Bytes != 30 || due[0].Had != 100 {
		t.Errorf("due: %+v (%v)", due, err)
	}
}

// A round that ends after its mark of a stream that had expired before leaves the mark to the next
// round.
func TestInterruptedAgain(t *testing.T) {
	conn := open(t)
	killed := false
	s := New(Options{DB: conn, Now: func() time.Time { return time.Now().AddDate(1, 0, 0) }})
	ctx := failpoint.With(t.Context(), func(step string) error {
		if killed && step == "retention: marked" {
			return errKilled
		}
		return nil
	})
	// The rows of a mark are not merged meanwhile.
	if err := conn.Exec(t.Context(), "SYSTEM STOP MERGES expirations"); err != nil {
		t.Fatal(err)
	}
	put(t, conn, tenant, "s", start, 100)
	set(t, s, retention.Policy{Kind: tables.Frames, MaxAge: time.Hour})
	if err := s.Round(ctx); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"INSERT INTO frames (tenant, session_id, stream_id) SELECT tenant, session_id, stream_id FROM streams",
		"INSERT INTO streams (tenant, session_id, stream_id, version, last_at, frames, bytes) SELECT tenant, session_id, stream_id, 1, last_at, 2, 150 FROM streams",
	} {
		if err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	killed = true
	if err := s.Round(ctx); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	killed = false
	set(t, s, retention.Policy{Kind: tables.Frames}) // what was marked is deleted all the same
	if err := s.Round(ctx); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, conn, tenant, "frames"); got != "[]" {
		t.Errorf("frames of %s are stored", got)
	}
	if list, err := s.Store().Unfinished(t.Context(), 10); err != nil || len(list) > 0 {
		t.Errorf("unfinished: %+v (%v)", list, err)
	}
}

// Of several expirations of a session that were not completed, the last one stands.
func TestRemoveSeveral(t *testing.T) {
	conn := open(t)
	s := New(Options{DB: conn})
	put(t, conn, tenant, "s", start, 100)
	list := []retention.Expiration{
		{Tenant: tenant, Session: "s", Kind: tables.Frames, Until: "0", At: start},
		{Tenant: tenant, Session: "s", Kind: tables.Frames, Until: "g", At: start},
	}
	if err := s.Store().Remove(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, conn, tenant, "frames"); got != "[]" {
		t.Errorf("frames of %s are stored", got)
	}
}

// Of a message that was stored anew as it grew, its latest state counts.
func TestSizeOfGrowingMessage(t *testing.T) {
	conn := open(t)
	s := New(Options{DB: conn})
	put(t, conn, tenant, "s", start, 100)
	before, err := s.Store().Size(t.Context(), tenant, tables.Messages)
	if err != nil {
		t.Fatal(err)
	}
	for version := range 5 {
		err := conn.Exec(t.Context(), "INSERT INTO messages SELECT * REPLACE (? AS version, repeat('x', 100) AS text) FROM messages FINAL WHERE tenant = ?", version+1, tenant)
		if err != nil {
			t.Fatal(err)
		}
	}
	after, err := s.Store().Size(t.Context(), tenant, tables.Messages)
	if err != nil || after.Bytes != before.Bytes+100 {
		t.Errorf("the size is %d, want %d (%v)", after.Bytes, before.Bytes+100, err)
	}
}

// What expires by age on the next days.
func TestPreviewOfDays(t *testing.T) {
	conn := open(t)
	s := New(Options{DB: conn, Now: func() time.Time { return start.AddDate(0, 0, 10) }})
	for day := range 3 {
		put(t, conn, tenant, fmt.Sprint("s", day), start.AddDate(0, 0, day), 100)
	}
	preview, err := s.preview(t.Context(), &retention.Policy{Tenant: tenant, Kind: tables.Frames, MaxAge: 11 * 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(preview.Days), "[{2026-03-13 {1 100 0}} {2026-03-14 {1 100 0}} {2026-03-15 {1 100 0}}]"; got != want {
		t.Errorf("days %s, want %s", got, want)
	}
}

var errKilled = errors.New("killed")

// A round that ends after its mark hides the frames, and the next round deletes them.
func TestInterruptedRound(t *testing.T) {
	conn := open(t)
	killed := true
	s := New(Options{DB: conn, Now: func() time.Time { return start.AddDate(1, 0, 0) }})
	ctx := failpoint.With(t.Context(), func(step string) error {
		if killed && step == "retention: marked" {
			return errKilled
		}
		return nil
	})
	put(t, conn, tenant, "s", start, 100)
	set(t, s, retention.Policy{Kind: tables.Frames, MaxAge: time.Hour})
	if err := s.Round(ctx); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if at, err := s.Store().FramesExpired(t.Context(), tenant, "s"); err != nil || at.IsZero() {
		t.Errorf("the frames do not count as expired (%v)", err)
	}
	killed = false
	// The policy is lifted meanwhile: what was marked is deleted all the same.
	set(t, s, retention.Policy{Kind: tables.Frames})
	if err := s.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, conn, tenant, "frames"); got != "[]" {
		t.Errorf("frames of %s are stored", got)
	}
}

// With its charges all of a session expires. They and bills are kept for 13 months.
func TestCharges(t *testing.T) {
	conn := open(t)
	now := start.AddDate(0, 0, 395)
	s := New(Options{DB: conn, Now: func() time.Time { return now }})
	put(t, conn, tenant, "s", start, 100)
	for _, kind := range []string{tables.Charges, tables.Bills} {
		short := retention.Policy{Tenant: tenant, Kind: kind, MaxAge: 395 * 24 * time.Hour}
		if short.Check() == nil {
			t.Errorf("%s may be kept for %v", kind, short.MaxAge)
		}
	}
	set(t, s, retention.Policy{Kind: tables.Charges, MaxAge: retention.LeastBilling})
	for _, want := range []string{"[s]", "[]"} {
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, table := range tables.Names(tables.Recording) {
			if table == "redecodes" {
				continue // it has no row
			}
			if got := stored(t, conn, tenant, table); got != want {
				t.Errorf("%v: %s of %s, want %s", now, table, got, want)
			}
		}
		now = now.AddDate(0, 0, 2)
	}
}

// By the real clock, in the background.
func TestRun(t *testing.T) {
	conn := open(t)
	s := New(Options{DB: conn, NATS: localtest.NATS(t), Every: 100 * time.Millisecond})
	put(t, conn, tenant, "old", time.Now().Add(-time.Minute), 100)
	put(t, conn, tenant, "new", time.Now().Add(time.Hour), 100)
	set(t, s, retention.Policy{Kind: tables.Frames, MaxAge: 30 * time.Second})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	defer func() { cancel(); <-done }()
	bounded.Until(t, "only the new session has frames", func() bool { return stored(t, conn, tenant, "frames") == "[new]" })
}
