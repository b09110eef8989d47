package redact

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tapedeck/schema"
)

// layouts are frames with a place for a number and one for a text.
var layouts = []string{
	`{"session_id":"run-1","node_id":"think","event_id":%[1]d,"type":"chunk","content":"%[2]s","id":"m1"}`,
	`{"type":"x","nested":{"id":"a","list":["u","%[2]s",{"id":4,"n":%[1]d}],"text":"t"},"id":"b","text":"long text, with a comma"}`,
	"event: delta\nid: %[1]d\ndata: {\"index\":0,\"delta\":{\"text\":\"%[2]s\"},\"text\":\"skip_\"}\n\n",
	`{"a":"1","b":"2"}{"c":"%[1]d","d":"%[2]s","id":7}`,
	`{"session_id":"sess-000017","node_id":"ghp_a","n":%[1]d,"run_id": "sk-proj-x","content":"%[2]s"}`,
	`["one","%[2]s",%[1]d.5,{"id":"3","x":"y"},"end"]`,
	`{"a":"b","c":}]},"d":"%[1]d","url":"gho-t:/","f":"%[2]s"}`,
	`{"key":"gh%[2]s","n":-%[1]de5,"token":"p_","s":"%[2]s`,
	`%[1]d:"%[2]s"`,
	`plain text %[2]s`,
}

// pieces are parts of texts: words, and parts of secrets and of their keywords.
var pieces = []string{"", "", "a", " hello", `a \"quote\"`, `\\`, `\u0041`, "g", "h", "gh", "ghp_", "p_", "hp_16C7e42F292c6912E7710c838347Ae178B4a", "sess-", `"},{"session_id":"sess-`, "16C7e42F292c6912E7710c838347Ae178B4a",
	"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "sk", "-proj-", "AKIA", "AKIAIOSFODNN7EXAMPLE", ":", "//user:pass", "word@host", "%41", "é"}

func randomFrame(random *rand.Rand, layout string) *schema.Frame {
	f := frameOf(random, layout)
	if random.IntN(8) == 0 { // another byte somewhere
		f.Raw[random.IntN(len(f.Raw))] = `",:{}[]\a1 g-`[random.IntN(13)]
	}
	return f
}

// frameOf returns a frame of a layout with random texts.
func frameOf(random *rand.Rand, layout string) *schema.Frame {
	text := ""
	for range random.IntN(3) {
		text += pieces[random.IntN(len(pieces))]
	}
	f := &schema.Frame{Transport: schema.HTTP, Raw: fmt.Appendf(nil, layout, random.IntN(200), text)}
	if bytes.HasPrefix(f.Raw, []byte("event:")) {
		f.Transport = schema.SSE
	}
	f.Direction = schema.Direction(random.IntN(20) / 19)
	return f
}

// Of a frame that fits a layout, a walk finds the same texts, and no secret begins in it.
func TestLayout(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	engine := Default()
	m, fresh := engine.NewMasker(), engine.NewMasker()
	fitted := map[string]int{}
	layout := layouts[0]
	for i := range 200_000 {
		if random.IntN(12) == 0 {
			layout = layouts[random.IntN(len(layouts))]
		}
		f := randomFrame(random, layout)
		clean := engine.prefilter.clean(&fresh.machine, f.Raw, 0)
		fresh.walker.walk(f, clean)
		if ok, from := m.layout.fits(m, f); !ok {
			if engine.prefilter.clean(&fresh.machine, f.Raw, from) != clean {
				t.Fatalf("frame %d: %s\nclean: %v, not the same from byte %d on", i, f.Raw, clean, from)
			}
			if clean {
				m.layout.learn(engine.prefilter, f, &fresh.walker)
			}
			continue
		}
		fitted[layout]++
		if !clean || !slices.Equal(m.walker.leaves, fresh.walker.leaves) || m.walker.identity != fresh.walker.identity {
			t.Fatalf("frame %d: %s\nclean: %v\nwant %v, %x\ngot  %v, %x", i, f.Raw, clean, fresh.walker.leaves, fresh.walker.identity, m.walker.leaves, m.walker.identity)
		}
	}
	for _, layout := range layouts[:7] {
		if fitted[layout] < 500 {
			t.Errorf("%d frames fit %s: the test compares too few", fitted[layout], layout)
		}
	}
}

// What is masked does not depend on layouts.
func TestMaskedWithLayouts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	masked := 0
	for range 3000 {
		with, without := Default().NewMasker(), Default().NewMasker()
		var got, want []string
		layout := layouts[random.IntN(len(layouts))]
		for range 40 {
			f := randomFrame(random, layout)
			f.Raw = bytes.Clone(f.Raw)
			g := *f
			g.Raw = bytes.Clone(f.Raw)
			with.Push(f, func(f *schema.Frame) { got = append(got, string(f.Raw)) })
			without.layout.learnt = false
			without.Push(&g, func(f *schema.Frame) { want = append(want, string(f.Raw)) })
		}
		with.End(func(f *schema.Frame) { got = append(got, string(f.Raw)) })
		without.End(func(f *schema.Frame) { want = append(want, string(f.Raw)) })
		if !slices.Equal(got, want) {
			t.Fatalf("want %q\ngot  %q", want, got)
		}
		masked += len(with.Counts())
	}
	if masked < 100 {
		t.Errorf("%d secrets: the test masks too few", masked)
	}
}

