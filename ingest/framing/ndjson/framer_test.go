package ndjson_test

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/framingtest"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newCutter(limit int) ingest.Framer { return ndjson.NewFramer(limit) }

func TestSuite(t *testing.T) {
	framingtest.Run(t, newCutter, []byte("{\n  \"a\": [\n    1\n  ]\n}\n{\n  no\nmore\n{\n}\n{\n"),
		[]byte("\xef\xbb\xbf[\n  {\"a\": \"[\\\"\"},\n  {\n    \"b\": [1]\n  }\n, 7, \"x\"]\n[{},{}]\n"),
		[]byte("[{\"a\":\"]\"},{\"b\":2},3]\n"), []byte("[{},{}]\n[{}]\n{}\n"),
		[]byte("{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"h\",\n  \"messages\": [\n    {\"a\": \"]\"},\n    {}\n  ],\n  \"kind\": [\"}\"]\n}\n{}\n"),
		[]byte(`{"projectHash":"","sessionId":"","messages":[{"a":[1]},{}]}`))
}

// A batch of JSON-RPC in the first line is a frame as soon as the line has ended.
func TestLines(t *testing.T) {
	f := ndjson.NewLines(0)
	var got []string
	emit := func(f *schema.Frame) error {
		got = append(got, string(f.Raw))
		return nil
	}
	const batch, next = "[{\"id\":1},{\"id\":2}]\n", "{\"id\":3}\n"
	if err := f.Split([]byte(batch), 1, emit); err != nil || !slices.Equal(got, []string{batch}) {
		t.Errorf("%q, %v", got, err)
	}
	if err := f.Split([]byte(next), 2, emit); err != nil || !slices.Equal(got, []string{batch, next}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCaptures(t *testing.T) {
	for name, text := range framingtest.Fixtures(t, ".jsonl", ".json", ".chunks.txt") {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, 100, 4096} {
				sizes := slices.Repeat([]int{size}, len(text)/size+1)
				if err := framingtest.Check(func() ingest.Framer { return ndjson.NewFramer(0) }, framingtest.Split(text, sizes...)...); err != nil {
					t.Error(err)
				}
			}
			frames, err := framingtest.Cut(ndjson.NewFramer(0), text)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, ".jsonl") && len(frames) != bytes.Count(text, []byte("\n")) {
				t.Errorf("%d frames of %d lines", len(frames), bytes.Count(text, []byte("\n")))
			}
			if strings.HasSuffix(name, ".json") {
				return // an array, whose end is a frame
			}
			for _, f := range frames {
				if f.Flags&^schema.FlagJoined&^schema.FlagNote != 0 {
					t.Errorf("%q is marked %s", f.Raw, f.Flags)
				}
			}
		})
	}
}

func FuzzCutter(f *testing.F) { framingtest.Fuzz(f, newCutter) }

