package keys

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

func TestMain(m *testing.M) { localtest.Main(m) }

// testLog is the messages of a log.
type testLog struct {
	seq      uint64
	messages []*jetstream.RawStreamMsg
}

func (l *testLog) append(m *nats.Msg) {
	l.seq++
	l.messages = append(l.messages, &jetstream.RawStreamMsg{Sequence: l.seq, Header: m.Header, Data: m.Data})
}

// sent is a masked line of so many bytes.
func sent(seq uint64, length int) maskedFrame { return maskedFrame{seq, Sent{length, "\n", true}} }

func (l *testLog) claim(attempt uint64) {
	kind := kindClaim
	if attempt == 0 {
		kind = kindOpen
	}
	l.append(jsonMessage("s", kind, 0, &opening{Attempt: attempt}))
}

// block writes a block of frames, which are texts by their seq.
func (l *testLog) block(masked []maskedFrame, frames map[uint64]string) {
	b := block.NewBuilder()
	for seq := range uint64(100) {
		if text, ok := frames[seq]; ok {
			b.Add(&schema.Frame{Seq: seq, Raw: []byte(text)})
		}
	}
	data := b.Encode(nil, &block.Block{State: schema.StreamState{StreamID: schema.NewStreamID()}}, block.S2)
	l.append(blockMessage("s", 0, &queued{block: ingest.EncodedBlock{Data: data}, masked: masked}))
}

func (l *testLog) read(t *testing.T, unit Unit, offset uint64) *Known {
	t.Helper()
	k := newKnown(unit, offset)
	for _, m := range l.messages {
		if err := k.add(m); err != nil {
			t.Fatal(err)
		}
	}
	return &k
}

// The length of a masked frame counts from the log, whichever block has it, and only until another
// attempt records the frame again.
func TestMaskedLengths(t *testing.T) {
	var l testLog
	l.claim(0)
	l.block([]maskedFrame{sent(1, 50), sent(4, 60)}, map[uint64]string{0: "plain\n", 3: "late\n"})
	l.block(nil, map[uint64]string{1: "[x]\n"})
	if k := l.read(t, Bytes, 0); k.Frames != 2 || k.Bytes != 6+50 || !k.Masked() || !slices.Equal(k.gaps, []gap{{6, 56}}) {
		t.Errorf("%d frames, %d bytes, gaps %v", k.Frames, k.Bytes, k.gaps)
	}
	l.block([]maskedFrame{sent(2, 8)}, map[uint64]string{2: "[y]\n"})
	if k := l.read(t, Bytes, 10); k.Frames != 4 || k.Bytes != 6+50+8+5 || !slices.Equal(k.gaps, []gap{{10, 64}}) {
		t.Errorf("%d frames, %d bytes, gaps %v", k.Frames, k.Bytes, k.gaps)
	}
	l.claim(1)
	l.block(nil, map[uint64]string{4: "not masked\n"})
	if k := l.read(t, Frames, 2); k.Frames != 5 || k.Bytes != 6+50+8+5+11 || !slices.Equal(k.gaps, []gap{{2, 3}}) {
		t.Errorf("%d frames, %d bytes, gaps %v", k.Frames, k.Bytes, k.gaps)
	}
}

// A log of an earlier version does not say what is masked; its bytes count as they are.
func TestLogWithoutLengths(t *testing.T) {
	var l testLog
	l.claim(0)
	l.block(nil, map[uint64]string{0: "one\n", 1: "[redacted:x#1]\n"})
	k := l.read(t, Bytes, 0)
	if k.Frames != 2 || k.Bytes != uint64(len("one\n[redacted:x#1]\n")) || k.Masked() || k.gaps != nil {
		t.Errorf("%+v", k)
	}
}

