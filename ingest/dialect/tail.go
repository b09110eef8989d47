package dialect

import "github.com/cespare/xxhash/v2"

// Tail holds the latest frames of an answer whose events have no numbers, so that a decoder
// recognises the end of the answer when it is delivered again. Sources that deliver at least
// once, and sources that read a file's tail again, repeat the end to the byte. Tail takes 8 bytes
// for each of 64 frames. The zero value is empty.
type Tail struct {
	frames      Recent
	open        bool
	first, last uint64 // hashes of the answer's first frame, and of the previous frame
}

// tailFrames bounds the frames at the end of an answer that are recognised.
const tailFrames = 64

// Again reports whether a frame repeats a frame of the answer that ended last. open reports
// whether an answer is in progress before the frame. The first frame of an answer is not a
// repeat: another answer may begin with the same frame.
func (t *Tail) Again(data []byte, open bool) bool {
	hash := xxhash.Sum64(data)
	if open && !t.open {
		t.frames.Clear()
		t.first = t.last
	}
	t.open, t.last = open, hash
	if open {
		t.frames.AddHash(hash, tailFrames)
		return false
	}
	return t.frames.HasHash(hash)
}

// AgainNamed is Again for frames that name their answer: no other answer begins with the same
// frame.
func (t *Tail) AgainNamed(data []byte, open bool) bool {
	again := t.Again(data, open)
	return again || !open && t.last == t.first
}
