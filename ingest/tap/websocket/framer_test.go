package websocket

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/flate"

	"tapedeck/internal/contentcoding"
	"tapedeck/schema"
)

// wire builds frames of the protocol byte by byte.
type wire struct {
	bytes.Buffer
	masked bool
}

const (
	text, bin, cont, closing, ping, pong = 1, 2, 0, 8, 9, 10
	fin, rsv1                            = 0x80, 0x40
)

func (w *wire) frame(first byte, payload []byte) *wire {
	w.WriteByte(first)
	mask := byte(0)
	if w.masked {
		mask = 0x80
	}
	switch n := len(payload); {
	case n < 126:
		w.WriteByte(mask | byte(n))
	case n < 65536:
		w.WriteByte(mask | 126)
		w.Write(binary.BigEndian.AppendUint16(nil, uint16(n)))
	default:
		w.WriteByte(mask | 127)
		w.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
	}
	payload = slices.Clone(payload)
	if w.masked {
		key := binary.BigEndian.AppendUint32(nil, rand.Uint32())
		w.Write(key)
		for i := range payload {
			payload[i] ^= key[i%4]
		}
	}
	w.Write(payload)
	return w
}

func (w *wire) say(first byte, payload string) *wire { return w.frame(first, []byte(payload)) }

// want is what is looked at of a frame.
type want struct {
	Raw   string
	Flags schema.Flags
	Cuts  []schema.Cut
}

