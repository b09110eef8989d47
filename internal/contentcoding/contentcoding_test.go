package contentcoding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type flusher interface {
	io.WriteCloser
	Flush() error
}

var writers = []struct {
	name, coding string
	open         func(io.Writer) flusher
}{
	{"gzip", "gzip", func(w io.Writer) flusher { return gzip.NewWriter(w) }},
	{"gzip, old name", " X-Gzip", func(w io.Writer) flusher { return gzip.NewWriter(w) }},
	{"deflate as zlib", "deflate", func(w io.Writer) flusher { return zlib.NewWriter(w) }},
	{"deflate, bare", "deflate", func(w io.Writer) flusher { z, _ := flate.NewWriter(w, 5); return z }},
	{"brotli", "br", func(w io.Writer) flusher { return brotli.NewWriter(w) }},
	{"zstd", "zstd", func(w io.Writer) flusher { z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); return z }},
}

// events returns what servers flush one by one: short, long, empty-ish, repetitive.
func events() [][]byte {
	list := [][]byte{[]byte("data: {\"n\":0}\n\n"), []byte("x"), []byte(strings.Repeat("long line ", 30000))}
	for i := range 50 {
		list = append(list, fmt.Appendf(nil, "data: {\"n\":%d,\"delta\":\"word %d\"}\n\n", i, rand.Uint32()))
	}
	return list
}

// Every event comes out with the read that completed it, no later.
func TestEventByEvent(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			var wire bytes.Buffer
			enc := w.open(&wire)
			if !Known(w.coding) {
				t.Fatalf("coding %q is not known", w.coding)
			}
			d := New(w.coding)
			defer d.Stop()
			for i, e := range events() {
				if _, err := enc.Write(e); err != nil {
					t.Fatal(err)
				}
				if err := enc.Flush(); err != nil {
					t.Fatal(err)
				}
				got, err := feed(d, wire.Next(wire.Len()))
				if err != nil {
					t.Fatalf("event %d: %v", i, err)
				}
				if !bytes.Equal(got, e) {
					t.Fatalf("event %d came out as %d bytes instead of %d", i, len(got), len(e))
				}
			}
			if err := enc.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := feed(d, wire.Bytes())
			if err != nil || len(got) != 0 {
				t.Fatalf("the end returned %d bytes and error %v", len(got), err)
			}
			if err := d.End(discard); err != nil {
				t.Fatalf("end: %v", err)
			}
		})
	}
}

// However the bytes are cut, the same comes out; a body cut short says so.
func TestCutAnywhere(t *testing.T) {
	for _, w := range writers {
		t.Run(w.name, func(t *testing.T) {
			var wire, plain bytes.Buffer
			enc := w.open(&wire)
			for _, e := range events() {
				plain.Write(e)
				if _, err := enc.Write(e); err != nil {
					t.Fatal(err)
				}
				if rand.IntN(3) == 0 {
					if err := enc.Flush(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := enc.Close(); err != nil {
				t.Fatal(err)
			}
			for range 20 {
				d := New(w.coding)
				var got []byte
				for rest := wire.Bytes(); len(rest) > 0; {
					n := min(len(rest), 1+rand.IntN(300))
					out, err := feed(d, rest[:n])
					if err != nil {
						t.Fatal(err)
					}
					got, rest = append(got, out...), rest[n:]
				}
				if err := d.End(discard); err != nil || !bytes.Equal(got, plain.Bytes()) {
					t.Fatalf("%d bytes of %d, error %v", len(got), plain.Len(), err)
				}
				d.Stop()
			}
			d := New(w.coding)
			defer d.Stop()
			if _, err := feed(d, wire.Bytes()[:wire.Len()/2]); err != nil {
				t.Fatal(err)
			}
			if err := d.End(discard); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("half a body ended with %v", err)
			}
		})
	}
}

func TestBroken(t *testing.T) {
	var whole bytes.Buffer
	z := brotli.NewWriter(&whole)
	fmt.Fprint(z, "text")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, coding string
		body         []byte
	}{
		{"no gzip", "gzip", []byte("data: {}\n\n------------------")},
		{"no zstd", "zstd", []byte("data: {}\n\n------------------")},
		{"more after the end", "br", append(whole.Bytes(), "and more"...)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := New(tc.coding)
			defer d.Stop()
			_, err := feed(d, tc.body)
			if err == nil {
				t.Fatal("no error")
			}
			if _, again := feed(d, []byte("x")); !errors.Is(again, err) {
				t.Fatalf("the error %v did not stand: %v", err, again)
			}
		})
	}
	t.Run("unknown", func(t *testing.T) {
		if Known("compress") || Known("gzip, br") {
			t.Fatal("known")
		}
	})
	t.Run("empty", func(t *testing.T) {
		d := New("gzip")
		defer d.Stop()
		if err := d.End(discard); err != nil {
			t.Fatalf("an empty body ended with %v", err)
		}
	})
	t.Run("out fails", func(t *testing.T) {
		d := New("br")
		defer d.Stop()
		want := errors.New("no room")
		if err := d.Decode(whole.Bytes(), func([]byte) error { return want }); !errors.Is(err, want) {
			t.Fatalf("got %v", err)
		}
	})
}

