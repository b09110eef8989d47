package block

import (
	"bytes"
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tapedeck/schema"
)

// anyFrames draws frames as streams have them: rising seqs with gaps, times
// that never fall, names that repeat, ids that count, jump or are text.
func anyFrames(t *rapid.T) []schema.Frame {
	names := rapid.SampledFrom([]string{"", "a", "message_chunk", "run-think-1", "ü", "0"})
	ids := rapid.OneOf(rapid.SampledFrom([]string{"", "0", "7", "007", "x"}), rapid.String())
	var seq uint64
	var at, event int64 = 1763683200_000000000, 0
	frames := make([]schema.Frame, rapid.IntRange(0, 40).Draw(t, "frames"))
	for i := range frames {
		seq += rapid.Uint64Range(1, 3).Draw(t, "seq step")
		at += rapid.Int64Range(0, 1e10).Draw(t, "gap")
		f := &frames[i]
		*f = schema.Frame{
			Seq: seq, At: at,
			Direction: schema.Direction(rapid.IntRange(0, 1).Draw(t, "direction")),
			Transport: schema.Transport(rapid.IntRange(0, 3).Draw(t, "transport")),
			Flags:     schema.Flags(rapid.SampledFrom([]uint32{0, 0, 0, 1, 64, 4095}).Draw(t, "flags")),
			Raw:       rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "raw"),
			Envelope: schema.Envelope{
				Type: names.Draw(t, "type"), Session: names.Draw(t, "session"), Run: names.Draw(t, "run"),
				Node: names.Draw(t, "node"), Agent: names.Draw(t, "agent"),
			},
		}
		if rapid.Bool().Draw(t, "counts") {
			event++
			f.EventID = strconv.FormatInt(event, 10)
		} else {
			f.EventID = ids.Draw(t, "id")
		}
		for range rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(t, "cuts") {
			f.Cuts = append(f.Cuts, schema.Cut{Offset: uint32(len(f.Cuts)), At: at - 5})
		}
	}
	return frames
}

func fullBlock(frames []schema.Frame) *Block {
	fact := schema.Fact{ID: "tool:1", Session: "s", Run: "r", Node: "n", Agent: "a", SeenAt: 5, SeenSeq: 6, Version: 7}
	return &Block{
		Tenant: "default", Session: "sess-1", Frames: frames,
		State: schema.StreamState{
			StreamID: "id", FirstSeq: 3, Transport: schema.SSE, Dialect: "loom", Evidence: "e", Source: "src",
			Tags: map[string]string{"a": "1", "b": ""}, Title: "t", FirstAt: 1, LastAt: 2, Frames: 3, Bytes: 4,
			Ended: 5, EndReason: "eof", Recorder: "r1", Digest: "d1", Key: "k1", DecoderVersion: 300, Redacted: map[string]uint64{"openai-key": 2, "jwt": 1}, Limits: `[{"name":"primary","used_percent":7,"at":1}]`, Counters: schema.Counters{NotJSON: 1, InvalidUTF8: 2, Oversize: 3, Unknown: 4, Lost: 5, Repeated: 6, Back: 7}, Version: 9,
		},
		Left: []Left{
			{Session: "sess-0", State: schema.StreamState{
				StreamID: "id", FirstSeq: 1, Transport: schema.SSE, Dialect: "loom", Tags: map[string]string{"a": "1"},
				FirstAt: 1, LastAt: 2, Frames: 2, Bytes: 4, Ended: 2, EndReason: "left", Recorder: "r1", Key: "k1", DecoderVersion: 2, Version: 5,
			}},
			{Session: "ü", State: schema.StreamState{StreamID: "id"}},
		},
		Facts: Facts{
			Spans: []schema.Span{{
				Fact: fact, Kind: schema.SpanTool, Parent: "p", Name: "read", Status: schema.StatusOK, Started: 1, Ended: 2,
				FirstToken: 3, Duration: 4, CallID: "c", Model: "m", Provider: "pr", Error: "e", Attributes: "{}",
			}},
			Messages: []schema.Message{{
				Fact: fact, Kind: schema.MessageUser, Span: "s", Name: "n", Text: "héllo", Media: "text", Complete: true,
				Started: 10, Ended: 20, ChunkAt: []int64{10, 20}, ChunkEnd: []uint32{2, 6}, Attributes: "[]",
			}},
			Usages: []schema.Usage{{
				Fact: fact, Scope: "call", Mode: schema.UsageAdd, At: 4, Span: "s", Model: "m", Provider: "p",
				Tokens: schema.Tokens{Input: 1, CacheRead: 2, CacheWrite5m: 3, CacheWrite1h: 4, Output: 5, Reasoning: 6}, Total: 21, Raw: "{}",
				Billing: schema.Billing{
					RequestedModel: "rm", ServiceTier: "flex", Speed: "fast", Region: "eu", Cost: "0.0125", Currency: "USD",
					RequestID: "req_1", MessageID: "msg_1",
					Parts: schema.TokenParts{
						Input: schema.Modalities{Text: 1, Audio: 2, Image: 3, Video: 4}, CacheRead: schema.Modalities{Text: 5, Audio: 6, Image: 7, Video: 8},
						Output: schema.Modalities{Text: 9, Audio: 10, Image: 11, Video: 12},
					},
					Tools: schema.ToolUses{WebSearches: 13, WebFetches: 14, CodeExecutions: 15},
				},
			}},
		},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, codec := range []Codec{Plain, S2, Zstd} {
		rapid.Check(t, func(t *rapid.T) {
			want := fullBlock(anyFrames(t))
			got, err := Decode(Encode(nil, want, codec))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("codec %d (-want +got):\n%s", codec, diff)
			}
		})
	}
}

