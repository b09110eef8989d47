// Package framingtest is the conformance suite of ingest.Framer.
package framingtest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/schema"
)

// Cut splits a text that arrives in the given reads. The first read arrives at 1 ms, each other
// read 1 ms after the previous one, and the end 1 ms after the last read. The frames are copies.
func Cut(c ingest.Framer, reads ...[]byte) ([]schema.Frame, error) {
	var frames []schema.Frame
	keep := func(f *schema.Frame) error {
		own := *f
		own.Raw, own.Cuts = bytes.Clone(f.Raw), slices.Clone(f.Cuts)
		frames = append(frames, own)
		return nil
	}
	var read []byte // reused like a reader's buffer, which detects a Raw that aliases an earlier read
	for i, r := range reads {
		read = append(read[:0], r...)
		if err := c.Split(read, readAt(i), keep); err != nil {
			return nil, err
		}
		clear(read)
	}
	return frames, c.End(readAt(len(reads)), keep)
}

func readAt(i int) int64 { return int64(i+1) * 1e6 }

// Split divides a text into reads. Each element of sizes is the length of a read; the remaining
// text is one more read.
func Split(text []byte, sizes ...int) [][]byte {
	var reads [][]byte
	for _, n := range sizes {
		if n = min(n, len(text)); n > 0 {
			reads = append(reads, text[:n])
			text = text[n:]
		}
	}
	if len(text) > 0 {
		reads = append(reads, text)
	}
	return reads
}

// Check compares the frames that a framer makes of the reads with the frames of a single read, and
// with the bytes and their arrival times. It returns an error for the first difference.
func Check(newCutter func() ingest.Framer, reads ...[]byte) error {
	whole := bytes.Join(reads, nil)
	frames, err := Cut(newCutter(), reads...)
	if err != nil {
		return fmt.Errorf("the framer failed although emit did not: %w", err)
	}
	atOnce, err := Cut(newCutter(), whole)
	if err != nil {
		return fmt.Errorf("the framer failed although emit did not: %w", err)
	}
	if err := sameFrames(frames, atOnce); err != nil {
		return err
	}
	return checkFrames(frames, reads)
}

// sameFrames compares everything that must not depend on the division into reads.
func sameFrames(frames, atOnce []schema.Frame) error {
	for i := range max(len(frames), len(atOnce)) {
		if i >= len(frames) || i >= len(atOnce) {
			return fmt.Errorf("%d frames, but %d if all arrives in one read", len(frames), len(atOnce))
		}
		a, b := frames[i], atOnce[i]
		if !bytes.Equal(a.Raw, b.Raw) {
			return fmt.Errorf("frame %d is %q, but %q if all arrives in one read", i, a.Raw, b.Raw)
		}
		if was, is := b.Flags&^schema.FlagJoined, a.Flags&^schema.FlagJoined; was != is {
			return fmt.Errorf("frame %d %q is marked %s, but %s if all arrives in one read", i, a.Raw, is, was)
		}
		if a.Transport != b.Transport {
			return fmt.Errorf("frame %d is of transport %s, but %s if all arrives in one read", i, a.Transport,
				b.Transport)
		}
	}
	return nil
}

// checkFrames compares the frames with the reads.
func checkFrames(frames []schema.Frame, reads [][]byte) error {
	whole := bytes.Join(reads, nil)
	ends := make([]int, len(reads)) // offset at which each read ends in the text
	for i, n := 0, 0; i < len(reads); i++ {
		n += len(reads[i])
		ends[i] = n
	}
	// Start of the frame; the read in which it begins; the read in which the previous frame ended.
	start, first, last := 0, 0, -1
	for i, f := range frames {
		end := start + len(f.Raw)
		if len(f.Raw) == 0 || end > len(whole) || !bytes.Equal(f.Raw, whole[start:end]) {
			return fmt.Errorf("frame %d is %q, which was not read at byte %d", i, f.Raw, start)
		}
		for ends[first] <= start {
			first++
		}
		read := first
		var cuts []schema.Cut
		for ; ends[read] < end; read++ {
			cuts = append(cuts, schema.Cut{Offset: uint32(ends[read] - start), At: readAt(read)})
		}
		if len(cuts) <= framing.MaxCuts && f.At != readAt(read) {
			return fmt.Errorf("frame %d %q arrived at %d, but has %d", i, f.Raw, readAt(read), f.At)
		}
		if cuts = cuts[:min(len(cuts), framing.MaxCuts)]; !slices.Equal(f.Cuts, cuts) {
			return fmt.Errorf("frame %d %q arrived in cuts %v, but has %v", i, f.Raw, cuts, f.Cuts)
		}
		if joined := read == last; f.Flags.Has(schema.FlagJoined) != joined {
			return fmt.Errorf("frame %d %q: joined to the previous one is %v, but its flag is %v", i, f.Raw, joined,
				!joined)
		}
		if err := checkMarks(i, &f); err != nil {
			return err
		}
		start, last = end, read
	}
	if start != len(whole) {
		return fmt.Errorf("%d bytes were read, the frames have %d", len(whole), start)
	}
	return nil
}

func checkMarks(i int, f *schema.Frame) error {
	if f.Transport == schema.EventStream { // binary: the marks are for text
		if f.Flags&(schema.FlagNUL|schema.FlagInvalidUTF8) != 0 {
			return fmt.Errorf("frame %d of a binary transport is marked %s", i, f.Flags)
		}
		return nil
	}
	if nul := bytes.IndexByte(f.Raw, 0) >= 0; f.Flags.Has(schema.FlagNUL) != nul {
		return fmt.Errorf("frame %d %q: a NUL in it is %v, but its flag is %v", i, f.Raw, nul, !nul)
	}
	bad := !utf8.Valid(f.Raw)
	if says := f.Flags.Has(schema.FlagInvalidUTF8); says != bad && !(f.Flags.Has(schema.FlagOversize) && !says) {
		return fmt.Errorf("frame %d %q: invalid UTF-8 is %v, but its flag is %v", i, f.Raw, bad, says)
	}
	return nil
}

var errStop = errors.New("stop here")

// checkStop checks that the first error of emit ends the call and is returned.
func checkStop(newCutter func() ingest.Framer, text []byte) error {
	frames, err := Cut(newCutter(), text)
	if err != nil {
		return err
	}
	for stop := range frames {
		calls := 0
		emit := func(*schema.Frame) error {
			calls++
			if calls > stop {
				return errStop
			}
			return nil
		}
		c := newCutter()
		if err = c.Split(text, 1, emit); err == nil {
			err = c.End(2, emit)
		}
		if !errors.Is(err, errStop) || calls != stop+1 {
			return fmt.Errorf("emit failed at frame %d: %d calls and %w, want %d and the error", stop, calls, err,
				stop+1)
		}
	}
	return nil
}
