package clickhouse

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tapedeck/replay"
	"tapedeck/schema"
)

// unpackAll returns the frames of all chunks, each chunk in a page of its own.
func unpackAll(p *packed) (all []replay.Frame, err error) {
	for p.left() > 0 {
		into := &page{}
		if err := p.unpack(into); err != nil {
			return all, err
		}
		all = append(all, into.frames...)
	}
	return all, nil
}

// What is packed comes out as it went in, whatever it is.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	streams := []*schema.StreamState{{StreamID: "a"}, {StreamID: "b"}, {StreamID: "c"}}
	word := func() string { return []string{"", "x", "it's \x00 a type", "run-123"}[r.IntN(4)] }
	for _, n := range []int{0, 1, chunkFrames, chunkFrames + 1, 10 * chunkFrames} {
		frames := make([]replay.Frame, n)
		for i := range frames {
			f := &frames[i]
			f.Stream = streams[r.IntN(3)]
			f.Seq, f.At = r.Uint64(), int64(r.Uint64())
			f.Direction, f.Transport, f.Flags = schema.Direction(r.IntN(2)), schema.Transport(r.IntN(4)), schema.Flags(r.Uint32())
			f.Envelope = schema.Envelope{Type: word(), Session: word(), Run: word(), Node: word(), Agent: word(), EventID: word()}
			f.Raw = make([]byte, r.IntN(300))
			for j := range f.Raw {
				f.Raw[j] = byte(r.Uint32())
			}
			if r.IntN(5) == 0 {
				f.At &= 1<<62 - 1
				f.Cuts = []schema.Cut{{Offset: 1, At: f.At - 5000}, {Offset: 7, At: f.At - 1000}}
			}
		}
		k := &packer{}
		for range 2 { // the memory for packing is used again
			got, err := unpackAll(k.pack(frames, streams))
			if err != nil {
				t.Fatalf("%d frames: %v", n, err)
			}
			if err := same(got, frames, false); err != nil {
				t.Errorf("%d frames: %v", n, err)
			}
		}
	}
}

// Damage is an error, and no panic.
func FuzzUnpack(f *testing.F) {
	streams := []*schema.StreamState{{StreamID: "a"}}
	frame := replay.Frame{Stream: streams[0], Frame: schema.Frame{Raw: []byte("{}\n"), Cuts: []schema.Cut{{Offset: 1}}}}
	k := &packer{}
	k.pack([]replay.Frame{frame, frame}, streams)
	f.Add(k.plain)
	f.Fuzz(func(t *testing.T, plain []byte) {
		r := plainReader{left: plain}
		before := &replay.Frame{}
		for len(r.left) > 0 {
			var f replay.Frame
			if r.frame(&f, before, streams) != nil {
				return
			}
			before = &f
		}
	})
}

// BenchmarkPack packs and unpacks frames like those of a paced session.
func BenchmarkPack(b *testing.B) {
	stream := &schema.StreamState{StreamID: "0196b3a0-0000-7000-8000-000000000001"}
	frames, plain := make([]replay.Frame, pageRows), 0
	for i := range frames {
		f := &frames[i]
		*f = replay.Frame{Stream: stream}
		f.Seq, f.At = uint64(i), int64(i)*20e6+rand.Int64N(19e6)
		f.Envelope = schema.Envelope{
			Type: "message_chunk", Session: "many-17", Run: fmt.Sprintf("run-%d", i/1000), Node: fmt.Sprintf("run-%d-think-%d", i/1000, i/100),
			Agent: "react", EventID: fmt.Sprint(i + 1),
		}
		f.Raw = fmt.Appendf(nil, `{"session_id":"%s","node_id":"%s","event_id":%d,"type":"%s","content":" %016x","id":"think"}`+"\n",
			f.Session, f.Node, i+1, f.Type, rand.Uint64())
		plain += len(f.Raw)
	}
	k, into := &packer{}, &page{}
	var held int
	for b.Loop() {
		p := k.pack(frames, []*schema.StreamState{stream})
		held = 0
		for _, c := range p.chunks {
			held += len(c.bytes)
		}
		for p.left() > 0 {
			if err := p.unpack(into); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.SetBytes(int64(plain))
	b.ReportMetric(float64(held)/pageRows, "B/frame")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pageRows), "ns/frame")
}
