package agenthistory

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"
)

// The server is asked for many files at once. Files whose bytes it has at their own times are not
// recorded; files that it has at the times of another recording are.
func TestUploadedFiles(t *testing.T) {
	m := newMachine(t)
	const files = 250
	has := map[string]Stored{}
	uploaded := 0
	for i := range files {
		text := said(i, i)
		m.write(session(i)+".jsonl", text)
		at := time.Date(2026, 1, 1, 0, 0, i%60, 0, time.UTC)
		digest := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		switch i % 5 {
		case 0:
			uploaded++
			has[digest] = Stored{Stream: "upload", First: at}
		case 1:
			has[digest] = Stored{Stream: "arrived", First: at.Add(time.Hour)}
		}
	}
	requests := 0
	y := New(Options{
		Recorder: m.syncer().Recorder, Tenant: "default", From: []string{m.dir}, Progress: m.progress,
		Known: func(_ context.Context, digests []string) map[string]Stored {
			requests++
			if len(digests) > LookUpMost {
				t.Errorf("%d digests at once", len(digests))
			}
			found := map[string]Stored{}
			for _, digest := range digests {
				if stored, ok := has[digest]; ok {
					found[digest] = stored
				}
			}
			return found
		},
	})
	res, err := y.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if res.Recorded != files-uploaded || len(m.stored.frames) != files-uploaded || res.States[StateCopy] != uploaded {
		t.Errorf("recorded %d of %d, %d streams; want %d", res.Recorded, files, len(m.stored.frames), files-uploaded)
	}
	if requests != 3 {
		t.Errorf("%d requests, want 3", requests)
	}
}
