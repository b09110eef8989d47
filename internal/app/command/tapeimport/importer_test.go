package tapeimport

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"testing"

	"tapedeck/ingest"
	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// partsTape returns a stream in two parts, of which the second runs.
func partsTape(t *testing.T, frames int) ([]byte, []schema.StreamState, []schema.Frame) {
	t.Helper()
	tape := &replaytest.Tape{}
	s := tape.Stream(schema.NDJSON, "loom")
	for i := range frames {
		if i == frames/2 {
			s.Skip(100)
		}
		s.Add(0, string(rune('a'+i%26))+"\n")
	}
	whole := tape.Streams()[0]
	first, second := whole, whole
	half := uint64(frames / 2)
	first.Frames, first.Version, first.EndReason, first.Bytes = half, 2*half+1, "left", 2*half
	second.FirstSeq, second.Frames, second.Bytes = half+100, uint64(frames)-half, 2*(uint64(frames)-half)
	second.Ended, second.EndReason, second.Version = 0, "", whole.Version-1
	second.Counters.Lost, second.Title = 3, "title"
	parts := []schema.StreamState{first, second}
	var b bytes.Buffer
	w, err := tapefile.NewWriter(&b)
	if err == nil {
		err = w.Begin("s", parts)
	}
	var all []schema.Frame
	for _, f := range tape.Frames() {
		all = append(all, f.Frame)
		if err == nil {
			err = w.Add(&replay.Frame{Frame: f.Frame, Stream: &whole})
		}
	}
	if err == nil {
		err = w.Facts([]block.Block{{State: second, Facts: block.Facts{Usages: []schema.Usage{{Fact: schema.Fact{ID: "u", Version: 9}}}}}})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), parts, all
}

// imports returns the blocks that an import publishes.
func imports(t *testing.T, tape []byte, rename string) (blocks []*block.Block, im *Importer, err error) {
	t.Helper()
	im = New("tenant", rename, nil)
	im.publish = func(_ context.Context, p ingest.EncodedBlock) error {
		b, err := block.Decode(p.Data)
		if err == nil && (b.Session != p.Session || b.Tenant != p.Tenant || len(b.Frames) != p.Frames) {
			t.Errorf("a block of %s %s with %d frames holds %s %s with %d", p.Tenant, p.Session, p.Frames, b.Tenant, b.Session, len(b.Frames))
		}
		blocks = append(blocks, b)
		return err
	}
	err = im.read(t.Context(), bytes.NewReader(tape))
	return blocks, im, err
}

// Frames come with the part that they belong to, states count up to them, and no two
// different states of a part have one version.
func TestImportParts(t *testing.T) {
	tape, parts, want := partsTape(t, 9000)
	blocks, im, err := imports(t, tape, "other")
	if err != nil {
		t.Fatal(err)
	}
	type version struct{ first, version uint64 }
	states := map[version]schema.StreamState{}
	last := map[uint64]schema.StreamState{}
	count := map[uint64]uint64{}
	var got []schema.Frame
	facts := 0
	for _, b := range blocks {
		st := b.State
		if b.Session != "other" || b.Tenant != "tenant" {
			t.Fatalf("a block of %s %s", b.Tenant, b.Session)
		}
		if before, ok := states[version{st.FirstSeq, st.Version}]; ok && !reflect.DeepEqual(before, st) {
			t.Errorf("version %d of part %d is\n%+v and\n%+v", st.Version, st.FirstSeq, before, st)
		}
		states[version{st.FirstSeq, st.Version}] = st
		if st.Version < last[st.FirstSeq].Version {
			t.Errorf("version %d after %d", st.Version, last[st.FirstSeq].Version)
		}
		last[st.FirstSeq] = st
		if count[st.FirstSeq] += uint64(len(b.Frames)); st.Frames != count[st.FirstSeq] {
			t.Errorf("a state counts %d frames, %d came", st.Frames, count[st.FirstSeq])
		}
		got = append(got, b.Frames...)
		facts += b.Facts.Len()
	}
	for _, p := range parts {
		if p.Ended == 0 {
			p.Recorder = importedRecorder // which is never alive
		}
		if !reflect.DeepEqual(last[p.FirstSeq], p) {
			t.Errorf("part %d ends as\n%+v, want\n%+v", p.FirstSeq, last[p.FirstSeq], p)
		}
	}
	if !reflect.DeepEqual(got, want) || facts != 1 {
		t.Errorf("%d frames and %d facts, want %d and 1", len(got), facts, len(want))
	}
	if s := im.Sessions[0]; s.ID != "other" || s.Frames != 9000 || s.Streams != 1 || s.Facts != 1 || s.Missing != 0 || s.Title != "title" {
		t.Errorf("summary: %+v", s)
	}
}

// Of a tape that was cut the parts end where their frames do, with a version below
// the one of the whole.
func TestImportCut(t *testing.T) {
	tape, parts, want := partsTape(t, 9000)
	for _, n := range []int{len(tape) / 3, len(tape) / 2, len(tape) * 3 / 4} {
		blocks, im, err := imports(t, tape[:n], "")
		if !errors.Is(err, tapefile.ErrCut) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		last := map[uint64]schema.StreamState{}
		var got []schema.Frame
		for _, b := range blocks {
			last[b.State.FirstSeq] = b.State
			got = append(got, b.Frames...)
		}
		if len(got) == 0 || !reflect.DeepEqual(got, want[:len(got)]) || im.Sessions[0].Missing != uint64(len(want)-len(got)) {
			t.Errorf("cut at %d: %d frames, summary %+v", n, len(got), im.Sessions[0])
		}
		for _, p := range parts {
			st, came := last[p.FirstSeq]
			if whole := reflect.DeepEqual(st, p); came && !whole && (st.Ended == 0 || st.EndReason == "" || st.Version >= p.Version) {
				t.Errorf("cut at %d: part %d ends as\n%+v", n, p.FirstSeq, st)
			}
		}
	}
}