// What is masked does not depend on the prefilter either: a masker with a rule for a path, which none
// of the frames has, looks at each text.
func TestMaskedWithoutPrefilter(t *testing.T) {
	slow, err := New(Options{Paths: []Path{{"unused", "no.such.path"}}})
	if err != nil {
		t.Fatal(err)
	}
	fast, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	masked := 0
	for range 3000 {
		with, without := fast.NewMasker(), slow.NewMasker()
		var got, want []string
		layout := layouts[random.IntN(len(layouts))]
		for range 40 {
			f := frameOf(random, layout)
			g := *f
			g.Raw = bytes.Clone(f.Raw)
			with.Push(f, func(f *schema.Frame) { got = append(got, string(f.Raw)) })
			without.Push(&g, func(f *schema.Frame) { want = append(want, string(f.Raw)) })
		}
		with.End(func(f *schema.Frame) { got = append(got, string(f.Raw)) })
		without.End(func(f *schema.Frame) { want = append(want, string(f.Raw)) })
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("frame %d after %q:\nwant %s\ngot  %s", i, want[max(i-3, 0):i], want[i], got[i])
			}
		}
		masked += len(with.Counts())
	}
	if masked < 100 {
		t.Errorf("%d secrets: the test masks too few", masked)
	}
}

func FuzzLayout(f *testing.F) {
	for _, layout := range layouts {
		line := bytes.ReplaceAll([]byte(layout), []byte("\n"), []byte("\r"))
		f.Add(fmt.Appendf(nil, string(bytes.Repeat(append(line, '\n'), 5)), 1, " word"), uint8(0))
		f.Add(fmt.Appendf(nil, string(bytes.Repeat(append(line, '\n'), 5)), 12, "gh"), uint8(1))
	}
	e, err := New(Options{Personal: Personal, Declared: []Declared{{"X", "abcabc"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		with, without := e.NewMasker(), e.NewMasker()
		var got, want []string
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			f := schema.Frame{Transport: schema.Transport(kind % 5), Direction: schema.Direction(kind / 128), Raw: bytes.Clone(line)}
			g := f
			g.Raw = bytes.Clone(line)
			with.Push(&f, func(f *schema.Frame) { got = append(got, string(f.Raw)) })
			without.layout.learnt = false
			without.Push(&g, func(f *schema.Frame) { want = append(want, string(f.Raw)) })
		}
		with.End(func(f *schema.Frame) { got = append(got, string(f.Raw)) })
		without.End(func(f *schema.Frame) { want = append(want, string(f.Raw)) })
		if !slices.Equal(got, want) {
			t.Fatalf("want %q\ngot  %q", want, got)
		}
	})
}
