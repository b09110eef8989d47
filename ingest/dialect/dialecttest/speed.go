package dialecttest

import (
	"runtime"
	"testing"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// Bench decodes frames repeatedly, as the recorder does, and reports frames per second, unframing
// and parsing included. The frames must be a stream that is valid when it is repeated.
func Bench(b *testing.B, d dialect.Dialect, frames []schema.Frame) {
	size := 0
	for i := range frames {
		size += len(frames[i].Raw)
	}
	b.SetBytes(int64(size / len(frames)))
	b.ReportAllocs()
	f := newFeed(d)
	facts := 0
	for n := 0; b.Loop(); n++ {
		f.feed(&frames[n%len(frames)])
		if n%1024 == 1023 {
			facts += f.take()
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
	b.ReportMetric(float64(facts)/float64(b.N), "facts/frame")
}

// feed is a decoder with the state that the recorder keeps for it.
type feed struct {
	decoder dialect.Decoder
	emitter *dialect.Emitter
	parser  fastjson.Parser
	scratch []byte
	seq     uint64
	frame   schema.Frame
}

func newFeed(d dialect.Dialect) *feed {
	return &feed{decoder: d.New(StreamID), emitter: dialect.NewEmitter(StreamID)}
}

// feed decodes a frame, a millisecond after the previous one.
func (f *feed) feed(frame *schema.Frame) {
	f.frame = *frame
	f.frame.Seq, f.frame.At = f.seq, Start+int64(f.seq)*1e6
	f.seq++
	var content schema.Content
	content, f.scratch = schema.Unframe(&f.frame, f.scratch)
	in := dialect.Input{Frame: &f.frame, Data: content.Data, Event: content.Event, ID: content.ID}
	if content.Empty {
		in.Data = nil
	} else if wellformed.JSON(in.Data) {
		in.JSON, _ = f.parser.ParseBytes(in.Data)
	}
	f.decoder.Decode(&in, f.emitter)
}

// take discards the facts.
func (f *feed) take() int {
	facts, _ := f.emitter.Take(f.frame.At, true)
	f.emitter.TakeTitles()
	f.emitter.TakeLost()
	return facts.Len()
}

// IdleLimit bounds the memory of a silent stream, bytes.
const IdleLimit = 8 << 10

// Idle checks that a decoder holds less than IdleLimit after it has read the frames a number of
// times. The frames must end between messages, as a growing text is held. One decoder reads the
// frames before the heap is measured, so that what the packages allocate once does not count.
func Idle(t *testing.T, d dialect.Dialect, frames []schema.Frame, times int) {
	t.Helper()
	const streams = 40
	read := func() dialect.Decoder {
		f := newFeed(d)
		for range times {
			for i := range frames {
				f.feed(&frames[i])
			}
			f.take()
		}
		return f.decoder
	}
	kept := make([]dialect.Decoder, 0, 1+streams)
	kept = append(kept, read())
	before := heap()
	for range streams {
		kept = append(kept, read())
	}
	each := (int64(heap()) - int64(before)) / streams
	t.Logf("%d bytes for each of %d decoders", each, streams)
	if each > IdleLimit {
		t.Errorf("an idle decoder takes %d bytes, more than %d", each, IdleLimit)
	}
	if each <= 0 {
		t.Errorf("the heap shrank by %d bytes for each decoder: the measurement is wrong", -each)
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(frames)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
