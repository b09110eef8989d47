package copier_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, m *ingesttest.Memory, transport schema.Transport) *ingest.Stream {
	t.Helper()
	s, err := ingest.NewRecorder(m, ingest.Settings{}).Open(ingest.StreamOptions{Session: "s", Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestByFirstBytes(t *testing.T) {
	for _, tc := range []struct {
		head string
		want schema.Transport
		sure bool
	}{
		{"", schema.NDJSON, false},
		{"\x00", schema.NDJSON, false},
		{"\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2\x48", schema.NDJSON, false},
		{"\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2\x48\xeb", schema.EventStream, true},
		{"\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2\x48\xec\n{", schema.NDJSON, true},
		// A message of an event stream whose first 12 bytes are damaged. The length of its first
		// header's name is a carriage return, so what follows it looks like a comment of SSE.
		{"\x00\x00\x00\x80\x00\x00\x00\x57\x6d\x00\xec\x8b\r:content-type", schema.NDJSON, true},
		{"\xff\x00\x00\x80\r:content-type", schema.NDJSON, true},
		{" \r\n", schema.NDJSON, false},
		{"\xef\xbb", schema.NDJSON, false},
		{"\xef\xbb\xbf", schema.NDJSON, false},
		{"da", schema.NDJSON, false},
		{"{", schema.NDJSON, true},
		{"\xef\xbb\xbf\n {", schema.NDJSON, true},
		{"data", schema.NDJSON, false},
		{"data:", schema.SSE, true},
		{"\xef\xbb\xbfid: 1", schema.SSE, true},
		{"event: x", schema.SSE, true},
		{"retry:1", schema.SSE, true},
		{": ping", schema.SSE, true},
		{"\r\n\r\n:", schema.SSE, true},
		{"database", schema.NDJSON, false},
		{"plain text", schema.NDJSON, false},
		{"12", schema.NDJSON, false},
		{"12\r", schema.NDJSON, true},
		{"plain text\n{", schema.NDJSON, true},
		{"HTTP/1.1 200 OK\r\nDate: now\r\n\r\ndata: ", schema.SSE, true},
		{"## heading\rid: 1", schema.SSE, true},
		{"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\ndata: 1", schema.SSE, true},
		{"a\n\nb\nc\nd\ne\nf\ng\nh", schema.NDJSON, false},
		{"a\n\nb\nc\nd\ne\nf\ng\nh\n", schema.NDJSON, true},
	} {
		if got, sure := copier.ByFirstBytes([]byte(tc.head)); got != tc.want || sure != tc.sure {
			t.Errorf("ByFirstBytes(%q) = %v %v, want %v %v", tc.head, got, sure, tc.want, tc.sure)
		}
	}
}

func FuzzByFirstBytes(f *testing.F) {
	for _, s := range []string{"data: 1\n", "\xef\xbb\xbf:", "{}", "\n\nre", "id:"} {
		f.Add([]byte(s), 2)
	}
	f.Fuzz(func(t *testing.T, head []byte, n int) {
		if n < 0 || n > len(head) {
			return
		}
		early, sure := copier.ByFirstBytes(head[:n])
		if late, _ := copier.ByFirstBytes(head); sure && late != early {
			t.Errorf("%q is %v for sure, %q is %v", head[:n], early, head, late)
		}
	})
}

func TestByContentType(t *testing.T) {
	for value, want := range map[string]string{
		"text/event-stream": "sse", "Text/Event-Stream; charset=utf-8": "sse", "application/x-ndjson": "ndjson",
		"application/jsonl;charset": "ndjson", "application/json": "ndjson",
		"application/vnd.amazon.eventstream": "eventstream", "text/html": "", "": "", ";": "",
	} {
		got := ""
		if transport, ok := copier.ByContentType(value); ok {
			got = transport.String()
		}
		if got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}

// TestPump: what a source returns comes out byte for byte, however it comes.
func TestPump(t *testing.T) {
	long := strings.Repeat(`{"type":"message_chunk","content":"x"}`+"\n", 30_000)
	for name, from := range map[string]io.Reader{
		"at once":       strings.NewReader(long),
		"byte by byte":  iotest.OneByteReader(strings.NewReader(long[:2000])),
		"data with EOF": iotest.DataErrReader(strings.NewReader(long)),
		"nothing":       strings.NewReader(""),
		"events":        strings.NewReader(": hi\n\ndata: {}\n\ndata: [DONE]\n\n"),
		"cut off":       strings.NewReader("{}\n{\"a\":"),
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			var m ingesttest.Memory
			source := copier.NewReader(io.TeeReader(from, &got))
			rec := ingest.NewRecorder(&m, ingest.Settings{})
			sum, err := copier.Record(t.Context(), rec, ingest.StreamOptions{Session: "s"}, source, 0)
			if err != nil {
				t.Fatal(err)
			}
			state, ok := m.State(sum.StreamID, "s")
			if ok && state.EndReason != "eof" {
				t.Errorf("ended with %q", state.EndReason)
			}
			if (state.Transport == schema.SSE) != (name == "events") {
				t.Errorf("transport %s", state.Transport)
			}
			if raw := string(m.Raw(sum.StreamID, schema.Receive)); raw != got.String() || sum.Bytes != uint64(len(raw)) {
				t.Errorf("%d bytes came out, %d in the summary, %d went in", len(raw), sum.Bytes, got.Len())
			}
		})
	}
}

func TestPumpReadError(t *testing.T) {
	fault := errors.New("connection reset")
	var m ingesttest.Memory
	s := open(t, &m, schema.NDJSON)
	from := io.MultiReader(strings.NewReader("{}\n{\"a\":"), iotest.ErrReader(fault))
	_, err := copier.CopyAndClose(t.Context(), copier.NewReader(from), copier.NewFramer(schema.NDJSON, 0), s)
	var read *copier.ReadError
	if !errors.As(err, &read) || !errors.Is(err, fault) {
		t.Errorf("error %v", err)
	}
	frames := m.Frames(s.ID())
	if len(frames) != 2 || !frames[1].Flags.Has(schema.FlagUnterminated) {
		t.Errorf("kept %v", frames)
	}
	if state, _ := m.State(s.ID(), "s"); state.EndReason != "error: connection reset" {
		t.Errorf("ended with %q", state.EndReason)
	}
}

func TestPumpRecordError(t *testing.T) {
	fault := errors.New("no room")
	var m ingesttest.Memory
	m.Refuse(fault)
	s := open(t, &m, schema.NDJSON)
	endless := readerFunc(func(p []byte) (int, error) { return copy(p, "{}\n"), nil })
	if _, err := copier.CopyAndClose(t.Context(), copier.NewReader(endless), copier.NewFramer(schema.NDJSON, 0), s); !errors.Is(err, fault) {
		t.Errorf("error %v, want the publisher's", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestTimes: every frame has the time at which its last byte was read, those
// that were read to detect the transport as well.
func TestTimes(t *testing.T) {
	const gap = 50 * time.Millisecond
	times := func(t *testing.T, least, most time.Duration) {
		t.Helper()
		var m ingesttest.Memory
		from, to := io.Pipe()
		go func() {
			for _, part := range []string{"\n", "{}\n", "{\"a\"", ":1}\n"} {
				_, _ = to.Write([]byte(part))
				time.Sleep(gap) // virtual time: the gap between two reads
			}
			_ = to.Close()
		}()
		transport, r := copier.Sniff(copier.NewReader(from))
		s := open(t, &m, transport)
		if _, err := copier.CopyAndClose(t.Context(), r, copier.NewFramer(transport, 0), s); err != nil {
			t.Fatal(err)
		}
		frames := m.Frames(s.ID())
		if len(frames) != 3 || len(frames[2].Cuts) != 1 {
			t.Fatalf("frames %v", frames)
		}
		arrivals := []int64{frames[0].At, frames[1].At, frames[2].Cuts[0].At, frames[2].At}
		for i := range len(arrivals) - 1 {
			if d := time.Duration(arrivals[i+1] - arrivals[i]); d < least || d > most {
				t.Errorf("between arrival %d and the next: %v, want %v to %v", i, d, least, most)
			}
		}
	}
	// On the machine's clock a read may come late, and the next one in time.
	t.Run("real clock", func(t *testing.T) { times(t, time.Nanosecond, bounded.Limit) })
	t.Run("virtual clock", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { times(t, gap, gap) })
	})
}

// TestBuffer: it is small for a trickle, grows with the traffic, and becomes
// small again.
func TestBuffer(t *testing.T) {
	var asked []int
	give := 0
	r := copier.NewReader(readerFunc(func(p []byte) (int, error) {
		asked = append(asked, len(p))
		return min(give, len(p)), nil
	}))
	next := func(times, n int) int {
		give = n
		for range times {
			if _, _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		return asked[len(asked)-1]
	}
	if got := next(10, 100); got != copier.SmallRead {
		t.Errorf("%d bytes for a trickle", got)
	}
	if got := next(10, copier.LargeRead); got != copier.LargeRead {
		t.Errorf("%d bytes for heavy traffic", got)
	}
	if got := next(100, 100); got != copier.SmallRead {
		t.Errorf("%d bytes for a trickle after heavy traffic", got)
	}
	give = 0
	if _, _, err := r.Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that returns nothing: %v", err)
	}
}

// TestPumpEndsWithContext: a stop keeps what came, even in the midst of a line.
func TestPumpEndsWithContext(t *testing.T) {
	var m ingesttest.Memory
	s := open(t, &m, schema.NDJSON)
	ctx, cancel := context.WithCancel(t.Context())
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	defer to.Close()
	done := make(chan error, 1)
	go func() {
		r := copier.NewReader(copier.Interruptible(ctx, from))
		_, err := copier.CopyAndClose(ctx, r, copier.NewFramer(schema.NDJSON, 0), s)
		done <- err
	}()
	if _, err := to.WriteString("{}\n{"); err != nil {
		t.Fatal(err)
	}
	for len(m.Frames(s.ID())) == 0 {
		time.Sleep(time.Millisecond) // between two looks at the frames
	}
	cancel()
	if err := bounded.Receive(t, done); err != nil {
		t.Errorf("a stop is no error: %v", err)
	}
	if raw := string(m.Raw(s.ID(), schema.Receive)); raw != "{}\n{" {
		t.Errorf("kept %q", raw)
	}
	if state, _ := m.State(s.ID(), "s"); state.EndReason != "closed" {
		t.Errorf("ended with %q", state.EndReason)
	}
}

func TestLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		longer, release := copier.WithGrace(ctx, time.Minute)
		defer release()
		cancel()
		began := time.Now()
		<-longer.Done()
		if took := time.Since(began); took != time.Minute {
			t.Errorf("ended after %v", took)
		}
		if !errors.Is(context.Cause(longer), context.Canceled) {
			t.Errorf("cause %v", context.Cause(longer))
		}
	})
}

func TestOffsets(t *testing.T) {
	o := copier.NewOffsets(7, 1000)
	check := func(next uint64, offset int64) {
		t.Helper()
		if n, at := o.Get(); n != next || at != offset {
			t.Errorf("durable to %d at %d, want %d at %d", n, at, next, offset)
		}
	}
	check(7, 1000)
	for range 5000 {
		o.Add(10)
	}
	o.Durable(7)
	check(7, 1000)
	o.Durable(4007)
	check(4007, 41_000)
	for range 5000 {
		o.Add(1)
	}
	o.Durable(5008)
	check(5008, 51_001)
	o.Durable(10_007)
	check(10_007, 56_000)
	o.Durable(10_007)
	check(10_007, 56_000)
}
