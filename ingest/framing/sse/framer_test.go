package sse_test

import (
	"bytes"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/framingtest"
	"tapedeck/ingest/framing/sse"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newCutter(limit int) ingest.Framer { return sse.NewFramer(limit) }

func TestSuite(t *testing.T) {
	framingtest.Run(t, newCutter, []byte("data: a\r\n\r\ndata: b\r\rdata: c\n\n\r\ndata: d\n\r\n\r\r\ndata: e\r\n\rdata: f\n\r"))
}

func TestCaptures(t *testing.T) {
	for name, text := range framingtest.Fixtures(t, ".sse", ".sse.txt") {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, 100, 4096} {
				sizes := slices.Repeat([]int{size}, len(text)/size+1)
				if err := framingtest.Check(func() ingest.Framer { return sse.NewFramer(0) }, framingtest.Split(text, sizes...)...); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func FuzzCutter(f *testing.F) {
	framingtest.Fuzz(f, newCutter, []byte("data: a\r\n\r\ndata: b\r\rdata: c\n\n\r\ndata: d\n\r\n\r\r\ndata: e\r\n\rdata: f\n\r"))
}

// FuzzNote holds the mark for "no message" against how a frame is read.
func FuzzNote(f *testing.F) {
	f.Add([]byte("data\n\ndata:\r\n\r\n:data\n\ndatax: 1\n\n\xef\xbb\xbfdata: 1\r\r"))
	f.Fuzz(func(t *testing.T, text []byte) {
		frames, err := framingtest.Cut(sse.NewFramer(0), text)
		if err != nil {
			t.Fatal(err)
		}
		for _, frame := range frames {
			content, _ := schema.Unframe(&frame, nil)
			if content.Empty != frame.Flags.Has(schema.FlagNote) {
				t.Errorf("%q reads as empty: %v; marked %s", frame.Raw, content.Empty, frame.Flags)
			}
		}
	})
}

// TestFrames reads "frame|flags" for what comes of a text in one read.
func TestFrames(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		limit      int
		want       []string
	}{
		{"LF", "data: a\n\nevent: e\ndata: b\n\n", 0, []string{"data: a\n\n|", "event: e\ndata: b\n\n|joined"}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", 0, []string{"data: a\r\n\r\n|", "data: b\r\n\r\n|joined"}},
		{"CR", "data: a\r\rdata: b\r\r", 0, []string{"data: a\r\r|", "data: b\r\r|joined"}},
		{"mixed", "data: a\r\n\ndata: b\n\rdata: c\r\n\rdata: d\r\r\n", 0, []string{
			"data: a\r\n\n|", "data: b\n\r|joined", "data: c\r\n\r|joined", "data: d\r\r|joined", "\n|joined,note",
		}},
		{"several data lines", "data: a\ndata: b\n\n", 0, []string{"data: a\ndata: b\n\n|"}},
		{"comments", ": hi\n\n:\n:\n\ndata: a\n\n", 0, []string{": hi\n\n|note", ":\n:\n\n|joined,note", "data: a\n\n|joined"}},
		{"no data", "id: 1\n\nretry: 5\n\nevent: e\n\nlost text\n\ndatax\n\n", 0, []string{
			"id: 1\n\n|note", "retry: 5\n\n|joined,note", "event: e\n\n|joined,note", "lost text\n\n|joined,note", "datax\n\n|joined,note",
		}},
		{"empty data", "data\n\ndata:\n\n", 0, []string{"data\n\n|", "data:\n\n|joined"}},
		{"blank lines", "\n\r\n\rdata: a\n\n\n", 0, []string{"\n|note", "\r|joined,note", "\n|joined,note", "\r|joined,note", "data: a\n\n|joined", "\n|joined,note"}},
		{"blank lines, CRLF", "\r\n\r\ndata: a\r\n\r\n\r\n", 0, []string{"\r\n|note", "\r\n|joined,note", "data: a\r\n\r\n|joined", "\r\n|joined,note"}},
		{"byte order mark", "\xef\xbb\xbfdata: a\n\n", 0, []string{"\xef\xbb\xbfdata: a\n\n|"}},
		{"bad bytes", "data: \xff\n\ndata: \x00\n\n", 0, []string{"data: \xff\n\n|invalid_utf8", "data: \x00\n\n|nul,joined"}},
		{"end without blank line", "data: a\n\ndata: b\n", 0, []string{"data: a\n\n|", "data: b\n|unterminated,joined"}},
		{"end inside a line", "data: a\n\nda", 0, []string{"data: a\n\n|", "da|unterminated,joined,note"}},
		{"end after the blank line's CR", "data: a\r\n\r", 0, []string{"data: a\r\n\r|"}},
		{"at the limit", "data: a\n\n", 9, []string{"data: a\n\n|"}},
		{"over the limit", "data: ab\n\ndata: a\n\n", 9, []string{"data: ab\n|oversize", "\n|oversize,joined", "data: a\n\n|joined"}},
		{"far over the limit", "data: 0123456789abcd\n\n:\n\n", 9, []string{"data: 012|oversize", "3456789ab|oversize,joined", "cd\n\n|oversize,joined", ":\n\n|joined,note"}},
		{"limit between CR and LF", "data: a\r\n\r\ndata\n\n", 10, []string{"data: a\r\n\r|oversize", "\n|oversize,joined", "data\n\n|joined"}},
		{"limit at the last CR", "data: a\r\n\rdata\n\n", 10, []string{"data: a\r\n\r|oversize", "data\n\n|joined"}},
		{"cut off over the limit", "data: abcd", 9, []string{"data: abc|oversize", "d|unterminated,oversize,joined"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			frames, err := framingtest.Cut(sse.NewFramer(tc.limit), []byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range frames {
				got = append(got, string(f.Raw)+"|"+f.Flags.String())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// TestLive: an event is a frame as soon as its blank line is there, whatever
// its lines end in.
func TestLive(t *testing.T) {
	for name, reads := range map[string][]string{
		"LF":                          {"data: a\n\n", "data: b\n", "\n"},
		"CR":                          {"data: a\r\r", "data: b\r", "\r"},
		"CRLF":                        {"data: a\r\n\r\n", "data: b\r\n\r", "\n"},
		"LF, then CR":                 {"data: a\n\r", "data: b\n", "\r"},
		"CR after a CRLF blank line":  {"data: a\r\n\r\n", "data: b\r", "\r"},
		"CR, its second at the start": {"\r\r\rdata: a\r\r", "data: b\r", "\r"},
	} {
		t.Run(name, func(t *testing.T) {
			c := sse.NewFramer(0)
			messages := 0
			emit := func(f *schema.Frame) error {
				if !f.Flags.Has(schema.FlagNote) {
					messages++
				}
				return nil
			}
			for i, want := range []int{1, 1, 2} {
				if err := c.Split([]byte(reads[i]), int64(i), emit); err != nil {
					t.Fatal(err)
				}
				if messages != want {
					t.Fatalf("after read %d: %d messages, want %d", i, messages, want)
				}
			}
		})
	}
}

func BenchmarkCut(b *testing.B) {
	event := []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":null}]}` + "\n\n")
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		b.Run(name, func(b *testing.B) {
			read := bytes.ReplaceAll(bytes.Repeat(event, 256<<10/len(event)), []byte("\n"), []byte(end))
			c := sse.NewFramer(0)
			frames := 0
			emit := func(*schema.Frame) error { frames++; return nil }
			b.SetBytes(int64(len(read)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Split(read, 1, emit); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(frames)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}