// Parts that were left and the identity of a state are independent of each other.
func TestOptionalState(t *testing.T) {
	for _, left := range []bool{false, true} {
		for _, identity := range []bool{false, true} {
			want := fullBlock(nil)
			if !left {
				want.Left = nil
			}
			if !identity {
				want.State.Recorder, want.State.Digest, want.State.Key, want.State.DecoderVersion = "", "", "", 0
				want.State.Redacted, want.State.Limits = nil, ""
			}
			got, err := Decode(Encode(nil, want, Plain))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("left %v, identity %v (-want +got):\n%s", left, identity, diff)
			}
		}
	}
}

// The version of the decoders needs no identity, and an identity no version: a program from
// before the version writes none.
func TestDecoderVersion(t *testing.T) {
	for _, state := range []schema.StreamState{
		{StreamID: "id", DecoderVersion: 1 << 20}, {StreamID: "id", Recorder: "r"}, {StreamID: "id", Recorder: "r", DecoderVersion: 1},
		{StreamID: "id", Redacted: map[string]uint64{"jwt": 1}}, {StreamID: "id", Limits: "[]"},
	} {
		for _, left := range [][]Left{nil, {{Session: "s", State: state}}} {
			want := &Block{Session: "t", State: state, Left: left}
			got, err := Decode(Encode(nil, want, Plain))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
}

// A builder and a decoder are reused: nothing of one block may show in the next.
func TestReuse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder()
		defer b.Release()
		var d Decoder
		var got Block
		for range 3 {
			want := fullBlock(anyFrames(t))
			for i := range want.Frames {
				b.Add(&want.Frames[i])
			}
			if err := d.Decode(b.Encode(nil, want, S2), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, &got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
	})
}

// A builder that has met very many names is still right about an empty one.
func TestManyNames(t *testing.T) {
	b := NewBuilder()
	defer b.Release()
	for range 2 {
		want := fullBlock(nil)
		add := func(node string) {
			want.Frames = append(want.Frames, schema.Frame{Seq: uint64(len(want.Frames)), Envelope: schema.Envelope{Node: node}})
		}
		add("n1")
		for i := range 3000 {
			add("node " + strconv.Itoa(i))
		}
		add("n1")
		add("")
		for i := range want.Frames {
			b.Add(&want.Frames[i])
		}
		got, err := Decode(b.Encode(nil, want, S2))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func TestDamage(t *testing.T) {
	good := Encode(nil, fullBlock([]schema.Frame{{Raw: []byte("{}\n")}}), S2)
	later := bytes.Clone(good)
	later[3] = 4
	cases := map[string]struct {
		bytes []byte
		want  error
	}{
		"empty":         {nil, ErrFormat},
		"not a block":   {[]byte("{\"type\":\"message\"}"), ErrFormat},
		"cut short":     {good[:len(good)-1], ErrFormat},
		"one bit wrong": {append(bytes.Clone(good[:len(good)-1]), good[len(good)-1]^1), ErrFormat},
		"later version": {later, ErrVersion},
	}
	for name, c := range cases {
		if _, err := Decode(c.bytes); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

// Bodies are fuzzed behind the checksum, which would keep the fuzzer out.
func FuzzDecodeBody(f *testing.F) {
	whole := Encode(nil, fullBlock([]schema.Frame{
		{Raw: []byte("{}\n")}, {Seq: 1, Raw: []byte("x"), Cuts: []schema.Cut{{Offset: 1, At: 0}}},
	}), Plain)
	f.Add(whole[headSize:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		var blk Block
		if err := decodeBody(body, &blk, MaxBody); err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error is not ErrFormat: %v", err)
			}
			return
		}
		// What can be read can be written and read again, to the same block.
		again, err := Decode(Encode(nil, &blk, S2))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&blk, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-first +again):\n%s", diff)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	blk := benchBlock()
	builder := NewBuilder()
	var dst []byte
	b.SetBytes(int64(len(blk.Frames) * len(blk.Frames[0].Raw)))
	b.ReportAllocs()
	for b.Loop() {
		for i := range blk.Frames {
			builder.Add(&blk.Frames[i])
		}
		dst = builder.Encode(dst[:0], blk, S2)
	}
	b.ReportMetric(float64(len(blk.Frames))*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

func BenchmarkDecode(b *testing.B) {
	src := benchBlock()
	data := Encode(nil, src, S2)
	var d Decoder
	var blk Block
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Decode(data, &blk); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(src.Frames))*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

func benchBlock() *Block {
	blk := &Block{Tenant: "default", Session: "sess-000001", State: schema.StreamState{StreamID: schema.NewStreamID()}}
	for i := range 1000 {
		id := strconv.Itoa(i + 1)
		blk.Frames = append(blk.Frames, schema.Frame{
			Seq: uint64(i), At: int64(i) * 1000,
			Raw: []byte(`{"session_id":"sess-000001","node_id":"run-think-0","event_id":` + id +
				`,"type":"message_chunk","content":" tokens","id":"think"}` + "\n"),
			Envelope: schema.Envelope{Type: "message_chunk", Session: "sess-000001", Node: "run-think-0", EventID: id},
		})
	}
	return blk
}
