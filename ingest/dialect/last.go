package dialect

// Last owns the latest of a series of texts, so that a value which repeats
// from frame to frame is copied once.
type Last string

// lastLimit is the length from which on a text is not kept, bytes.
const lastLimit = 512

// Own returns a copy of text: the one made last where it is the same.
func (l *Last) Own(text []byte) string {
	if len(text) == 0 {
		return "" // what is kept stays: members come and go
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
