package ingesttest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, m *ingesttest.Memory) *ingest.Stream {
	t.Helper()
	s, err := ingest.NewRecorder(m, ingest.Settings{}).Open(ingest.StreamOptions{Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func record(t *testing.T, s *ingest.Stream, lines ...string) {
	t.Helper()
	for i, line := range lines {
		if err := s.Record(t.Context(), &schema.Frame{At: int64(i + 1), Raw: []byte(line)}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMemoryKeepsFrames(t *testing.T) {
	var m ingesttest.Memory
	s := open(t, &m)
	record(t, s, "{}\n", "[]\n")
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	record(t, s, "1\n")
	if _, err := s.Close(t.Context(), "eof"); err != nil {
		t.Fatal(err)
	}
	if ids := m.Streams(); len(ids) != 1 || ids[0] != s.ID() {
		t.Errorf("streams %q, want %q alone", ids, s.ID())
	}
	if got := string(m.Raw(s.ID(), schema.Receive)); got != "{}\n[]\n1\n" {
		t.Errorf("raw %q", got)
	}
	for i, f := range m.Frames(s.ID()) {
		if f.Seq != uint64(i) {
			t.Errorf("frame %d has seq %d", i, f.Seq)
		}
	}
	state, ok := m.State(s.ID(), "s")
	if !ok || state.EndReason != "eof" || state.Frames != 3 {
		t.Errorf("state %+v %v", state, ok)
	}
}

func TestMemoryFaults(t *testing.T) {
	fault := errors.New("the publisher's fault")
	for name, set := range map[string]func(*ingesttest.Memory, error){
		"refused":   (*ingesttest.Memory).Refuse,
		"abandoned": (*ingesttest.Memory).Abandon,
	} {
		t.Run(name, func(t *testing.T) {
			var m ingesttest.Memory
			set(&m, fault)
			s := open(t, &m)
			record(t, s, "{}\n")
			if _, err := s.Close(t.Context(), "eof"); !errors.Is(err, fault) {
				t.Errorf("got %v, want the fault", err)
			}
			bounded.Wait(t, m.Wait)
			if got := m.Frames(s.ID()); len(got) != 0 {
				t.Errorf("kept %d frames", len(got))
			}
		})
	}
}

func TestMemoryDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m ingesttest.Memory
		m.Delay(time.Second)
		s := open(t, &m)
		record(t, s, "{}\n")
		began := time.Now()
		if _, err := s.Close(t.Context(), "eof"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("durable after %v, want 1s", took)
		}
	})
}

func TestMemoryStalls(t *testing.T) {
	var m ingesttest.Memory
	m.Stall()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := m.Publish(ctx, ingest.EncodedBlock{}, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stalled Publish returned %v", err)
	}
	s := open(t, &m)
	record(t, s, "{}\n")
	time.AfterFunc(50*time.Millisecond, m.Resume)
	began := time.Now()
	if _, err := s.Close(t.Context(), "eof"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 50*time.Millisecond {
		t.Errorf("closed after %v, before Resume", took)
	}
	if got := len(m.Frames(s.ID())); got != 1 {
		t.Errorf("%d frames, want 1", got)
	}
}
