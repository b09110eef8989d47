package clickhouse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/redact"
	"tapedeck/ingest/redecode"
	"tapedeck/ingest/sink"
	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/app/lifecycle/retention"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/replay"
	"tapedeck/replay/clickhouse"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse/clickhousetest"
	"tapedeck/schema/lifecycle/change"
	retained "tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/sessioncache"
	"tapedeck/schema/tables"
)

// frames returns the bytes of all frames of the session s.
func frames(ctx context.Context, from replay.Library) (all []string, err error) {
	t, err := from.Tape(ctx, ingest.DefaultTenant, "s")
	if err != nil {
		return nil, err
	}
	r, err := t.Read(ctx, replay.Query{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		some, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		for i := range some {
			all = append(all, string(some[i].Raw))
		}
	}
}

// What a sink stores, and what is masked, decoded again, expired or erased by one server, is seen by
// the next reader of another server, which had the session in its cache.
func TestOtherServersSeeChanges(t *testing.T) {
	nc, dsn := localtest.NATS(t), localtest.ClickHouse(t)
	db := clickhousetest.Migrate(t, dsn)
	ctx := t.Context()
	js, err := njs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.EnsureStreams(ctx, js, jetstream.Config{MaxBytes: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	stores, err := sink.New(sink.Options{NATS: nc, DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	sinking, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = stores.Run(sinking) }()
	t.Cleanup(func() { stop(); <-done })
	cache, err := sessioncache.New(sessioncache.Options{NATS: nc})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cache.Close)
	other := clickhouse.Open(dsn, clickhouse.Options{Cache: cache})
	t.Cleanup(func() { _ = other.Close() })
	announcer, err := change.NewAnnouncer(nc)
	if err != nil {
		t.Fatal(err)
	}

	publisher, err := jetstream.NewPublisher(nc)
	if err != nil {
		t.Fatal(err)
	}
	secret := "gh" + "p_" + strings.Repeat("aB3dE6", 6)
	record := func(lines ...string) {
		t.Helper()
		s, err := ingest.NewRecorder(publisher, ingest.Settings{}).Open(ingest.StreamOptions{
			Session: "s", Dialect: "generic", Transport: schema.NDJSON,
		})
		for _, line := range lines {
			if err == nil {
				err = s.Record(ctx, &schema.Frame{At: ingest.Now(), Raw: []byte(line + "\n")})
			}
		}
		if err == nil {
			_, err = s.Close(ctx, schema.EndEOF)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func(want int) {
		t.Helper()
		bounded.Until(t, fmt.Sprintf("%d frames are served", want), func() bool {
			got, err := frames(ctx, other)
			return err == nil && len(got) == want
		})
	}
	record(`{"a":1}`, `{"b":"`+secret+`"}`)
	count(2)
	record(`{"late":1}`) // a further block of the session
	count(3)

	// From here on the change is complete when the call returns, and the next reader sees it.
	decoder := redecode.New(db.Conn, dsn, nil)
	decoder.Announce = announcer.Sessions
	if _, err := decoder.Redact(ctx, ingest.DefaultTenant, "s", redecode.RedactOptions{Engine: redact.Default()}); err != nil {
		t.Fatal(err)
	}
	got, err := frames(ctx, other)
	if err != nil || len(got) != 3 || slices.ContainsFunc(got, func(raw string) bool { return bytes.Contains([]byte(raw), []byte(secret)) }) {
		t.Errorf("after masking: %q, %v", got, err)
	}
	if _, err := decoder.Session(ctx, ingest.DefaultTenant, "s", "loom"); err != nil {
		t.Fatal(err)
	}
	tape, err := other.Tape(ctx, ingest.DefaultTenant, "s")
	if err != nil || tape.Streams()[0].Dialect != "loom" {
		t.Errorf("after decoding again as loom: %+v, %v", tape, err)
	}
	if at, err := other.FramesExpired(ctx, ingest.DefaultTenant, "s"); err != nil || !at.IsZero() {
		t.Errorf("the frames expired at %s, %v", at, err)
	}
	later := time.Now().Add(30 * 24 * time.Hour)
	expiry := retention.New(retention.Options{NATS: nc, DB: db.Conn, Announce: announcer.Sessions, Now: func() time.Time { return later }})
	err = expiry.Store().Set(ctx, &retained.Policy{Tenant: ingest.DefaultTenant, Kind: tables.Frames, MaxAge: 24 * time.Hour, SetAt: time.Now()})
	if err == nil {
		err = expiry.Round(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	at, err := other.FramesExpired(ctx, ingest.DefaultTenant, "s")
	if got, readErr := frames(ctx, other); at.IsZero() || err != nil || readErr != nil || len(got) != 0 {
		t.Errorf("after the frames expired: expired at %s, %v; %d frames, %v", at, err, len(got), readErr)
	}
	eraser := erasure.New(erasure.Options{NATS: nc, DB: db.Conn, Announce: announcer.Sessions})
	if err := eraser.Delete(ctx, tombstone.Key{Tenant: ingest.DefaultTenant, Session: "s"}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Tape(ctx, ingest.DefaultTenant, "s"); !errors.Is(err, replay.ErrNoSession) {
		t.Errorf("after the erasure: %v", err)
	}
	bounded.Until(t, "the memory of the erased session is free", func() bool { return cache.Bytes() == 0 })
}
