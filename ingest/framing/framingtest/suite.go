package framingtest

import (
	"bytes"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// New returns the framer under test, with a frame limit in bytes.
type New func(limit int) ingest.Framer

// pieces are the building blocks of random texts: the special parts of the text protocols, and
// inputs for which a framer has failed before.
var pieces = []string{
	"\n", "\r", "\r\n", "\n\n", "\r\n\r\n", "\r\r", " ", "\t", "\x00", "\xef\xbb\xbf", "\xff", "é", "𝄞", " ",
	"{", "}", "{\n", "}\n", "{\r\n", "}\r\n", "[", "]", ",", "  \"a\": 1\n", `{"a":1}`, "{\"a\":1}\n", "true", "[DONE]",
	`{"sessionId":"","projectHash":"","messages":[{`,
	"data", "data:", "data: x\n", "data: x\r", "data: {\"a\":1}\n\n", "data: y\r\n\r\n", "id: 7\n", "event: e\n",
	"retry: 10\n", ": comment\n", ":\n\n", "text", "0123456789abcdef",
}

// Run runs the suite. texts are further texts to divide in all ways, such as captures of the
// protocol.
func Run(t *testing.T, newCutter New, texts ...[]byte) {
	t.Run("any text in any reads", func(t *testing.T) { rapid.Check(t, anyText(newCutter)) })
	t.Run("every split in two", func(t *testing.T) {
		for _, text := range append(texts, join(pieces)) {
			text = text[:min(len(text), 4<<10)]
			for i := 1; i < len(text); i++ {
				if err := Check(limited(newCutter, 0), text[:i], text[i:]); err != nil {
					t.Fatalf("split at %d: %v", i, err)
				}
			}
		}
	})
	t.Run("byte by byte", func(t *testing.T) {
		for _, text := range append(texts, join(pieces)) {
			if err := Check(limited(newCutter, 0), Split(text, ones(len(text))...)...); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("many reads in one frame", func(t *testing.T) {
		text := make([]byte, 10_000)
		for i := range text {
			text[i] = 'x'
		}
		if err := Check(limited(newCutter, 0), Split(text, ones(len(text))...)...); err != nil {
			t.Error(err)
		}
	})
	t.Run("an error of emit ends it", func(t *testing.T) {
		for _, text := range append(texts, join(pieces)) {
			if err := checkStop(limited(newCutter, 64), text[:min(len(text), 4<<10)]); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("idle framers hold no memory", func(t *testing.T) { idle(t, newCutter) })
}

func limited(n New, limit int) func() ingest.Framer {
	return func() ingest.Framer { return n(limit) }
}

func anyText(newCutter New) func(*rapid.T) {
	return func(t *rapid.T) {
		limit := rapid.OneOf(rapid.Just(0), rapid.IntRange(1, 80)).Draw(t, "limit")
		text := join(rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom(pieces), rapid.SampledFrom(pieces), rapid.String(),
		)).Draw(t, "text"))
		sizes := rapid.SliceOf(rapid.IntRange(1, 24)).Draw(t, "reads")
		if err := Check(limited(newCutter, limit), Split(text, sizes...)...); err != nil {
			t.Fatal(err)
		}
	}
}

// Fuzz checks the properties of every framer on fuzzed bytes in reads of fuzzed sizes.
func Fuzz(f *testing.F, newCutter New, texts ...[]byte) {
	for _, text := range append(texts, join(pieces)) {
		f.Add(text[:min(len(text), 4<<10)], []byte{}, uint16(0))
		f.Add(text[:min(len(text), 4<<10)], []byte{1, 2, 3, 5, 8, 13, 200}, uint16(50))
	}
	for _, piece := range pieces {
		f.Add([]byte(piece+"\r\n\r"+piece), []byte{1, 1, 1, 1}, uint16(3))
	}
	f.Fuzz(func(t *testing.T, text, sizes []byte, limit uint16) {
		var reads []int
		for n := 0; len(sizes) > 0 && n < len(text); { // repeat the sizes
			for _, s := range sizes {
				reads = append(reads, int(s)+1)
				n += int(s) + 1
			}
		}
		if err := Check(limited(newCutter, int(limit)), Split(text, reads...)...); err != nil {
			t.Error(err)
		}
	})
}

// idle measures the memory of framers between two frames. The last frame is so large that no other
// framer can reuse its buffer.
func idle(t *testing.T, newCutter New) {
	const (
		count = 200
		most  = 1024 // bytes for each framer
	)
	large := bytes.Repeat([]byte("x"), 600<<10)
	last := 0
	emit := func(f *schema.Frame) error { last = max(last, len(f.Raw)); return nil }
	// The protocol determines what ends a frame: try terminators until one ends the large frame.
	for _, end := range []string{"\n", "\n\n", emptyEvent} {
		last = 0
		framers := make([]ingest.Framer, count)
		before := heap()
		for i := range framers {
			framers[i] = newCutter(0)
			for _, read := range [][]byte{large, large, []byte(end)} {
				if err := framers[i].Split(read, int64(i), emit); err != nil {
					t.Fatal(err)
				}
			}
		}
		if last < len(large) {
			continue
		}
		if each := (heap() - before) / count; each > most {
			t.Errorf("an idle framer holds %d bytes, more than %d", each, most)
		}
		runtime.KeepAlive(framers)
		return
	}
	t.Error("a large frame did not end")
}

// emptyEvent is a message of application/vnd.amazon.eventstream without headers and payload: two
// lengths, their CRC-32, and the CRC-32 of the whole message.
const emptyEvent = "\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2\x48\xeb\x7d\x98\xc8\xff"

func heap() int64 {
	runtime.GC()
	runtime.GC() // the second empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func join(parts []string) []byte {
	var text []byte
	for _, p := range parts {
		text = append(text, p...)
	}
	return text
}

func ones(n int) []int {
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = 1
	}
	return sizes
}
