package framing

import (
	"bytes"
	"unicode/utf8"

	"tapedeck/schema"
)

// Emit emits a frame of all pending bytes followed by tail, which belongs to the current read. If
// there are no pending bytes, the frame's Raw is tail itself. Emit adds the flags that follow from
// the bytes and their arrival to flags. If the frame would be empty, Emit does nothing.
func (b *Buffer) Emit(tail []byte, flags schema.Flags, emit func(*schema.Frame) error) error {
	if b.Len() == 0 {
		if len(tail) == 0 {
			return nil
		}
		return b.send(tail, nil, b.at, b.read, flags, emit)
	}
	if len(tail) > 0 {
		b.Append(tail)
	}
	return b.EmitFirst(b.Len(), flags, emit)
}

// EmitFirst emits a frame of the first n pending bytes, n > 0.
func (b *Buffer) EmitFirst(n int, flags schema.Flags, emit func(*schema.Frame) error) error {
	start, end := b.off, b.off+n
	inside := b.used
	for inside < len(b.cuts) && int(b.cuts[inside].Offset) < end {
		b.cuts[inside].Offset -= uint32(start)
		inside++
	}
	cuts := b.cuts[b.used:inside]
	at, read := b.at, b.read
	if inside < len(b.cuts) { // the frame's last byte arrived in the read that ends here
		at, read = b.cuts[inside].At, b.first+uint64(inside)
		if int(b.cuts[inside].Offset) == end {
			inside++
		}
	}
	b.used, b.off = inside, end
	err := b.send(b.pending[start:end], cuts, at, read, flags, emit)
	b.release()
	return err
}

func (b *Buffer) send(raw []byte, cuts []schema.Cut, at int64, read uint64, flags schema.Flags, emit func(*schema.Frame) error) error {
	if read == b.ended {
		flags |= schema.FlagJoined
	}
	b.ended = read
	if len(cuts) == 0 {
		cuts = nil
	}
	if b.transport != schema.EventStream { // it is binary
		flags |= marks(raw, flags)
	}
	b.frame = schema.Frame{At: at, Transport: b.transport, Flags: flags, Raw: raw, Cuts: cuts}
	err := emit(&b.frame)
	b.frame = schema.Frame{} // release the frame's bytes
	return err
}

// marks returns the flags that follow from the bytes. A character that is divided between two
// pieces of an oversize message does not count as invalid UTF-8.
func marks(raw []byte, flags schema.Flags) schema.Flags {
	var m schema.Flags
	if bytes.IndexByte(raw, 0) >= 0 {
		m |= schema.FlagNUL
	}
	if flags.Has(schema.FlagOversize) {
		raw = wholeRunes(raw)
	}
	if !utf8.Valid(raw) {
		m |= schema.FlagInvalidUTF8
	}
	return m
}

func wholeRunes(p []byte) []byte {
	for i := 1; i < utf8.UTFMax && len(p) > 0 && !utf8.RuneStart(p[0]); i++ {
		p = p[1:]
	}
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if last := p[len(p)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return p[:len(p)-i]
			}
			break
		}
	}
	return p
}
