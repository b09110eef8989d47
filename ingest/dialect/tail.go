package dialect

import "github.com/cespare/xxhash/v2"

// Tail holds the latest frames of an answer whose events do not number themselves, so that
// a decoder recognises the end of the answer when it is delivered again: sources that
// deliver at least once, and those that read a file's tail again, repeat it to the byte.
// It keeps 8 bytes for each of 64 frames. The zero value is empty.
type Tail struct {
	frames      Recent
	open        bool
	first, last uint64 // hashes of the answer's first frame, and of the frame before
}

// tailFrames bounds the frames of an answer's end that are recognised.
const tailFrames = 64

// Again reports whether a frame repeats one of the answer that ended last. open says
// whether an answer is in progress before the frame. The first frame of an answer does not
// count: the same frame may begin another.
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

// AgainNamed is Again for frames that name their answer, so that the same frame begins no
// other.
func (t *Tail) AgainNamed(data []byte, open bool) bool {
	again := t.Again(data, open)
	return again || !open && t.last == t.first
}
