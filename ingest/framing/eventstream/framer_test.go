package eventstream_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/eventstream"
	"tapedeck/ingest/framing/framingtest"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newFramer(limit int) ingest.Framer { return eventstream.NewFramer(limit) }

// message encodes a message with one header, a string.
func message(name, value, payload string) []byte {
	header := append([]byte{byte(len(name))}, name...)
	header = append(header, 7, byte(len(value)>>8), byte(len(value)))
	header = append(header, value...)
	m := binary.BigEndian.AppendUint32(nil, uint32(16+len(header)+len(payload)))
	m = binary.BigEndian.AppendUint32(m, uint32(len(header)))
	m = binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
	m = append(append(m, header...), payload...)
	return binary.BigEndian.AppendUint32(m, crc32.ChecksumIEEE(m))
}

var (
	one = message(":event-type", "messageStart", `{"role":"assistant"}`)
	two = message(":event-type", "messageStop", `{"stopReason":"end_turn"}`)
)

func wrong(m []byte) []byte {
	m = bytes.Clone(m)
	m[len(m)-6] ^= 1
	return m
}

func TestSuite(t *testing.T) {
	framingtest.Run(t, newFramer, slices.Concat(one, two, []byte("noise"), one, wrong(two), one[:20]))
}

func FuzzFramer(f *testing.F) {
	framingtest.Fuzz(f, newFramer, slices.Concat(one, two, []byte{0, 0, 0}, wrong(one), two[:9]))
}

func TestCaptures(t *testing.T) {
	for name, text := range framingtest.Fixtures(t, ".bin") {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 7, 100, 4096} {
				sizes := slices.Repeat([]int{size}, len(text)/size+1)
				if err := framingtest.Check(func() ingest.Framer { return eventstream.NewFramer(0) }, framingtest.Split(text, sizes...)...); err != nil {
					t.Error(err)
				}
			}
			frames, err := framingtest.Cut(eventstream.NewFramer(0), text)
			if err != nil {
				t.Fatal(err)
			}
			want := bytes.Count(text, []byte("\x0b:event-type")) // one in each message
			if len(frames) != want {
				t.Errorf("%d frames of %d messages", len(frames), want)
			}
			for _, f := range frames {
				c, _ := schema.Unframe(&f, nil)
				if f.Flags&^schema.FlagJoined != 0 || c.Event == "" || !bytes.HasPrefix(c.Data, []byte("{")) {
					t.Errorf("%q is marked %s and reads as %q %q", f.Raw, f.Flags, c.Event, c.Data)
				}
			}
		})
	}
}

func TestFrames(t *testing.T) {
	type frame struct {
		raw   []byte
		flags schema.Flags
	}
	noise := []byte("noise that is no message")
	long := message("x", "y", strings.Repeat("z", 200))
	for _, tc := range []struct {
		name  string
		limit int
		want  []frame
	}{
		{"messages", 0, []frame{{one, 0}, {two, schema.FlagJoined}}},
		{"a wrong checksum", 0, []frame{{wrong(one), schema.FlagBadChecksum}, {two, schema.FlagJoined}}},
		{"bytes between", 0, []frame{{one, 0}, {noise, schema.FlagBadChecksum | schema.FlagJoined}, {two, schema.FlagJoined}}},
		{"bytes over the limit", 10, []frame{{noise[:10], schema.FlagBadChecksum},
			{noise[10:], schema.FlagBadChecksum | schema.FlagUnterminated | schema.FlagJoined}}},
		{"cut off", 0, []frame{{one, 0}, {two[:len(two)-1], schema.FlagUnterminated | schema.FlagJoined}}},
		{"cut off in its lengths", 0, []frame{{one[:7], schema.FlagUnterminated}}},
		{"over the limit", 100, []frame{{long[:100], schema.FlagOversize}, {long[100:200], schema.FlagOversize | schema.FlagJoined},
			{long[200:], schema.FlagOversize | schema.FlagJoined}, {one, schema.FlagJoined}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var text []byte
			for _, f := range tc.want {
				text = append(text, f.raw...)
			}
			got, err := framingtest.Cut(eventstream.NewFramer(tc.limit), text)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != len(tc.want) {
				t.Fatalf("%d frames, want %d", len(got), len(tc.want))
			}
			for i, f := range got {
				if !bytes.Equal(f.Raw, tc.want[i].raw) || f.Flags != tc.want[i].flags {
					t.Errorf("frame %d: %q %s, want %q %s", i, f.Raw, f.Flags, tc.want[i].raw, tc.want[i].flags)
				}
			}
		})
	}
}
