package ingesthttp_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/ingesthttp"
	"tapedeck/internal/speedtest"
	"tapedeck/schema"
)

const lines = "{\"session_id\":\"a\",\"n\":1}\n\n{\"session_id\":\"b\",\"n\":2}\r\nnot json\n{\"n\":3}"

func TestRecords(t *testing.T) {
	events := ": hello\r\n\r\ndata: {\"n\":1}\r\n\r\ndata: [DONE]\r\n\r\n"
	for name, tc := range map[string]struct {
		media, encoding, body, raw string
	}{
		"lines":             {"application/x-ndjson", "", lines, lines},
		"lines, other name": {"application/jsonl; charset=utf-8", "identity", lines, lines},
		"events":            {"text/event-stream", "", events, events},
		"gzip":              {"application/x-ndjson", "gzip", gzipped(lines), lines},
		"gzip, old name":    {"application/x-ndjson", "X-GZip", gzipped(lines), lines},
		"gzip, two members": {"application/x-ndjson", "gzip", gzipped(lines[:30]) + gzipped(lines[30:]), lines},
		"zstd":              {"text/event-stream", "zstd", zstded(events), events},
		"nothing":           {"application/x-ndjson", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, ingest.Settings{}, ingesthttp.Options{})
			resp := s.post(t, "?session=mine&tag=a:1&tag=b:x:y", tc.media, tc.encoding, strings.NewReader(tc.body))
			var answer ingesthttp.Answer
			s.read(t, resp, http.StatusOK, &answer)
			if got := string(s.mem.Raw(answer.StreamID, schema.Receive)); got != tc.raw {
				t.Errorf("recorded %q, want %q", got, tc.raw)
			}
			if answer.Bytes != uint64(len(tc.raw)) || answer.Frames != uint64(len(s.mem.Frames(answer.StreamID))) || len(answer.Rejected) != 0 {
				t.Errorf("answer %+v", answer)
			}
			if tc.body == "" {
				return
			}
			state, ok := s.mem.State(answer.StreamID, "mine")
			if !ok || state.EndReason != "eof" || state.Tags["a"] != "1" || state.Tags["b"] != "x:y" || !slices.Equal(answer.Sessions, []string{"mine"}) {
				t.Errorf("state %+v; answer %+v", state, answer)
			}
			if want := strings.HasPrefix(tc.media, "text/"); (state.Transport == schema.SSE) != want {
				t.Errorf("transport %s", state.Transport)
			}
		})
	}
}

func TestAnswerCounts(t *testing.T) {
	s := serve(t, ingest.Settings{}, ingesthttp.Options{FrameLimit: 64})
	text := lines + "\n\xff\n" + strings.Repeat("x", 100) + "\n"
	resp := s.post(t, "?dialect=generic", "application/x-ndjson", "", strings.NewReader(text))
	text = s.text(t, resp, http.StatusOK)
	var got map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"rejected":[]`, `"frames":8`, `"sessions":["a","b"]`, `"invalid_utf8":1`, `"not_json":2`, `"oversize":2`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}

func TestBadRequests(t *testing.T) {
	for name, tc := range map[string]struct {
		query, media, encoding string
		status                 int
		want                   string
	}{
		"session":    {"?session=a%0Ab", "application/x-ndjson", "", 400, `"parameter":"session"`},
		"dialect":    {"?dialect=klingon", "application/x-ndjson", "", 400, `generic`},
		"tag":        {"?tag=a", "application/x-ndjson", "", 400, `key:value`},
		"empty tag":  {"?tag=:b", "application/x-ndjson", "", 400, `key:value`},
		"type":       {"", "text/html", "", 415, `"allowed":["application/x-ndjson","text/event-stream","application/vnd.amazon.eventstream"]`},
		"no type":    {"", "", "", 415, `no Content-Type header`},
		"encoding":   {"", "application/x-ndjson", "br", 415, `"allowed":["gzip","zstd"]`},
		"two of all": {"", "application/x-ndjson", "gzip, zstd", 415, `gzip, zstd`},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, ingest.Settings{}, ingesthttp.Options{})
			// A body that has no end must not keep the answer back.
			from, to := io.Pipe()
			defer to.Close()
			began := time.Now()
			resp := s.post(t, tc.query, tc.media, tc.encoding, from)
			if text := s.text(t, resp, tc.status); !strings.Contains(text, tc.want) {
				t.Errorf("%s lacks %s", text, tc.want)
			}
			speedtest.Within(t, "the answer", time.Since(began), 2*time.Second)
			if resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("headers %v", resp.Header)
			}
			if n := len(s.mem.Blocks()); n != 0 {
				t.Errorf("%d blocks recorded", n)
			}
		})
	}
}

// TestLive: a frame is recorded when it has come, not when the body ends, also
// where the client compresses and flushes.
func TestLive(t *testing.T) {
	for name, coder := range map[string]func(io.Writer) flusher{
		"":     func(w io.Writer) flusher { return plain{w} },
		"gzip": func(w io.Writer) flusher { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) flusher { z, _ := zstd.NewWriter(w); return z },
	} {
		t.Run("encoding "+name, func(t *testing.T) {
			s := serve(t, ingest.Settings{}, ingesthttp.Options{})
			from, to := io.Pipe()
			send := coder(to)
			go func() {
				for i := 0; ; i++ {
					if i > 0 {
						s.waitFor(t, "the frame before", func() bool { return s.frames() == i })
					}
					if i == 5 {
						_ = send.Close()
						_ = to.Close()
						return
					}
					_, _ = send.Write([]byte("data: {}\n\n"))
					_ = send.Flush()
				}
			}()
			resp := s.post(t, "?session=s", "text/event-stream", name, from)
			var answer ingesthttp.Answer
			s.read(t, resp, http.StatusOK, &answer)
			if answer.Frames != 5 {
				t.Errorf("%d frames", answer.Frames)
			}
			for i, f := range s.mem.Frames(answer.StreamID) {
				if f.Flags.Has(schema.FlagJoined) {
					t.Errorf("frame %d did not come in a read of its own", i)
				}
			}
		})
	}
}

type flusher interface {
	io.WriteCloser
	Flush() error
}

type plain struct{ io.Writer }

func (plain) Flush() error { return nil }
func (plain) Close() error { return nil }

func gzipped(text string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return out.String()
}

func zstded(text string) string {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	defer z.Close()
	return string(z.EncodeAll([]byte(text), nil))
}
