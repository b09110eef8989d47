package tapefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// allocated returns the bytes that do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// rawTape returns a tape of one record whose body is given.
func rawTape(t testing.TB, kind Kind, body []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out)
	check(t, err)
	w.body = body
	w.record(kind, &Meta{Session: "s"})
	check(t, w.Close())
	return out.Bytes()
}

// framesOf returns the body of a record with a block of frames.
func framesOf(n int, codec block.Codec, raw []byte) []byte {
	builder := block.NewBuilder()
	for i := range n {
		builder.Add(&schema.Frame{Seq: uint64(i) + 1, Raw: raw})
	}
	p := builder.Encode(nil, &block.Block{State: schema.StreamState{StreamID: "x"}}, codec)
	return append([]byte{byte(len(p)), byte(len(p) >> 8), byte(len(p) >> 16), byte(len(p) >> 24)}, p...)
}

// A scanner with bounds asks for the memory of each record before it reads the data, and refuses what exceeds the bounds.
func TestBounds(t *testing.T) {
	const most = 1 << 20
	zeroes := make([]byte, 4*most)
	states := appendBlock(nil, &block.Block{State: schema.StreamState{StreamID: "x", Title: string(make([]byte, maxStates))}}, nil)
	for name, c := range map[string]struct {
		kind Kind
		body []byte
		want error
	}{
		"frames":              {KindFrames, framesOf(groupFrames, block.Plain, []byte("{}\n")), nil},
		"a frame":             {KindFrames, framesOf(1, block.Plain, zeroes[:most-1000]), nil},
		"a large frame":       {KindFrames, framesOf(1, block.Plain, zeroes), ErrTooLarge},
		"large facts":         {KindFacts, framesOf(1, block.Plain, zeroes), ErrTooLarge},
		"large states":        {KindStreams, states, ErrTooLarge},
		"a block in a block":  {KindFrames, framesOf(1, block.Zstd, make([]byte, 8*most)), ErrDamaged},
		"a million of frames": {KindFrames, framesOf(most/4, block.Plain, nil), ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewScanner(bytes.NewReader(rawTape(t, c.kind, c.body)))
			asked := 0
			s.Bound(Bounds{Record: most, Admit: func(n int) error {
				asked = n
				return nil
			}})
			rec, err := s.Next()
			if err == nil {
				if asked < copies*len(c.body) {
					t.Errorf("it asked for %d bytes for a record of %d", asked, len(c.body))
				}
				err = rec.Blocks(false, func(*block.Block) error { return nil })
			}
			if _, broken := errors.AsType[*BreakError](err); !errors.Is(err, c.want) || c.want != nil && !broken {
				t.Errorf("it ends with %v, want %v", err, c.want)
			}
		})
	}
	no := errors.New("no memory")
	s := NewScanner(bytes.NewReader(rawTape(t, KindFrames, framesOf(1, block.Plain, nil))))
	s.Bound(Bounds{Record: most, Admit: func(int) error { return no }})
	if _, err := s.Next(); !errors.Is(err, no) {
		t.Errorf("refused memory ends the scan with %v", err)
	}
}

// The index of a file takes no more memory than its records may need.
func TestHostileIndex(t *testing.T) {
	const records = 100
	var out bytes.Buffer
	w, err := NewWriter(&out)
	check(t, err)
	for range records {
		w.body = framesOf(1, block.Plain, nil)
		w.record(KindFrames, &Meta{Session: "s", Frames: 1})
	}
	at := w.offset
	count := func(n uint64) []byte { return binary.AppendUvarint(nil, n) }
	tiny := appendIndex(nil, []entry{{Meta: Meta{Session: "s"}, kind: KindFrames, offset: int64(headerSize), size: 1}})
	for name, body := range map[string][]byte{
		"zeroes":              append(count(1<<21), make([]byte, 12<<20)...),
		"a count":             append(count(1<<31), make([]byte, 3000)...),
		"more than the file":  append(count(records*40), make([]byte, 3000)...),
		"records of one byte": tiny,
	} {
		t.Run(name, func(t *testing.T) {
			w.offset, w.err = at, nil
			out.Truncate(int(at))
			w.body = body
			w.record(KindIndex, &Meta{})
			w.write(trailer(at, int(w.offset-at)))
			check(t, w.err)
			grown := allocated(func() {
				f := open(t, out.Bytes())
				if err := f.Break(); err != nil || f.Frames() != records {
					t.Errorf("%d frames: %v", f.Frames(), err)
				}
				if _, err := f.readIndex(); !errors.Is(err, ErrDamaged) {
					t.Errorf("its index: %v", err)
				}
			})
			if grown > 8<<20 {
				t.Errorf("%d bytes were allocated for a file of %d", grown, out.Len())
			}
		})
	}
}

// An index of whole records stays within the bound, also if each of its sessions has another name.
func TestLargestIndex(t *testing.T) {
	var out bytes.Buffer
	w, err := NewWriter(&out)
	check(t, err)
	for i := range 2000 {
		w.body = nil
		w.record(KindFacts, &Meta{Session: string(bytes.Repeat([]byte{byte(i)}, i%50))})
	}
	at := w.offset
	check(t, w.Close())
	f := open(t, out.Bytes())
	entries, err := f.readIndex()
	if err != nil || len(entries) != 2000 {
		t.Errorf("%d entries before byte %d: %v", len(entries), at, err)
	}
}