// collect cuts reads, one at each time 1, 2, 3 …
func collect(t *testing.T, c *Framer, reads ...[]byte) []want {
	t.Helper()
	var got []want
	at := int64(0)
	emit := func(f *schema.Frame) error {
		if want := min(at, int64(len(reads))); f.At != want {
			t.Errorf("frame %q arrived at %d, not at %d", f.Raw, f.At, want)
		}
		if c.broken && !c.message.open && f.Transport == schema.HTTP {
			got = append(got, want{Raw: "after: " + string(f.Raw), Flags: f.Flags})
			return nil
		}
		if f.Transport != schema.WebSocket {
			t.Errorf("frame %q has transport %v", f.Raw, f.Transport)
		}
		got = append(got, want{string(f.Raw), f.Flags, slices.Clone(f.Cuts)})
		return nil
	}
	for _, p := range reads {
		at++
		if err := c.Split(p, at, emit); err != nil {
			t.Fatal(err)
		}
	}
	at++
	if err := c.End(at, emit); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCutter(t *testing.T) {
	long := strings.Repeat("0123456789", 7000)
	const joined, unterminated, oversize = schema.FlagJoined, schema.FlagUnterminated, schema.FlagOversize
	for _, tc := range []struct {
		name  string
		limit int
		wire  func(w *wire)
		cuts  []int // where reads end; nil for one read
		want  []want
	}{
		{"text and binary", 100, func(w *wire) { w.say(fin|text, "hello").say(fin|bin, "\x00\xff").say(fin|text, "") }, nil,
			[]want{{Raw: "hello"}, {Raw: "\x00\xff", Flags: schema.FlagBinary | schema.FlagNUL | schema.FlagInvalidUTF8 | joined}, {Flags: joined}}},
		{"not UTF-8", 100, func(w *wire) { w.say(fin|text, "a\xc3") }, nil, []want{{Raw: "a\xc3", Flags: schema.FlagInvalidUTF8}}},
		{"lengths of 2 and of 8 bytes", 1 << 20, func(w *wire) { w.say(fin|text, long[:126]).say(fin|text, long) }, nil,
			[]want{{Raw: long[:126]}, {Raw: long, Flags: joined}}},
		{"fragments with a ping between", 100, func(w *wire) { w.say(text, "a").say(fin|ping, "are you there").say(cont, "b").say(fin|cont, "c") }, nil,
			[]want{{Raw: "abc"}}},
		{"reads that end inside", 100, func(w *wire) { w.say(fin|text, "abcdef").say(fin|text, "x") }, []int{2 + 2, 2 + 4},
			[]want{{Raw: "abcdef", Cuts: []schema.Cut{{Offset: 2, At: 1}, {Offset: 4, At: 2}}}, {Raw: "x", Flags: joined}}},
		{"a read that ends inside a header", 100, func(w *wire) { w.say(fin|text, "ab") }, []int{1}, []want{{Raw: "ab"}}},
		{"just the limit", 6, func(w *wire) { w.say(fin|text, "abcdef") }, nil, []want{{Raw: "abcdef"}}},
		{"over the limit", 4, func(w *wire) { w.say(text, "abcdef").say(fin|cont, "ghi").say(fin|text, "z") }, nil,
			[]want{{Raw: "abcd", Flags: oversize}, {Raw: "efgh", Flags: oversize | joined}, {Raw: "i", Flags: oversize | joined}, {Raw: "z", Flags: joined}}},
		{"over the limit, in a character", 4, func(w *wire) { w.say(fin|bin, "abcäd") }, nil,
			[]want{{Raw: "abc\xc3", Flags: schema.FlagBinary | oversize}, {Raw: "\xa4d", Flags: schema.FlagBinary | oversize | joined}}},
		{"cut off", 100, func(w *wire) { w.say(fin|text, "whole").say(text, "half") }, nil,
			[]want{{Raw: "whole"}, {Raw: "half", Flags: unterminated | joined}}},
		{"cut off before anything came", 100, func(w *wire) { w.say(text, "") }, nil, nil},
		{"a message inside a message", 100, func(w *wire) { w.say(text, "one").say(fin|text, "two").say(fin|cont, "three") }, nil,
			[]want{{Raw: "one", Flags: unterminated}, {Raw: "two", Flags: joined}, {Raw: "three", Flags: joined}}},
		{"an opcode that is none", 100, func(w *wire) { w.say(fin|5, "odd") }, nil, []want{{Raw: "odd", Flags: schema.FlagBinary}}},
	} {
		for _, masked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, masked %t", tc.name, masked), func(t *testing.T) {
				w := &wire{masked: masked}
				tc.wire(w)
				reads := [][]byte{w.Bytes()}
				if tc.cuts != nil {
					reads = nil
					from := 0
					for _, to := range append(tc.cuts, w.Len()) {
						if masked && to > 1 && to < w.Len() {
							to += 4 // after the key
						}
						reads, from = append(reads, w.Bytes()[from:to]), to
					}
				}
				got := collect(t, NewFramer(tc.limit, nil), reads...)
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestCutterClose(t *testing.T) {
	for _, tc := range []struct {
		payload string
		code    int
		reason  string
		end     string
	}{
		{"\x03\xe8", 1000, "", "closed"},
		{"\x03\xe9going", 1001, "going", "closed"},
		{"", 1005, "", "closed"},
		{"\x03\xf3it broke", 1011, "it broke", "error: closed with 1011 it broke"},
		{"\x0f\xa0\xff", 4000, "\xff", "error: closed with 4000 \uFFFD"},
	} {
		c := NewFramer(100, nil)
		if got := collect(t, c, new(wire).say(fin|closing, tc.payload).Bytes()); got != nil {
			t.Errorf("a close frame became %v", got)
		}
		code, reason, ok := c.Closed()
		if !ok || code != tc.code || reason != tc.reason || EndReason(code, reason) != tc.end {
			t.Errorf("%q: %d %q %t, %q", tc.payload, code, reason, ok, EndReason(code, reason))
		}
	}
	if _, _, ok := NewFramer(100, nil).Closed(); ok {
		t.Error("closed, and no close frame came")
	}
}

func TestCutterBroken(t *testing.T) {
	w := new(wire).say(text, "begun")
	w.Write([]byte{fin | text, 127, 0x80, 0, 0, 0, 0, 0, 0, 0})
	w.WriteString("whatever")
	got := collect(t, NewFramer(100, nil), w.Bytes(), []byte("and on"))
	if diff := cmp.Diff([]want{
		{Raw: "begun", Flags: schema.FlagUnterminated},
		{Raw: "after: whatever"}, {Raw: "after: and on"},
	}, got); diff != "" {
		t.Error(diff)
	}
}

// Compressed messages of one connection, which refer to one another, between
// some that are not compressed.
func TestCutterDeflate(t *testing.T) {
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, 6)
	if err != nil {
		t.Fatal(err)
	}
	pack := func(s string) []byte {
		packed.Reset()
		fmt.Fprint(z, s)
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
		return bytes.TrimSuffix(packed.Bytes(), deflateTail)
	}
	w := &wire{masked: true}
	var wants []want
	for i := range 20 {
		s := fmt.Sprintf(`{"type":"usage","event_id":%d,"prompt_tokens":%d}`, i, i*i)
		p := pack(s)
		switch i % 3 {
		case 0:
			w.frame(fin|rsv1|text, p)
		case 1:
			w.frame(rsv1|text, p[:3]).say(fin|ping, "").frame(cont, p[3:5]).frame(fin|cont, p[5:])
		default:
			w.frame(fin|rsv1|text, p).say(fin|text, "plain")
		}
		wants = append(wants, want{Raw: s})
		if i%3 == 2 {
			wants = append(wants, want{Raw: "plain"})
		}
	}
	got := collect(t, NewFramer(1000, contentcoding.NewMessages()), w.Bytes())
	for i := range got {
		got[i].Flags &^= schema.FlagJoined
	}
	if diff := cmp.Diff(wants, got); diff != "" {
		t.Error(diff)
	}
}

func TestCutterDeflateBroken(t *testing.T) {
	w := new(wire).say(fin|rsv1|text, "\xff\xff no deflate").say(fin|text, "on").say(fin|rsv1|text, "raw")
	got := collect(t, NewFramer(1000, contentcoding.NewMessages()), w.Bytes())
	if diff := cmp.Diff([]want{
		{Raw: "\xff\xff no deflate", Flags: schema.FlagBinary | schema.FlagInvalidUTF8},
		{Raw: "on", Flags: schema.FlagJoined}, {Raw: "raw", Flags: schema.FlagJoined},
	}, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever the bytes are and wherever reads end: no panic, and the same frames.
func FuzzCutter(f *testing.F) {
	f.Add(new(wire).say(text, "a").say(fin|ping, "p").say(fin|cont, "b").Bytes(), uint16(3), false)
	f.Add((&wire{masked: true}).say(fin|bin, "\x00\x01").say(fin|closing, "\x03\xe8").Bytes(), uint16(1), true)
	f.Add([]byte{fin | text, 127, 0xff, 0, 0, 0, 0, 0, 0, 0, 'x'}, uint16(5), true)
	f.Fuzz(func(t *testing.T, p []byte, cut uint16, compressed bool) {
		run := func(reads ...[]byte) (raws []string) {
			var inflater Inflater
			if compressed {
				inflater = contentcoding.NewMessages()
			}
			c := NewFramer(16, inflater)
			size := 0
			emit := func(f *schema.Frame) error {
				size += len(f.Raw)
				if size > 1<<20 {
					return errUntil // a bomb
				}
				raws = append(raws, string(f.Raw))
				last := uint32(0)
				for _, cut := range f.Cuts {
					if cut.Offset <= last || int(cut.Offset) >= len(f.Raw) {
						t.Fatalf("cuts %v of %d bytes", f.Cuts, len(f.Raw))
					}
					last = cut.Offset
				}
				return nil
			}
			for _, p := range reads {
				if c.broken || c.Split(p, 1, emit) != nil {
					break
				}
			}
			_ = c.End(1, emit)
			if c.broken {
				return nil // what follows are pieces as they came
			}
			return raws
		}
		at := min(int(cut), len(p))
		if one, two := run(p), run(p[:at], p[at:]); !compressed && !slices.Equal(one, two) {
			t.Fatalf("%q in one read, %q in two", one, two)
		}
	})
}
