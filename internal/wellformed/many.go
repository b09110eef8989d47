package wellformed

// MaxValues is the maximum number of JSON values that are parsed. A parsed value takes about 200
// bytes.
const MaxValues = 1 << 20

// Many reports whether a JSON text has more than MaxValues values, counting names as values. It
// counts any other text as if it were JSON.
func Many(data []byte) bool {
	if len(data) < 2*MaxValues { // each value takes at least one byte and a separator
		return false
	}
	n := 1
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case ',', '[', '{', ':':
			n++
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		}
	}
	return n > MaxValues
}
