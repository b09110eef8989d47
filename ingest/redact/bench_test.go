package redact_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/redact"
	"tapedeck/ingest/tap/file"
)

// BenchmarkRecord records a file up to its blocks, with and without redaction.
func BenchmarkRecord(b *testing.B) {
	for name, line := range map[string]string{
		"chunks": `{"session_id":"run-1764000000000000000","node_id":"run-think-1","event_id":12345,"type":"message_chunk","content":"hello","id":"m1"}`,
		"text":   `{"session_id":"s","type":"message","content":"` + string(bytes.Repeat([]byte(`The function returns a token,\nwhich \"parse\" reads. `), 80)) + `"}`,
	} {
		path := filepath.Join(b.TempDir(), name+".jsonl")
		if err := os.WriteFile(path, bytes.Repeat([]byte(line+"\n"), 12_000_000/len(line)), 0o600); err != nil {
			b.Fatal(err)
		}
		for setting, engine := range map[string]*redact.Engine{"off": redact.Off, "on": redact.Default()} {
			b.Run(name+"/"+setting, func(b *testing.B) {
				frames := uint64(0)
				for b.Loop() {
					sum, err := file.Record(b.Context(), ingest.NewRecorder(nothing{}, ingest.Settings{Redact: engine}), ingest.StreamOptions{}, file.Options{Path: path})
					if err != nil {
						b.Fatal(err)
					}
					frames += sum.Frames
				}
				b.SetBytes(12_000_000)
				b.ReportMetric(float64(frames)/b.Elapsed().Seconds(), "frames/s")
			})
		}
	}
}

// nothing takes blocks and forgets them.
type nothing struct{}

func (nothing) Publish(_ context.Context, _ ingest.EncodedBlock, done func(error)) error {
	go done(nil)
	return nil
}
