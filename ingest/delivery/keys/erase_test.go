package keys

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
)

// TestErase erases a log from streams that are smaller and larger than a file of JetStream, and from
// one that is nearly full and holds fillers of an attempt that was interrupted.
func TestErase(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit, free int64
		fillers     int
	}{
		{limit: 64 << 10, free: 64 << 10},
		{limit: 4 << 20, free: 4 << 20},
		{limit: 64 << 20, free: 64 << 20},
		{limit: 16 << 20, free: 2 << 20},
		{limit: 16 << 20, free: 0, fillers: 4},
	} {
		t.Run(fmt.Sprintf("%d of %d bytes, %d fillers", tc.free, tc.limit, tc.fillers), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			nc, err := localtest.Broker(t, broker.Options{Dir: dir, SyncInterval: 200 * time.Millisecond}).Connect()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(nc.Close)
			s, err := New(Options{NATS: nc, MaxBytes: tc.limit})
			if err != nil {
				t.Fatal(err)
			}
			logs, err := s.ensure(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			secret := rand.Text()
			publish := func(subject, session, text string) error {
				_, err := s.js.PublishMsg(t.Context(), jsonMessage(subject, kindOpen, 0,
					&opening{Key: text, StreamID: "s", Params: Params{Session: session}}))
				return err
			}
			if err := publish(SubjectPrefix+"t.secret", "secret", secret); err != nil {
				t.Fatal(err)
			}
			for range tc.fillers {
				if _, err := s.js.Publish(t.Context(), fillerSubject, make([]byte, 512<<10)); err != nil {
					t.Fatal(err)
				}
			}
			other := make([]byte, 256<<10)
			for i := 0; tc.free < tc.limit && room(t, logs) > tc.free+int64(len(other)); i++ {
				if _, err := s.js.Publish(t.Context(), fmt.Sprint(SubjectPrefix, "other.", i), other); err != nil {
					t.Fatal(err)
				}
			}
			erased, err := Erase(t.Context(), nc, "t", time.Minute, func(session, _ string) bool { return session == "secret" })
			if err != nil || erased.Logs != 1 || erased.Last == 0 {
				t.Fatalf("%+v, %v", erased, err)
			}
			if _, err := logs.GetLastMsgForSubject(t.Context(), fillerSubject); err == nil {
				t.Error("a filler is left")
			}
			if err := publish(SubjectPrefix+"t.next", "next", "x"); err != nil {
				t.Errorf("the next request: %v", err)
			}
			if time.Until(erased.Until) > time.Minute {
				return // live messages keep the file until they expire
			}
			bounded.Until(t, "the secret is in no file", func() bool { return !inFiles(t, dir, secret) })
		})
	}
}

// room returns the free bytes of a stream.
func room(t *testing.T, s jetstream.Stream) int64 {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.Config.MaxBytes - int64(info.State.Bytes)
}

// inFiles reports whether a file below a directory contains a text.
func inFiles(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // NATS has removed it
		}
		content, err := os.ReadFile(path)
		found = found || err == nil && bytes.Contains(content, []byte(text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
