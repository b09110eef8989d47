package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/schema"
)

// The same secret has the same number in a stream, whichever way it is cut.
func TestNumbers(t *testing.T) {
	a, b := example("gh~p_~{36}", 1), example("gh~p_~{36}", 2)
	out := record(t, Default().NewMasker(), forms["sse"]([]string{"1 " + a + " 2 " + b[:9], b[9:] + " 3 ", a[:20], a[20:], " end"}))
	got := ""
	for _, f := range out {
		var message struct{ Delta struct{ Text string } }
		data, _ := schema.Unframe(f, nil)
		if err := json.Unmarshal(data.Data, &message); err != nil {
			t.Fatal(err)
		}
		got += message.Delta.Text
	}
	if want := "1 [redacted:github-token#1] 2 [redacted:github-token#2] 3 [redacted:github-token#1] end"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Frames are held back for a bounded time and number; what is recorded then has no part of
// the secret, and what follows of it is masked too.
func TestBounds(t *testing.T) {
	secret := example("gh~p_~{36}", 1)
	for name, fill := range map[string]func(*Masker, func(*schema.Frame)){
		"time": func(m *Masker, pass func(*schema.Frame)) {
			time.Sleep(HoldFor - time.Millisecond) // virtual time: just before the end of HoldFor
			if m.Expired() {
				t.Error("expired early")
			}
			time.Sleep(time.Millisecond) // virtual time: the end of HoldFor
			if !m.Expired() {
				t.Error("not expired")
			}
			m.Release(pass)
		},
		"frames": func(m *Masker, pass func(*schema.Frame)) {
			for range holdFrames + 1 {
				m.Push(&schema.Frame{Transport: schema.NDJSON, Raw: []byte(`{"other":1}`)}, pass)
			}
		},
		"bytes": func(m *Masker, pass func(*schema.Frame)) {
			m.Push(&schema.Frame{Transport: schema.NDJSON, Raw: bytes.Repeat([]byte(" "), holdBytes+1)}, pass)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out []*schema.Frame
			pass := func(f *schema.Frame) { c := *f; c.Raw = bytes.Clone(f.Raw); out = append(out, &c) }
			m := Default().NewMasker()
			frames := forms["sse"]([]string{"a " + secret[:12], secret[12:25], secret[25:] + " b"})
			m.Push(frames[0], pass)
			if len(out) != 0 || !m.Holds() {
				t.Fatalf("%s: the frame was not held back", name)
			}
			fill(m, pass)
			if len(out) == 0 || m.Holds() {
				t.Fatalf("%s: the frame is still held back", name)
			}
			m.Push(frames[1], pass)
			m.Push(frames[2], pass)
			m.End(pass)
			if part := traces(out, secret[4:], nil); part != "" || !strings.Contains(all(out), `" b"`) {
				t.Errorf("%s: %q is in %s", name, part, all(out))
			}
		})
	}
}

// Frames of an event stream stay valid when a secret in them is masked.
func TestEventStream(t *testing.T) {
	payload := []byte(`{"delta":{"text":"` + example("gh~p_~{36}", 1) + `."}}`)
	raw := make([]byte, 12, 100)
	raw[3] = byte(16 + len(payload))
	raw = append(append(raw, payload...), 0, 0, 0, 0)
	seal(raw, len(raw))
	out := record(t, Default().NewMasker(), []*schema.Frame{{Transport: schema.EventStream, Raw: raw}})
	m, ok := schema.ParseEventMessage(out[0].Raw)
	if !ok || string(m.Payload) != `{"delta":{"text":"[redacted:github-token#1]."}}` {
		t.Errorf("%q", out[0].Raw)
	}
}

func FuzzMasker(f *testing.F) {
	f.Add([]byte(`{"a":"`+example("gh~p_~{36}", 1)+`"}`+"\n"+`{"a":"x"}`), uint8(0))
	f.Add([]byte("data: {\"t\":\"-----BEGIN PRIVATE KEY-----\"}\n"+`{"t":"\u0041\ud800\"`), uint8(1))
	f.Add([]byte("\x00\x00\x00\x10"), uint8(4))
	e, err := New(Options{Personal: Personal, Declared: []Declared{{"X", "abcabc"}}, Paths: []Path{{"p", "a.b"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		var frames []*schema.Frame
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			frames = append(frames, &schema.Frame{Transport: schema.Transport(kind % 5), Direction: schema.Direction(kind / 128), Raw: line})
		}
		for i, out := range record(t, e.NewMasker(), frames) {
			in := frames[i]
			switch {
			case !out.Flags.Has(schema.FlagRedacted) && !bytes.Equal(in.Raw, out.Raw):
				t.Errorf("%q became %q without a flag", in.Raw, out.Raw)
			case in.Transport != schema.NDJSON && in.Transport != schema.WebSocket && (len(in.Raw) == 0 || in.Raw[0] != '{'): // not a message of its own
			case json.Valid(in.Raw) && !json.Valid(out.Raw):
				t.Errorf("%q became %q, which is not JSON", in.Raw, out.Raw)
			}
		}
	})
}

// A secret behind a percent-encoded byte of a URL is one, and a word that ends with digits goes on
// to be one word.
func TestBehindPercent(t *testing.T) {
	secret := example("gh~p_~{36}", 1)
	for text, want := range map[string]string{
		"https://x.example/?q=a%20" + secret:      "https://x.example/?q=a%20[redacted:github-token#1]",
		"https://x.example/?q=a%3A" + secret:      "https://x.example/?q=a%3A[redacted:github-token#1]",
		"https://x.example/?q=%e2%82%ac" + secret: "https://x.example/?q=%e2%82%ac[redacted:github-token#1]",
		"a20" + secret:  "a20" + secret,
		"%2" + secret:   "%2" + secret,
		"%zz0" + secret: "%zz0" + secret,
	} {
		m := Default().NewMasker()
		out := record(t, m, forms["sse"]([]string{text}))
		if !bytes.Contains(out[0].Raw, []byte(want)) {
			t.Errorf("%s became %s", text, out[0].Raw)
		}
	}
}