// Messages of permessage-deflate: one that ends in a sync flush, and one that
// ends in a final block, both with references back to the messages before.
func TestMessages(t *testing.T) {
	var wire bytes.Buffer
	enc, err := flate.NewWriter(&wire, 9)
	if err != nil {
		t.Fatal(err)
	}
	d := NewMessages()
	defer d.Stop()
	var before []byte
	for i := range 60 {
		text := fmt.Appendf(nil, `{"type":"usage","n":%d,"pad":"%s"}`, i, strings.Repeat("the same once more ", i*20))
		if _, err := enc.Write(text); err != nil {
			t.Fatal(err)
		}
		final := i%4 == 3
		if final {
			err = enc.Close()
		} else {
			err = enc.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
		payload := bytes.Clone(wire.Next(wire.Len()))
		if final {
			payload = append(payload, 0) // RFC 7692, section 7.2.3.5
		} else {
			payload = bytes.TrimSuffix(payload, MessageTail)
		}
		got, err := feed(d, payload)
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		rest, err := feed(d, MessageTail)
		if err != nil {
			t.Fatalf("tail of message %d: %v", i, err)
		}
		if got = append(got, rest...); !bytes.Equal(got, text) {
			t.Fatalf("message %d came out as %q", i, got)
		}
		before = append(before, text...)
		if final {
			window := before[max(0, len(before)-32<<10):]
			if enc, err = flate.NewWriterDict(&wire, 9, window); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, w := range writers {
		var wire bytes.Buffer
		enc := w.open(&wire)
		fmt.Fprint(enc, "data: {\"type\":\"ping\"}\n\n")
		if err := enc.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(w.coding, wire.Bytes(), uint8(3))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte, cut uint8) {
		if !Known(name) {
			return
		}
		at := min(len(body), int(cut))
		whole, errWhole := decodeAll(name, body)
		parts, errParts := decodeAll(name, body[:at], body[at:])
		if (errWhole == nil) != (errParts == nil) {
			t.Fatalf("in one piece: %v, in two: %v", errWhole, errParts)
		}
		if errWhole == nil && !bytes.Equal(whole, parts) {
			t.Fatal("it matters where the bytes are cut")
		}
	})
}

// errTooMuch ends a fuzzed body that would unfold without measure.
var errTooMuch = errors.New("more than a test needs")

func decodeAll(name string, pieces ...[]byte) ([]byte, error) {
	d := New(name)
	defer d.Stop()
	var all []byte
	out := func(p []byte) error {
		if len(all) > 1<<20 {
			return errTooMuch
		}
		all = append(all, p...)
		return nil
	}
	for _, p := range pieces {
		if err := d.Decode(p, out); err != nil {
			return all, err
		}
	}
	return all, d.End(out)
}

func feed(d *Decoder, p []byte) ([]byte, error) {
	var got []byte
	err := d.Decode(p, func(out []byte) error { got = append(got, out...); return nil })
	return got, err
}

func discard([]byte) error { return nil }
