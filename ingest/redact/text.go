package redact

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text is the content of a leaf after its JSON escapes were decoded.
type text struct {
	bytes []byte
	base  int     // offset of bytes[0] in Raw, if there are no escapes
	ends  []int32 // with escapes: for each byte, the end in Raw of its encoding
}

// at returns the range in Raw of bytes [from, to) of the text.
func (t *text) at(from, to int) (int, int) {
	if t.ends == nil {
		return t.base + from, t.base + to
	}
	begin := t.base
	if from > 0 {
		begin = int(t.ends[from-1])
	}
	if to == from {
		return begin, begin
	}
	return begin, int(t.ends[to-1])
}

// decoded decodes the JSON escapes in raw[from:to]. It uses the memory of buf and ends.
func decoded(raw []byte, from, to int, buf []byte, ends []int32) text {
	part := raw[from:to]
	if bytes.IndexByte(part, '\\') < 0 {
		return text{bytes: part, base: from}
	}
	buf, ends = buf[:0], ends[:0]
	for i := 0; i < len(part); {
		if part[i] != '\\' || i+1 == len(part) {
			buf, ends = append(buf, part[i]), append(ends, int32(from+i+1))
			i++
			continue
		}
		c, n := part[i+1], 2
		switch c {
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'u':
			var r rune
			if r, n = escaped(part[i:]); n > 0 {
				size := len(buf)
				buf = utf8.AppendRune(buf, r)
				for range len(buf) - size {
					ends = append(ends, int32(from+i+n))
				}
				i += n
				continue
			}
			n = 2
		}
		buf, ends = append(buf, c), append(ends, int32(from+i+n))
		i += n
	}
	return text{buf, from, ends}
}

// escaped returns the character of a JSON escape and the length of the escape, 0 if the escape is
// invalid.
func escaped(part []byte) (rune, int) {
	if len(part) < 6 {
		return 0, 0
	}
	n, err := strconv.ParseUint(string(part[2:6]), 16, 16)
	if err != nil {
		return 0, 0
	}
	if r := rune(n); !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(part) >= 12 && part[6] == '\\' && part[7] == 'u' {
		if low, err := strconv.ParseUint(string(part[8:12]), 16, 16); err == nil {
			return utf16.DecodeRune(rune(n), rune(low)), 12
		}
	}
	return utf8.RuneError, 6
}
