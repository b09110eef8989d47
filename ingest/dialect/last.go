package dialect

// Last keeps the latest text of a series, so that a text that repeats from frame to frame is
// copied once.
type Last string

// lastLimit is the length from which on a text is not kept, bytes.
const lastLimit = 512

// Own returns a copy of text, or the latest copy if text is the same.
func (l *Last) Own(text []byte) string {
	if len(text) == 0 {
		return "" // a text may be absent from one frame and come again: the kept one stays
	}
	if string(*l) == string(text) {
		return string(*l)
	}
	own := string(text)
	if len(own) <= lastLimit {
		*l = Last(own)
	}
	return own
}
