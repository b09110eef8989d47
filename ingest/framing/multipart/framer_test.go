package multipart

import (
	"bytes"
	"mime/multipart"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/framingtest"
	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// form is a form as curl sends it: two fields, a file of several lines, and a field with JSON.
const form = "--xyz\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nof the\r\n-user\r\n--xyz2\r\n" +
	"--xyz\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nshown-1\r\n" +
	"--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nshown-2\r\n--xy\r\n\n-\r\n--xyz-\r\n" +
	"--xyz\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{\"api_key\":\"of the user\",\"n\":1}\r\n" +
	"--xyz\r\nContent-Disposition: form-data; name=\"token\"; filename=\"token\"\r\n\r\nof the user\r\n--xyz--\r\nthe end"

var masked = strings.NewReplacer(
	"of the\r\n-user\r\n--xyz2", "[redacted]", "of the user", "[redacted]",
).Replace(form)

// Secrets in a form are masked by the names of its parts and members, however the form arrives; all
// other bytes stay.
func TestForm(t *testing.T) {
	names := redact.NewByName(nil, nil, false)
	for _, eol := range []string{"\r\n", "\n"} {
		in, want := []byte(strings.ReplaceAll(form, "\r\n", eol)), strings.ReplaceAll(masked, "\r\n", eol)
		for first := range in {
			for _, sizes := range [][]int{{first}, {first, 1, 1, 1}, {first, 7}} {
				frames, err := framingtest.Cut(NewFramer("xyz", 0, names), framingtest.Split(in, sizes...)...)
				if err != nil {
					t.Fatal(err)
				}
				if got := raw(frames); got != want {
					t.Fatalf("in reads of %v it became %q, want %q", sizes, got, want)
				}
			}
		}
		var single [][]byte
		for i := range in {
			single = append(single, in[i:i+1])
		}
		frames, err := framingtest.Cut(NewFramer("xyz", 0, names), single...)
		if got := raw(frames); err != nil || got != want {
			t.Errorf("in reads of one byte it became %q, %v", got, err)
		}
		for _, f := range frames {
			for i, c := range f.Cuts {
				if int(c.Offset) > len(f.Raw) || i > 0 && c.Offset < f.Cuts[i-1].Offset {
					t.Errorf("the cuts of %q are %v", f.Raw, f.Cuts)
				}
			}
		}
	}
	frames, err := framingtest.Cut(NewFramer("xyz", 0, redact.NewByName(nil, nil, true)), []byte(form))
	if got := raw(frames); err != nil || got != form {
		t.Errorf("without redaction it became %q, %v", got, err)
	}
}

// Fields are frames at their times, wherever reads end.
func TestFields(t *testing.T) {
	fields := []byte("--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n" +
		"--xyz\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n\r\n--xyz\r\n\r\n2\r\n--xyz\r\n\r\n3\r")
	names := redact.NewByName(nil, nil, false)
	for first := range fields {
		for second := range len(fields) - first {
			reads := framingtest.Split(fields, first, second)
			if err := framingtest.Check(func() ingest.Framer { return NewFramer("xyz", 0, names) }, reads...); err != nil {
				t.Fatalf("%q: %v", reads, err)
			}
		}
	}
}

// A part over the limit is recorded in pieces, of a secret only the placeholder; the framer holds no
// more than the limit.
func TestLimit(t *testing.T) {
	const limit = 1 << 10
	names := redact.NewByName(nil, nil, false)
	for name, want := range map[string]string{"client_secret": "[redacted]", "text": ""} {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		_ = w.WriteField(name, strings.Repeat("hide\r\n", 100*limit))
		_ = w.WriteField("next", "shown")
		_ = w.Close()
		whole := body.Bytes()
		framer := NewFramer(w.Boundary(), limit, names)
		var frames []schema.Frame
		emit := func(f *schema.Frame) error {
			own := *f
			own.Raw = bytes.Clone(f.Raw)
			frames = append(frames, own)
			return nil
		}
		for at, rest := int64(1), whole; len(rest) > 0; at++ {
			n := min(len(rest), 3*limit)
			if err := framer.Split(rest[:n], at, emit); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
			if held := framer.buf.Len(); held > limit+100 {
				t.Fatalf("%s: %d bytes are held", name, held)
			}
		}
		if err := framer.End(0, emit); err != nil {
			t.Fatal(err)
		}
		if !frames[0].Flags.Has(schema.FlagOversize) {
			t.Errorf("%s: the first frame is marked %q", name, frames[0].Flags)
		}
		got := raw(frames)
		if want == "" {
			if got != string(whole) {
				t.Errorf("%s: %d bytes became %d", name, len(whole), len(got))
			}
			continue
		}
		if strings.Contains(got, "hide") || strings.Count(got, want) != 1 || !strings.Contains(got, "\r\n\r\nshown\r\n--"+w.Boundary()+"--\r\n") {
			t.Errorf("%s: %.500q", name, got)
		}
	}
}

func raw(frames []schema.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.Write(f.Raw)
	}
	return b.String()
}