// TestFrames reads "frame|flags" for what comes of a text in one read.
func TestFrames(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		limit      int
		want       []string
	}{
		{"lines", "{}\n[]\r\n1\n", 0, []string{"{}\n|", "[]\r\n|joined", "1\n|joined"}},
		{"last line whole", "{}\n{\"a\":1}", 0, []string{"{}\n|", "{\"a\":1}|joined"}},
		{"last line cut off", "{}\n{\"a\":", 0, []string{"{}\n|", "{\"a\":|unterminated,joined"}},
		{"blank lines", "\n{}\n \t\r\n\n ", 0, []string{"\n|note", "{}\n|joined", " \t\r\n|joined,note", "\n|joined,note", " |joined,note"}},
		{"byte order mark", "\xef\xbb\xbf{}\n\xef\xbb\xbf\n", 0, []string{"\xef\xbb\xbf{}\n|", "\xef\xbb\xbf\n|joined"}},
		{"byte order mark alone", "\xef\xbb\xbf\n{}", 0, []string{"\xef\xbb\xbf\n|note", "{}|joined"}},
		{"last line after the mark", "\xef\xbb\xbf{}", 0, []string{"\xef\xbb\xbf{}|"}},
		{"bad bytes", "\xff\n\x00\n", 0, []string{"\xff\n|invalid_utf8", "\x00\n|nul,joined"}},
		{"CR alone ends no line", "{}\r{}\n", 0, []string{"{}\r{}\n|"}},
		{"at the limit", "1234567\n", 8, []string{"1234567\n|"}},
		{"over the limit", "12345678\n1\n", 8, []string{"12345678|oversize", "\n|oversize,joined", "1\n|joined"}},
		{"far over the limit", "12345678abcdefgh1\n1\n", 8, []string{"12345678|oversize", "abcdefgh|oversize,joined", "1\n|oversize,joined", "1\n|joined"}},
		{"cut off over the limit", "12345678a", 8, []string{"12345678|oversize", "a|unterminated,oversize,joined"}},
		{"a character cut by the limit", "123456é8\n", 7, []string{"123456\xc3|oversize", "\xa98\n|oversize,joined"}},
		{"blank over the limit", "          \n", 8, []string{"        |oversize", "  \n|oversize,joined"}},

		{"printed value", "{\n  \"a\": [\n    1\n  ]\n}\n{}\n", 0, []string{"{\n  \"a\": [\n    1\n  ]\n}\n|", "{}\n|joined"}},
		{"printed value, tabs, CRLF", "{\r\n\t\"a\": 1\r\n}\r\n", 0, []string{"{\r\n\t\"a\": 1\r\n}\r\n|"}},
		{"printed value after the mark", "\xef\xbb\xbf{\n \"a\": 1\n}\n", 0, []string{"\xef\xbb\xbf{\n \"a\": 1\n}\n|"}},
		{"printed value, no last line end", "{\n  \"a\": 1\n}", 0, []string{"{\n  \"a\": 1\n}|"}},
		{"printed value cut off", "{\n  \"a\": 1\n", 0, []string{"{\n  \"a\": 1\n|unterminated"}},
		{"empty printed value", "{\n}\n", 0, []string{"{\n}\n|"}},
		{"no printed value", "{\n  \"a\": 1\n\n}\n", 0, []string{"{\n|", "  \"a\": 1\n|joined", "\n|joined,note", "}\n|joined"}},
		{"a printed value in what was none", "{\n{\n 1\n}\n", 0, []string{"{\n|", "{\n 1\n}\n|joined"}},
		{"printed value at the limit", "{\n 1\n}\n1\n", 7, []string{"{\n 1\n}\n|", "1\n|joined"}},
		{"printed value over the limit", "{\n 12\n}\n1\n", 7, []string{"{\n|", " 12\n|joined", "}\n|joined", "1\n|joined"}},
		{"printed line over the limit", "{\n 123456789\n}\n", 7, []string{"{\n|", " 123456|oversize,joined", "789\n|oversize,joined", "}\n|joined"}},

		{"printed array", "[\n  {\n    \"a\": \"]}\\\"\"\n  },\n  {\"b\": [1, {}]}\n]\n", 0, []string{
			"[\n  {\n    \"a\": \"]}\\\"\"\n  }|", ",\n  {\"b\": [1, {}]}|joined", "\n]\n|joined,note"}},
		{"printed array after the mark, CRLF", "\xef\xbb\xbf[\r\n {}\r\n,\r\n {}\r\n]", 0, []string{
			"\xef\xbb\xbf[\r\n {}|", "\r\n,\r\n {}|joined", "\r\n]|joined,note"}},
		{"compact array", "[{\"a\":1},{\"b\":2}]", 0, []string{"[{\"a\":1}|", ",{\"b\":2}|joined", "]|joined,note"}},
		{"compact array and its line end", "[{\"a\":1}]\n\n", 0, []string{"[{\"a\":1}|", "]\n\n|joined,note"}},
		{"one array after another", "[\n{}]\n[\n{}\n]\n", 0, []string{"[\n{}|", "]\n|joined,note", "[\n{}|joined", "\n]\n|joined,note"}},
		{"an array behind blank lines", "\n\n [\n{}]", 0, []string{"\n|note", "\n|joined,note", " [\n{}|joined", "]|joined,note"}},
		{"other elements", "[{},\n1, \"a,b\", null,[2]]", 0, []string{"[{}|", ",\n1|joined", ", \"a,b\"|joined", ", null|joined", ",[2]|joined", "]|joined,note"}},
		{"lines that are arrays", "[{},{}]\n[{}]\n", 0, []string{"[{},{}]\n|", "[{}]\n|joined"}},
		{"arrays of no objects", "[1,\n2]\n[\n]\n", 0, []string{"[1,\n|", "2]\n|joined", "[\n|joined", "]\n|joined"}},
		{"an array that is cut off", "[\n{},\n{\"a\":", 0, []string{"[\n{}|", ",\n{\"a\":|unterminated,joined"}},
		{"an array that is cut off between", "[\n{},\n", 0, []string{"[\n{}|", ",\n|joined,note"}},
		{"no array after all", "[\n{},\n{\"a\nb\n", 0, []string{"[\n{}|", ",\n|joined", "{\"a\n|joined", "b\n|joined"}},
		{"text after an array", "[\n{}] x\n[\n{}]", 0, []string{"[\n{}|", "] |joined,note", "x\n|joined", "[\n|joined", "{}]|unterminated,joined"}},
		{"element at the limit", "[\n{\"a\":1},{\"b\":22}]", 9, []string{"[\n{\"a\":1}|", ",{\"b\":22}|joined", "]|joined,note"}},
		{"element over the limit", "[\n{},{\"b\":2222222222}]", 8, []string{"[\n{}|", ",{\"b\":22|oversize,joined", "22222222|oversize,joined", "}|oversize,joined", "]|joined,note"}},
		{"indented brace", " {\n}\n", 0, []string{" {\n|", "}\n|joined"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			frames, err := framingtest.Cut(ndjson.NewFramer(tc.limit), []byte(tc.text))
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

// TestLive: a line is a frame as soon as its terminator is there.
func TestLive(t *testing.T) {
	c := ndjson.NewFramer(0)
	n := 0
	emit := func(*schema.Frame) error { n++; return nil }
	for i, read := range []string{"{}\n", "{", "}", "\r", "\n", "{\n", " \"a\":1\n", "}", "\n"} {
		if err := c.Split([]byte(read), int64(i), emit); err != nil {
			t.Fatal(err)
		}
		if want := []int{1, 1, 1, 1, 2, 2, 2, 2, 3}[i]; n != want {
			t.Fatalf("after read %d: %d frames, want %d", i, n, want)
		}
	}
}

// TestArrayIsNotHeld: the elements of an array are frames as they come, also if all of it is
// one line.
func TestArrayIsNotHeld(t *testing.T) {
	const size, reads = 64 << 10, 512
	element := []byte(`{"type":"text","text":"0123456789 0123456789"},`)
	read := bytes.Repeat(element, size/len(element))
	c := ndjson.NewFramer(0)
	frames, bytesOut := 0, 0
	emit := func(f *schema.Frame) error { frames++; bytesOut += len(f.Raw); return nil }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := c.Split([]byte("["), 1, emit); err != nil {
		t.Fatal(err)
	}
	for range reads {
		if err := c.Split(read, 1, emit); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if want := reads * (size / len(element)); frames != want || bytesOut != reads*len(read) {
		t.Errorf("%d frames of %d bytes, want %d of %d", frames, bytesOut, want, reads*len(read))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d bytes allocated for an array of %d", used, reads*len(read))
	}
}

// TestNoCopy: a line that lies whole within a read is not copied.
func TestNoCopy(t *testing.T) {
	read := []byte("{\"a\":1}\n{\"b\":2}\n{\"c\"")
	var raws [][]byte
	c := ndjson.NewFramer(0)
	if err := c.Split(read, 1, func(f *schema.Frame) error { raws = append(raws, f.Raw); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(raws) != 2 || &raws[0][0] != &read[0] || &raws[1][0] != &read[8] {
		t.Errorf("frames %q do not alias the read", raws)
	}
	line := bytes.Repeat([]byte("{\"type\":\"message_chunk\"}\n"), 100)
	c = ndjson.NewFramer(0)
	emit := func(*schema.Frame) error { return nil }
	if allocs := testing.AllocsPerRun(100, func() {
		if err := c.Split(line, 1, emit); err != nil {
			t.Fatal(err)
		}
	}); allocs != 0 {
		t.Errorf("%v allocations for 100 lines", allocs)
	}
}

func BenchmarkCut(b *testing.B) {
	const lines = 256 << 10 / 136
	line := `{"session_id":"run-1764000000000000000","node_id":"run-think-1","event_id":12345,"type":"message_chunk","content":"hello","id":"m1"}`
	read := bytes.Repeat([]byte(line+"\n"), lines)
	for name, size := range map[string]int{"256KiB": len(read), "4KiB": 4096} {
		b.Run(name, func(b *testing.B) {
			c := ndjson.NewFramer(0)
			frames := 0
			emit := func(*schema.Frame) error { frames++; return nil }
			b.SetBytes(int64(len(read)))
			b.ReportAllocs()
			for b.Loop() {
				for p := read; len(p) > 0; p = p[min(size, len(p)):] {
					if err := c.Split(p[:min(size, len(p))], 1, emit); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(frames)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}