func TestMaskedHeader(t *testing.T) {
	want := []maskedFrame{{0, Sent{1, "", true}}, {7, Sent{4096, "\r\n\r\n", true}}, {1 << 40, Sent{1<<32 - 1, "\n", true}}}
	text := maskedText(want)
	if got, err := maskedOf(nats.Header{headerMasked: {text}}); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q is %v, %v", text, got, err)
	}
	if got, err := maskedOf(nats.Header{}); err != nil || got != nil {
		t.Errorf("no header is %v, %v", got, err)
	}
	for _, bad := range []string{"1", "1=", "=1", "1=x", "1=2,", "1=n", "1=2n3", "-1=2", "1=4294967296"} {
		if got, err := maskedOf(nats.Header{headerMasked: {bad}}); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

// Repeated bytes are compared from any offset and in any pieces, except those of masked frames.
func TestVerifierWithGaps(t *testing.T) {
	body := "plain one\n" + "the secret\n" + "another secret\n" + "plain two\n" + "last secret\n"
	secret := func(i int) bool { return 10 <= i && i < 36 || i >= 46 }
	var l testLog
	l.claim(0)
	l.block([]maskedFrame{sent(1, 11), sent(2, 15), sent(4, 12)},
		map[uint64]string{0: "plain one\n", 1: "the [x]\n", 2: "another [x]\n", 3: "plain two\n", 4: "last [x]\n"})
	verify := func(offset, piece int, text string) error {
		c := Claim{req: Request{Offset: uint64(offset)}, known: *l.read(t, Bytes, uint64(offset)), input: newDigest(Bytes, 0)}
		c.expected = c.known.tail.String()
		v := c.Verifier()
		for rest := []byte(text[offset:]); len(rest) > 0; {
			n := min(piece, len(rest))
			if err := v.AddBytes(rest[:n]); err != nil {
				return err
			}
			rest = rest[n:]
		}
		if v.Left() != 0 {
			return fmt.Errorf("%d bytes are left", v.Left())
		}
		whole := newDigest(Bytes, 0)
		whole.AddBytes([]byte(text[offset:]))
		if c.tailDigest() != whole.String() || (c.Digest() != "") != (offset == 0) {
			return errors.New("the digest of the input is wrong")
		}
		return nil
	}
	for offset := range len(body) {
		for _, piece := range []int{1, 7, 100} {
			if err := verify(offset, piece, body); err != nil {
				t.Errorf("from %d by %d: %v", offset, piece, err)
			}
		}
		for i := offset; i < len(body); i++ {
			other := body[:i] + "#" + body[i+1:]
			if err := verify(offset, 5, other); secret(i) != (err == nil) || err != nil && !errors.Is(err, ErrMismatch) {
				t.Errorf("byte %d differs, from %d: %v", i, offset, err)
			}
		}
	}
}

// Frames of the log pass again after a restart; they are not new ones.
func TestOriginals(t *testing.T) {
	o := originals{next: 2}
	pass := func(seq uint64, flags schema.Flags) { o.passed(&schema.Frame{Seq: seq, Flags: flags}) }
	pass(0, schema.FlagRedacted)
	add := func(length int, end string) { o.add([]byte(strings.Repeat("x", length-len(end)) + end)) }
	add(10, "\n")
	add(20, "")
	pass(1, schema.FlagRedacted)
	pass(2, schema.FlagRedacted)
	if got := o.take(); !slices.Equal(got, []maskedFrame{{2, Sent{10, "\n", true}}}) {
		t.Errorf("took %v", got)
	}
	add(30, "\n\r\n\r\n")
	pass(3, 0)
	pass(4, schema.FlagRedacted|schema.FlagJoined)
	if got := o.take(); !slices.Equal(got, []maskedFrame{{4, Sent{30, "\r\n\r\n", true}}}) || o.take() != nil {
		t.Errorf("took %v", got)
	}
}

func FuzzMaskedHeader(f *testing.F) {
	f.Add("0=1,7=4096rn")
	f.Add("1=,")
	f.Fuzz(func(t *testing.T, text string) {
		frames, err := maskedOf(nats.Header{headerMasked: {text}})
		if err != nil {
			return
		}
		if got, err := maskedOf(nats.Header{headerMasked: {maskedText(frames)}}); err != nil || !slices.Equal(got, frames) {
			t.Errorf("%q is %v, and written again %v, %v", text, frames, got, err)
		}
	})
}
