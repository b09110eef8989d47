package wellformed

// MaxValues is how many values of JSON are parsed at most. A parsed value takes some 200 bytes.
const MaxValues = 1 << 20

// Many reports whether JSON has more values, names among them, than MaxValues. Anything else it counts as if it
// were JSON.
func Many(data []byte) bool {
	if len(data) < 2*MaxValues { // a value and what separates it from the next
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
